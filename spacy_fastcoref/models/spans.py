"""Spans of words as scorers see them."""

from typing import Dict, Iterable, Iterator, List, NamedTuple, Tuple

from torch import Tensor
from torch.nn.functional import pad

# What a scorer made of some mentions in one role, anaphor or antecedent: tensors whose
# first dimension is n_mentions.
Side = Tuple[Tensor, ...]


class Spans(NamedTuple):
    """Hold spans of a batch of documents.

    firsts (Tensor): Shape (n_spans,), the index of each one's first word in the batch.
    lasts (Tensor): Shape (n_spans,), the index of its last word.
    starts (Tensor): Shape (n_spans, width), vectors of the first words' first pieces.
    ends (Tensor): Shape (n_spans, width), vectors of the last words' last pieces.
    codes (Dict[str, Tensor]): What blocks have read from the documents, by name; each
        of shape (n_words,), int64.
    """

    firsts: Tensor
    lasts: Tensor
    starts: Tensor
    ends: Tensor
    codes: Dict[str, Tensor]


class Mentions(NamedTuple):
    """Hold the mentions of one document that survived pruning.

    starts (Tensor): Shape (n_mentions,), the first word of each in the batch.
    ends (Tensor): Shape (n_mentions,), the last word of each in the batch.
    scores (Tensor): Shape (n_mentions,), float32.
    """

    starts: Tensor
    ends: Tensor
    scores: Tensor


def join_sides(blocks: Iterable[Tuple[Side, Side]], n: int) -> Tuple[Side, Side]:
    """Put blocks of mentions end to end, as they are made.

    blocks (Iterable[Tuple[Side, Side]]): The mentions as anaphors and as antecedents.
    n (int): How many there are in all.
    RETURNS (Tuple[Side, Side]): All of them, likewise.
    """
    wholes: Dict[int, Tensor] = {}
    places: List[int] = []
    begin = 0
    for anaphors, antecedents in blocks:
        end = begin + len(anaphors[0])
        if end - begin == n:
            return anaphors, antecedents
        parts = [*anaphors, *antecedents]
        if not places:
            # What both sides share there is only once.
            ids = [id(part) for part in parts]
            places = [ids.index(i) for i in ids]
        for i in set(places):
            part = parts[i]
            whole = wholes.get(i)
            if whole is None:
                whole = part.new_zeros((n, *part.shape[1:]))
            if part.ndim == 2 and part.shape[1] != whole.shape[1]:
                # Lists of words are as long as a block's longest.
                width = max(part.shape[1], whole.shape[1])
                whole = pad(whole, (0, width - whole.shape[1]))
                part = pad(part, (0, width - part.shape[1]))
            whole[begin:end] = part
            wholes[i] = whole
        begin = end
    sides = [wholes[i] for i in places]
    return tuple(sides[: len(anaphors)]), tuple(sides[len(anaphors) :])


def split_sides(
    anaphors: Side, antecedents: Side, sizes: List[int]
) -> List[Tuple[Side, Side]]:
    """Split a batch's mentions by documents.

    anaphors, antecedents (Side): The mentions.
    sizes (List[int]): How many each document has.
    RETURNS (List[Tuple[Side, Side]]): Those of each document.
    """
    pairs = zip(_split(anaphors, sizes), _split(antecedents, sizes), strict=True)
    return list(pairs)


def _split(side: Side, sizes: List[int]) -> Iterator[Side]:
    """Split what belongs to a batch's mentions by documents."""
    return zip(*(part.split(sizes) for part in side), strict=True)
