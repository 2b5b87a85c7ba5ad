"""Tell what a ranker was trained on, and check that Docs are of the same kind."""

import warnings
from dataclasses import asdict, dataclass
from typing import Any, Dict, List, Optional, Sequence

import numpy as np
from spacy.tokens import Doc
from thinc.api import to_numpy

from ...errors import Errors, Warnings

# Context vectors of fewer tokens can be unlike the average.
_MIN_TOKENS = 30
# The least cosine of a document's average and that of training. With the pipeline of
# training it was above 0.19 for all of 2,851 documents, and with another one below 0.15
# for all of 48, of both signs.
_MIN_COSINE = 0.1


@dataclass
class Origin:
    """Hold what is known of the documents of training.

    lang (Optional[str]): The code of their language; None if it is not known, or if
        there are several.
    context (Optional[List[float]]): The average of their context vectors, if the ranker
        reads them. The vectors of another pipeline have other meanings, even if they
        are as wide.
    """

    lang: Optional[str] = None
    context: Optional[List[float]] = None

    @classmethod
    def collect(cls, docs: Sequence[Doc], reads_context: bool) -> "Origin":
        """Find out the origin of a sample of documents.

        docs (Sequence[Doc]): The documents, with tokens.
        reads_context (bool): Whether the ranker reads their context vectors.
        RETURNS (Origin): What is known of them.
        """
        langs = {doc.lang_ for doc in docs}
        lang = langs.pop() if len(langs) == 1 else None
        if not reads_context:
            return cls(lang)
        tensors = [to_numpy(doc.tensor) for doc in docs]
        average = np.concatenate(tensors).mean(axis=0)
        return cls(lang, [round(float(value), 4) for value in average])

    def check(self, doc: Doc) -> None:
        """Check that a document is like those of training.

        doc (Doc): The document.
        RAISES (ValueError): It is in another language.
        """
        if self.lang is not None and doc.lang_ != self.lang:
            raise ValueError(Errors.FC195.format(lang=self.lang, found=doc.lang_))
        if self.context is None or len(doc) < _MIN_TOKENS:
            return
        tensor, expected = to_numpy(doc.tensor), np.array(self.context)
        if tensor.shape != (len(doc), len(expected)):
            # The layer that reads them will tell.
            return
        average = tensor.mean(axis=0)
        norms = np.linalg.norm(average) * np.linalg.norm(expected)
        if average @ expected < _MIN_COSINE * norms:
            warnings.warn(Warnings.FCW35, stacklevel=2)

    def to_config(self) -> Dict[str, Any]:
        """Write the origin as plain values.

        RETURNS (Dict[str, Any]): What can be written as JSON.
        """
        return asdict(self)

    @classmethod
    def from_config(cls, config: Any) -> "Origin":
        """Read the origin.

        config (Any): What to_config wrote; None for an origin that is not known.
        RETURNS (Origin): The origin.
        RAISES (ValueError): It is not valid.
        """
        if config is None:
            return cls()
        is_valid = isinstance(config, dict) and set(config) == {"lang", "context"}
        if is_valid:
            origin = cls(**config)
            is_valid = origin.lang is None or isinstance(origin.lang, str)
        if is_valid and origin.context is not None:
            numbers = np.array(origin.context, dtype=np.float64)
            is_valid = numbers.ndim == 1 and bool(np.isfinite(numbers).all())
        if not is_valid:
            raise ValueError(f"its origin is not valid: {config}")
        return origin
