"""Read what a network needs of a Doc: word pieces, or the vectors of its tokens."""

import contextlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Callable, Dict, Iterator, Optional, Sequence, Tuple

import numpy as np
import torch
from spacy.attrs import IS_SPACE, IS_TITLE, IS_UPPER, LENGTH, LOWER
from spacy.tokens import Doc
from tokenizers import Tokenizer
from torch import Tensor, nn

from ...errors import Errors, check_known
from ...grammar.word_index import list_words
from ...span_groups import find_masked, read_group
from ...span_keys import CANDIDATES
from ..batching import Batch, Pieces
from ..blocks import register_block
from ..runtime import Runtime
from .tokenizer_checks import check_tokenizer
from .word_features import SCHEME

# The mask tokens of common tokenizers.
_MASKS = ("[MASK]", "<mask>")
# The name of the errors that code in Rust raises where it expects none.
_PANIC = "PanicException"


class PieceTokenizer:
    """Split words into the encoder's word pieces.

    serialized (str): The contents of a tokenizer.json.
    n_pieces (Optional[int]): The number of word pieces that the encoder has vectors
        for; None if it is not known.
    """

    def __init__(
        self,
        serialized: str,
        path: str = "tokenizer.json",
        n_pieces: Optional[int] = None,
    ) -> None:
        self.path = path
        self.n_pieces = n_pieces
        with self._name_path():
            self.tokenizer = _parse(serialized)
        # Check the special tokens that are added to every text.
        self.encode([])

    def encode(self, words: Sequence[str], masked: Sequence[int] = ()) -> Pieces:
        """Split a document into word pieces, and add special tokens at its ends."""
        with self._name_path():
            # Not encode_batch: its threads would not survive a later fork.
            encoding = self.tokenizer.encode(list(words), is_pretokenized=True)
            ids = encoding.ids
            if self.n_pieces is not None and max(ids, default=0) >= self.n_pieces:
                raise ValueError(
                    f"it has a piece with the number {max(ids)}, and the encoder has "
                    f"vectors for {self.n_pieces}"
                )
        word_ids = [
            -1 if i is None or words[i].isspace() else i for i in encoding.word_ids
        ]
        found = self._mask(ids, word_ids, masked) if len(masked) else (ids, word_ids)
        return Pieces.from_words(*found)

    @contextlib.contextmanager
    def _name_path(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            # The library raises plain Exceptions, and for files that it can't read
            # panics, which can't be imported and are no Exceptions.
            if not isinstance(error, Exception) and type(error).__name__ != _PANIC:
                raise
            message = Errors.FC093.format(path=self.path, reason=error)
            raise ValueError(message) from error

    def _mask(
        self, ids: Sequence[int], word_ids: Sequence[int], masked: Sequence[int]
    ) -> Tuple[np.ndarray, np.ndarray]:
        masks = map(self.tokenizer.token_to_id, _MASKS)
        mask = next((i for i in masks if i is not None), None)
        if mask is None:
            raise ValueError(Errors.FC072.format(available=" or ".join(_MASKS)))
        words = np.array(word_ids)
        is_masked = np.isin(words, masked)
        kept = ~is_masked | (np.diff(words, prepend=-1) != 0)
        return np.where(is_masked, mask, ids)[kept], words[kept]


# A checkpoint is read to check its tokenizer, and again to use it.
@lru_cache(maxsize=1)
def _parse(serialized: str) -> Tokenizer:
    check_tokenizer(serialized)
    tokenizer = Tokenizer.from_str(serialized)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    # In a text, "[CLS]" is a word like any other, and not the special token.
    tokenizer.encode_special_tokens = True
    return tokenizer


@register_block("spacy_fastcoref.TokenVectors.v1")
@dataclass(frozen=True)
class TokenVectorsBlock:
    """Describe an encoder that reads token vectors of another component.

    width (int): The width of the vectors.
    scorer_learn_rate (float): The scorers' learning rate, as a factor of the
        optimizer's.
    """

    width: int = 0
    scorer_learn_rate: float = 1.0

    def build(self, config: Dict[str, Any], path: str) -> "TokenVectors":
        return TokenVectors(self.width)


class TokenVectors(nn.Module):
    """Return the token vectors that another component computed. It has no weights."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def prepare(self, setting: Optional[str]) -> None:
        """Do nothing: there are no layers."""

    def encode(
        self,
        batch: Batch,
        runtime: Runtime,
        max_segment_len: int,
        move: Callable[[np.ndarray], Tensor],
    ) -> Tensor:
        """Concatenate the vectors of documents, in float32; see Transformer.encode."""
        device = move(batch.piece_ends).device
        return torch.cat([vectors.to(device).float() for vectors in batch.vectors])


class DocReader:
    """Read what a network needs of a Doc, whose "coref_mentions" are its candidates.

    serialized (str): The contents of a tokenizer.json; "" for a network that reads the
        vectors of tokens.
    readers (Sequence[Callable]): The network's functions to read features; see blocks.
    path (str): The path of the model, for error messages.
    """

    def __init__(
        self, serialized: str, encoder: Any, readers: Sequence[Callable], path: str
    ) -> None:
        self.path = path
        self.readers = readers
        self.tokenizer: Optional[PieceTokenizer] = None
        if serialized and not isinstance(encoder, TokenVectors):
            self.tokenizer = PieceTokenizer(serialized, path, len(encoder.weight))

    def __call__(self, doc: Doc, vectors: Optional[Tensor], runtime: Runtime) -> Pieces:
        """Read a Doc, and the vectors of its tokens if there is no tokenizer."""
        if self.tokenizer is not None:
            pieces = self.tokenizer.encode(list_words(doc), find_masked(doc))
        elif vectors is not None:
            is_space, forms = doc.to_array([IS_SPACE, LOWER]).T
            words = np.flatnonzero(is_space == 0)
            pieces = Pieces.from_words(forms[words].astype(np.int64), words)
            pieces.vectors = vectors[torch.from_numpy(words).to(vectors.device)]
        else:
            raise ValueError(Errors.FC085.format(path=self.path))
        # Whether a token is capitalized, and not a single letter such as "I".
        title, upper, length = doc.to_array([IS_TITLE, IS_UPPER, LENGTH]).T
        pieces.is_name = (((title | upper) > 0) & (length > 1))[pieces.tokens]
        for read in self.readers:
            for name, codes in read(doc, runtime).items():
                pieces.codes[name] = codes[pieces.tokens]
        if runtime.scheme is not None and SCHEME not in pieces.codes:
            check_known("annotation scheme", runtime.scheme, ())
        if CANDIDATES in doc.spans:
            spans = [(span.start, span.end) for span in read_group(doc, CANDIDATES)]
            pieces.candidates = spans
        return pieces
