"""Cut a text into chunks that can be read alone."""

from bisect import bisect_left, bisect_right
from math import ceil
from typing import Iterator, List, Optional, Set, Union

from spacy.tokens import Doc

from ..clusters.index import find_characters, get_kind
from ..errors import check_setting
from ..types import Offsets
from .forms import starts_sentence
from .policies import Policy
from .resolve import (
    DEFAULT_POLICY,
    Edit,
    ResolvedText,
    Resolver,
    get_policy,
    write_edits,
)


def resolve_chunks(
    doc: Doc,
    size: int,
    *,
    overlap: int = 0,
    policy: Union[str, Policy] = DEFAULT_POLICY,
) -> List[ResolvedText]:
    """Cut a Doc into chunks in which the first mention of each entity says who it is.

    If it does not say so itself, it is replaced as in resolved text, by a mention that
    may be outside of the chunk. If its place permits no other form, the next mention is
    tried. All later mentions stay as they are. Chunks end with sentences; only a
    sentence of more than `size` tokens is cut.

    doc (Doc): The document.
    size (int): The most tokens of the document in a chunk.
    overlap (int): The most tokens, in whole sentences, that a chunk has in common with
        the one before it.
    policy (Union[str, Policy]): The policy that chooses replacements, or its name.
    RETURNS (List[ResolvedText]): The chunks, each with the map to the document's text.
        A document of white space has none.
    RAISES (ValueError): The size or overlap can't be, or there is no such policy.
    """
    expected = f"0 or more, and less than the size ({size!r})"
    check_setting("overlap", overlap, 0 <= overlap < size, expected)
    resolver = _ChunkResolver(doc, get_policy(policy))
    return [
        write_edits(resolver.text, resolver.resolve(*part), *_trim(doc, *part))
        for part in _cut(doc, size, overlap)
    ]


class _ChunkResolver(Resolver):
    """Find the edits of a chunk: none for an entity that the chunk has named."""

    def resolve(self, start: int, end: int) -> Iterator[Edit]:
        self.named: Set[int] = set()
        return self.find_edits(start, end)

    def _replace(
        self, i: int, around: Set[int], budget: Optional[Iterator[int]]
    ) -> Optional[Edit]:
        # What is written inside of a replacement does not name for the whole chunk.
        if budget is not None:
            return super()._replace(i, around, budget)
        cluster, mention = self.mentions[i]
        if cluster.i in self.named:
            return None
        edit = super()._replace(i, around, None)
        kinds = [get_kind(self.doc, m.start, m.end) for m in (mention, cluster.main)]
        if edit is not None or kinds[0] >= kinds[1]:
            self.named.add(cluster.i)
        return edit


def _cut(doc: Doc, size: int, overlap: int) -> Iterator[Offsets]:
    """Yield the token offsets of chunks of whole sentences."""
    starts = [i for i in range(len(doc)) if not i or starts_sentence(doc[i])]
    sentences: List[Offsets] = []
    for start, end in zip(starts, [*starts[1:], len(doc)], strict=False):
        # Parts of nearly the same length: none is only a full stop.
        length = ceil((end - start) / ceil((end - start) / size))
        parts = range(start, end, length)
        sentences += [(part, min(part + length, end)) for part in parts]
    # What is white space alone would only be said again.
    sentences = [(a, z) for a, z in sentences if not doc[a:z].text.isspace()]
    firsts, lasts = [a for a, _ in sentences], [z for _, z in sentences]
    i = 0
    while i < len(sentences):
        j = max(i + 1, bisect_right(lasts, firsts[i] + size))
        yield firsts[i], lasts[j - 1]
        if j == len(sentences):
            break
        # Go back over sentences that both chunks have, but never to the same start, and
        # leave room for a new sentence beside those.
        least = max(lasts[j - 1] - overlap, lasts[j] - size)
        i = min(j, max(i + 1, bisect_left(firsts, least)))


def _trim(doc: Doc, start: int, end: int) -> Offsets:
    """Find the characters of a chunk without white space at its ends."""
    while doc[start].is_space:
        start += 1
    while doc[end - 1].is_space:
        end -= 1
    return find_characters(doc, start, end)
