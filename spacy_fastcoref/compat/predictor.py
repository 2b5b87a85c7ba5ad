"""Provide fastcoref's predictor classes, which need no pipeline."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy as np
import spacy
import srsly
from spacy import util
from spacy.language import Language
from spacy.tokens import Doc

from ..about import DEFAULT_LANG
from ..clusters.index import check_index, find_characters
from ..clusters.store import set_clusters
from ..errors import Errors, check_setting
from ..files import replace_file
from ..grammar.auto import make_auto_rules
from ..models.architectures import Pretrained
from ..pipeline.component import FastCoref, RulesFunction
from ..pipeline.settings import find_weights
from ..streams import show_progress
from ..types import Links, Offsets

# The number of texts that the model gets at once. It sorts them by length, so that
# batches of a larger number need less padding.
_BUFFER = 256
# The maximum length of the text in the repr() of a result, in characters or words.
_SHOWN = 50
# Why mentions can't be scored.
_SAME = "a link needs two different ones"
_UNSEEN = "the model sees no word where one starts or ends, only what it drops"
_NO_WORDS = "this is no span of whole words"


@dataclass(repr=False)
class CorefResult:
    """Hold the clusters of one text.

    text (Union[str, List[str]]): The text or the words, as they were passed.
    doc (Doc): The Doc of the text, with its clusters.
    links (Links): The model's predictions.
    component (Optional[FastCoref]): The component, to score other pairs; None in a
        result that was pickled or copied, since the weights are not copied with it.
    """

    text: Union[str, List[str]]
    doc: Doc
    links: Links
    component: Optional[FastCoref]

    def __repr__(self) -> str:
        text = self.text[:_SHOWN]
        if len(self.text) > _SHOWN:
            text = f"{text}..." if isinstance(text, str) else [*text, "..."]
        return f"CorefResult(text={text!r}, clusters={self.get_clusters()})"

    def __getstate__(self) -> Dict[str, Any]:
        return {**vars(self), "component": None}

    def get_clusters(
        self, as_strings: bool = True
    ) -> Union[List[List[str]], List[List[Offsets]]]:
        """Get the clusters.

        as_strings (bool): Whether to get the mentions as strings rather than offsets.
        RETURNS (Union[List[List[str]], List[List[Tuple[int, int]]]]): The strings, or
            the offsets (start, end) in characters; in words if the text was passed as
            words.
        """
        clusters = check_index(self.doc).clusters
        write = self._write if as_strings else self._find_offsets
        return [
            [write(*mention) for mention in cluster.mentions] for cluster in clusters
        ]

    def get_logit(self, span_i: Offsets, span_j: Offsets) -> float:
        """Get the score of a link between two mentions.

        Any two spans of whole words can be scored. For a pair that is not among the
        links, the model has to encode the text again.

        span_i (Tuple[int, int]): A mention, as in get_clusters(as_strings=False).
        span_j (Tuple[int, int]): Another mention.
        RETURNS (float): The log-odds of the link against no link.
        RAISES (ValueError): A span does not consist of whole words or is white space,
            both spans are the same, or the pair is not among the links of a pickled
            result.
        """
        earlier, later = sorted([self._find_span(span_i), self._find_span(span_j)])
        if earlier == later:
            raise ValueError(
                Errors.FC031.format(mentions=(span_i, span_j), reason=_SAME)
            )
        score = self.links.find_score(later, earlier)
        if score is None:
            if self.component is None:
                raise ValueError(Errors.FC106)
            pairs = [(later, earlier)]
            score = float(self.component.model.score_pairs(self.doc, pairs)[0])
            if np.isnan(score):
                texts = [self.doc[slice(*span)].text for span in (earlier, later)]
                raise ValueError(Errors.FC031.format(mentions=texts, reason=_UNSEEN))
        return score

    # The paper on F-coref calls the method by this name.
    get_logits = get_logit

    def to_dict(self) -> Dict[str, Any]:
        """Convert the result to a dictionary in fastcoref's file format."""
        return {
            "text": self.text,
            "clusters": self.get_clusters(as_strings=False),
            "clusters_strings": self.get_clusters(as_strings=True),
        }

    def _find_offsets(self, start: int, end: int) -> Offsets:
        if isinstance(self.text, str):
            return find_characters(self.doc, start, end)
        return start, end

    def _write(self, start: int, end: int) -> str:
        part = self.text[slice(*self._find_offsets(start, end))]
        return part if isinstance(part, str) else " ".join(part)

    def _find_span(self, offsets: Offsets) -> Offsets:
        start, end = offsets
        is_split = not isinstance(self.text, str)
        if is_split and 0 <= start < end <= len(self.doc):
            return start, end
        span = None if is_split else self.doc.char_span(start, end)
        if not span:
            raise ValueError(Errors.FC031.format(mentions=offsets, reason=_NO_WORDS))
        return span.start, span.end


class FCoref:
    """Find the clusters of texts, like fastcoref's class of the same name.

    model_name_or_path (Optional[str]): A folder or hub name of a trained model, or the
        folder of a pipeline with a coreference component; None for the model that
        ships with the package.
    device (Optional[str]): "auto" or None for CUDA if it is available, "cpu", "cuda" or
        a numbered device such as "cuda:1".
    nlp (Optional[Union[Language, str]]): A pipeline that tokenizes the texts, or its
        name or folder; None for spaCy's English tokenizer.
    enable_progress_bar (bool): Whether `predict` shows a progress bar.
    precision (str): "auto", "float32", "bfloat16" or "float16".
    threshold (float): The minimum log-odds of a link.
    rules (Union[str, RulesFunction, None]): A rules function as in FastCoref, or None
        for no rules. "auto" selects the rules of the language for the model that ships
        with the package, and no rules for other models.
    RAISES (ValueError): A setting is not valid, or there is no such model.
    """

    # The architecture whose weights are the default; None for those that ship with the
    # package.
    architecture: Optional[str] = None

    def __init__(
        self,
        model_name_or_path: Optional[Union[str, Path]] = None,
        device: Optional[str] = None,
        nlp: Optional[Union[Language, str]] = None,
        enable_progress_bar: bool = False,
        *,
        precision: str = "auto",
        threshold: float = 0.0,
        rules: Union[str, RulesFunction, None] = "auto",
    ) -> None:
        self.nlp = get_nlp(nlp)
        self.enable_progress_bar = enable_progress_bar
        model = Pretrained()
        if model_name_or_path is None:
            model_name_or_path = find_weights(self.architecture)
        if rules == "auto":
            # Without rules, fastcoref's checkpoints predict the same as in fastcoref.
            rules = make_auto_rules() if model_name_or_path is None else None
        path = None if model_name_or_path is None else str(model_name_or_path)
        model.choose_weights(self.nlp.lang, path)
        self.component = FastCoref(
            self.nlp.vocab,
            model,
            "FCoref",
            rules=rules,
            threshold=threshold,
            device="auto" if device is None else str(device),
            precision=precision,
        )
        model.initialize()

    def predict(
        self,
        texts: Union[str, Sequence[str], Sequence[Sequence[str]]],
        is_split_into_words: bool = False,
        max_tokens_in_batch: int = 10000,
        output_file: Optional[Union[str, Path]] = None,
    ) -> Union[CorefResult, List[CorefResult]]:
        """Find the clusters of one text or of several texts.

        texts (Union[str, Sequence[str], Sequence[Sequence[str]]]): A text or several
            texts, or the words of a text or of several.
        is_split_into_words (bool): Whether texts are passed as words.
        max_tokens_in_batch (int): The maximum number of word pieces in a batch.
        output_file (Optional[Union[str, Path]]): A file for the results, with one JSON
            object per line.
        RETURNS (Union[CorefResult, List[CorefResult]]): A result for each text, in
            order; a single result for a single text.
        RAISES (ValueError): The texts have another type, or output_file is a folder.
        """
        if output_file is not None and Path(output_file).is_dir():
            reason = "it is a folder"
            raise ValueError(Errors.FC103.format(path=output_file, reason=reason))
        many = _check_texts(texts, is_split_into_words)
        self.component.max_tokens_in_batch = max_tokens_in_batch
        results: List[CorefResult] = []
        stream = show_progress(
            many, enabled=self.enable_progress_bar, desc="predict", total=len(many)
        )
        for part in util.minibatch(stream, size=_BUFFER):
            docs = [self._make_doc(text) for text in part]
            all_links = self.component.predict(docs)
            for text, doc, links in zip(part, docs, all_links, strict=True):
                set_clusters(doc, self.component.decode(doc, links))
                results.append(CorefResult(text, doc, links, self.component))
        if output_file is not None:
            with replace_file(Path(output_file)) as new:
                srsly.write_jsonl(new, [result.to_dict() for result in results])
        return results[0] if many is not texts else results

    def _make_doc(self, text: Union[str, Sequence[str]]) -> Doc:
        if isinstance(text, str):
            return self.nlp.tokenizer(text)
        # spaCy has no empty tokens. White space can't be part of a mention, either.
        return Doc(self.nlp.vocab, words=[word.strip() or " " for word in text])


class LingMessCoref(FCoref):
    """Find the clusters of texts, like fastcoref's class of the same name.

    model_name_or_path (Optional[str]): A folder or hub name of a trained model; None
        for fastcoref's LingMess checkpoint on the hub.

    For all other arguments, see FCoref.
    """

    architecture = "LingMessCoref"


def get_nlp(nlp: Optional[Union[Language, str]]) -> Language:
    """Get a pipeline, or that of a name or folder; None for a blank English one."""
    if nlp is None:
        return spacy.blank(DEFAULT_LANG)
    expected = "a Language, the name of an installed pipeline, or None"
    check_setting("nlp", nlp, isinstance(nlp, (str, Language)), expected)
    return spacy.load(nlp) if isinstance(nlp, str) else nlp


def _check_texts(texts: Any, is_split: bool) -> Sequence:
    """Check the texts and put a single text into a list; return lists unchanged."""

    def is_text(value: Any) -> bool:
        if not is_split:
            return isinstance(value, str)
        is_list = isinstance(value, (list, tuple))
        return is_list and all(isinstance(word, str) for word in value)

    # An empty list is a list of no texts.
    if is_text(texts) and (not is_split or texts):
        return [texts]
    value, is_valid = type(texts).__name__, False
    if isinstance(texts, (list, tuple)):
        is_valid = all(map(is_text, texts))
        kinds = sorted({type(text).__name__ for text in texts})
        value = f"a {value} of {', '.join(kinds)} (is_split_into_words={is_split})"
    expected = (
        "a text, a list of texts, or, with is_split_into_words=True, a list of words "
        "or a list of lists of words"
    )
    check_setting("texts", value, is_valid, expected)
    return texts
