"""An encoder that returns the token vectors of a tok2vec layer."""

from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional

import numpy as np
import torch
from spacy.attrs import IS_SPACE, LOWER
from spacy.tokens import Doc
from torch import Tensor, nn

from ..batching import Batch, Pieces
from ..blocks import register_block
from ..runtime import Runtime


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


def take_tokens(doc: Doc, vectors: Tensor) -> Pieces:
    """Make a document whose word pieces are a Doc's tokens, with their vectors."""
    is_space, forms = doc.to_array([IS_SPACE, LOWER]).T
    words = np.flatnonzero(is_space == 0)
    pieces = Pieces.from_words(forms[words].astype(np.int64), words)
    pieces.vectors = vectors[torch.from_numpy(words).to(vectors.device)]
    return pieces
