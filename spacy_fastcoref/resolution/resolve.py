"""Resolved text: mentions replaced by their main mention, with a map of offsets."""

from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Tuple, Union

from catalogue import RegistryError
from spacy.tokens import Doc, Span, Token

from ..errors import Errors
from ..languages.kinds import Kind, is_name
from ..languages.lexicon import get_lexicon
from ..registry import registry
from ..tokens.chains import get_clusters
from ..tokens.index import find_characters, get_heads, get_kind
from .capitals import Capitals
from .policies import Policy
from .possessives import is_possessive

DEFAULT_POLICY = "spacy_fastcoref.all.v1"
# Inside of what replaces one mention, at most this many mentions are replaced in turn.
# Without a bound, clusters that contain each other make texts of exponential length.
MAX_NESTED = 8
_CLAUSE_STARTS = frozenset((",", "(", "[", "–", "—", ";", ":"))


class Replacement(NamedTuple):
    """Hold the character offsets of one replacement.

    start (int): Where the new text starts in the resolved text.
    end (int): Where it ends.
    source_start (int): Where the mention started in the original text.
    source_end (int): Where it ended.
    """

    start: int
    end: int
    source_start: int
    source_end: int


@dataclass
class ResolvedText:
    """Hold a resolved text and the list of its replacements.

    text (str): The resolved text.
    source (str): The original text.
    replacements (List[Replacement]): The replacements, from left to right.
    """

    text: str
    source: str
    replacements: List[Replacement] = field(default_factory=list)

    def __str__(self) -> str:
        return self.text

    def to_source(self, start: int, end: int) -> Tuple[int, int]:
        """Map character offsets to the original text.

        start (int): The first character in the resolved text.
        end (int): The character after the last.
        RETURNS (Tuple[int, int]): Offsets in the original text. An offset inside of a
            replacement gives the end of the mention that was replaced.
        RAISES (ValueError): The offsets are not in the text.
        """
        if not 0 <= start <= end <= len(self.text):
            raise ValueError(
                Errors.FC025.format(start=start, end=end, length=len(self.text))
            )
        first = self._find(start, is_end=False)
        return first, max(first, self._find(end, is_end=True))

    def _find(self, offset: int, *, is_end: bool) -> int:
        bisect = bisect_left if is_end else bisect_right
        i = bisect(self.replacements, offset, key=lambda change: change.start) - 1
        if i < 0:
            return offset
        change = self.replacements[i]
        inside = offset <= change.end if is_end else offset < change.end
        if inside:
            return change.source_end if is_end else change.source_start
        return offset - change.end + change.source_end


def resolve_text(doc: Doc, policy: Union[str, Policy] = DEFAULT_POLICY) -> str:
    """Write a Doc's text with mentions replaced by their cluster's main mention.

    doc (Doc): The document.
    policy (Union[str, Policy]): The registered name of a policy, or a policy.
    RETURNS (str): The resolved text.
    RAISES (ValueError): No policy has this name, or the policy returned something else
        than a Span, a text or None.
    """
    return resolve(doc, policy).text


def resolve(doc: Doc, policy: Union[str, Policy] = DEFAULT_POLICY) -> ResolvedText:
    """Resolve a Doc's text and keep the offsets of what was changed.

    Of nested mentions the outermost that changes is replaced. Mentions inside of the
    replacement are replaced in turn ("her dog" becomes "Ann's dog"), but not by their
    own cluster, and at most 8 of them; further ones stay as they are. So the text's
    length and the time are linear in the number of mentions, whatever clusters a Doc
    has.

    doc (Doc): The document.
    policy (Union[str, Policy]): The registered name of a policy, or a policy.
    RETURNS (ResolvedText): The text, with a map of offsets to the original.
    RAISES (ValueError): No policy has this name, or the policy returned something else
        than a Span, a text or None.
    """
    resolver = _Resolver(doc, get_policy(policy))
    parts: List[str] = []
    replacements: List[Replacement] = []
    at = length = 0
    for edit in resolver.find_edits():
        parts += [resolver.text[at : edit.start], edit.text]
        length += edit.start - at
        replacements.append(
            Replacement(length, length + len(edit.text), edit.start, edit.end)
        )
        length += len(edit.text)
        at = edit.end
    parts.append(resolver.text[at:])
    return ResolvedText("".join(parts), resolver.text, replacements)


def get_policy(policy: Union[str, Policy]) -> Policy:
    """Look a policy up.

    policy (Union[str, Policy]): A registered name, or a policy already.
    RETURNS (Policy): The policy.
    RAISES (ValueError): No policy has this name.
    """
    if not isinstance(policy, str):
        return policy
    try:
        # Each look goes through the entry points of all packages.
        make_policy = registry.coref_policies.get(policy)
    except RegistryError as error:
        available = ", ".join(sorted(registry.coref_policies.get_all()))
        message = Errors.FC024.format(name=policy, available=available)
        raise ValueError(message) from error
    return make_policy()


class _Edit(NamedTuple):
    """Hold a text to put between two characters, and the token it begins with."""

    start: int
    end: int
    text: str
    first: Optional[Token]


class _Budget:
    """Count how many mentions inside of one replacement may still be replaced."""

    def __init__(self) -> None:
        self.left = MAX_NESTED

    def take(self) -> bool:
        self.left -= 1
        return self.left >= 0


class _Resolver:
    """Find the edits that resolve one Doc under one policy.

    doc (Doc): The document.
    policy (Policy): The policy.
    """

    def __init__(self, doc: Doc, policy: Policy) -> None:
        self.doc = doc
        self.policy = policy
        # Doc.text is joined anew at each call.
        self.text = doc.text
        self.capitals = Capitals(doc)
        self.apostrophe = "’" if "’" in self.text else "'"
        mentions = [
            ((mention.start, -mention.end), cluster, mention)
            for cluster in get_clusters(doc)
            for mention in cluster
        ]
        # Outer mentions come before the inner ones that start with them.
        mentions.sort(key=lambda entry: entry[0])
        self.starts = [key[0] for key, _, _ in mentions]
        self.mentions = [(cluster, mention) for _, cluster, mention in mentions]
        # What the policy said of a mention, by its place in the list.
        self.answers: Dict[int, Union[Span, str, None]] = {}

    def find_edits(self) -> Iterator[_Edit]:
        """Find the edits of the whole Doc.

        YIELDS (_Edit): The edits from left to right; none overlap.
        """
        return self._iter_edits(0, len(self.doc), frozenset(), None)

    def _iter_edits(
        self,
        start: int,
        end: int,
        active: FrozenSet[int],
        budget: Optional[_Budget],
    ) -> Iterator[_Edit]:
        """Yield the edits between two tokens, for the outermost mentions that change.

        start (int): The first token.
        end (int): The token after the last.
        active (FrozenSet[int]): The clusters that are being written: "her husband" and
            "his wife" would otherwise lead to each other for ever.
        budget (Optional[_Budget]): That of the replacement which this is a part of;
            None at the top, where each replacement gets its own.
        YIELDS (_Edit): The edits, in characters of the Doc's text.
        """
        at = start
        # The unchanged mentions around, by their end, and how many of each cluster.
        outer: List[Tuple[int, int]] = []
        around = Counter(active)
        first = bisect_left(self.starts, start)
        for i in range(first, bisect_left(self.starts, end, first)):
            cluster, mention = self.mentions[i]
            while outer and outer[0][0] <= mention.start:
                _, j = heappop(outer)
                around[j] -= 1
                if not around[j]:
                    del around[j]
            if mention.start < at or mention.end > end:
                continue
            # "Ann, who loves [her] cat" keeps "her": it is inside its own antecedent.
            edit = None if around[cluster.i] else self._replace(i, around, budget)
            if edit is None:
                heappush(outer, (mention.end, cluster.i))
                around[cluster.i] += 1
                continue
            yield edit
            at = mention.end

    def _replace(
        self, i: int, around: Dict[int, int], budget: Optional[_Budget]
    ) -> Optional[_Edit]:
        cluster, mention = self.mentions[i]
        by = self._ask_policy(i)
        if not by or (isinstance(by, Span) and _is_unfit(by, mention)):
            return None
        is_owner = is_possessive(mention)
        if is_owner is None or not (budget is None or budget.take()):
            return None
        first: Optional[Token] = None
        if isinstance(by, str):
            text = by
        else:
            active = frozenset((*around, cluster.i))
            text, first = self._write(by, active, budget or _Budget())
        if is_owner:
            text = _add_possessive(by, mention, text, self.apostrophe)
        start, end = find_characters(self.doc, mention.start, mention.end)
        if not text or text.casefold() == self.text[start:end].casefold():
            return None
        text = self.capitals.adjust(text, first, mention[0])
        return _Edit(start, end, text, first)

    def _ask_policy(self, i: int) -> Union[Span, str, None]:
        """Ask the policy about a mention, once. Of a Span of another Doc only the text
        is of use."""
        if i not in self.answers:
            by = self.policy(*self.mentions[i])
            if isinstance(by, Span) and len(by):
                by = by if by.doc is self.doc else by.text
            elif by is not None and not isinstance(by, str):
                raise ValueError(
                    Errors.FC109.format(
                        value=by,
                        kind=type(by).__name__,
                        mention=self.mentions[i][1].text,
                    )
                )
            self.answers[i] = by
        return self.answers[i]

    def _write(
        self, span: Span, active: FrozenSet[int], budget: _Budget
    ) -> Tuple[str, Token]:
        """Write a span in one line, with the mentions inside it replaced.

        RETURNS (Tuple[str, Token]): The text, and the token that it begins with.
        """
        first, end = span[0], _find_core_end(span)
        at, stop = find_characters(self.doc, span.start, end)
        parts = []
        for edit in self._iter_edits(span.start, end, active, budget):
            if edit.start == span.start_char:
                first = edit.first
            parts += [self.text[at : edit.start], edit.text]
            at = edit.end
        parts.append(self.text[at:stop])
        return " ".join("".join(parts).split()), first


def _is_unfit(by: Span, mention: Span) -> bool:
    """Tell whether a Span overlaps the mention or names nobody ("no student")."""
    quantifiers = get_lexicon(by.doc.lang_).quantifiers
    return (
        (by.start < mention.end and mention.start < by.end)
        or by[0].lower_ in quantifiers
        or get_kind(by.doc, by.start, by.end) == Kind.PRONOUN
    )


def _find_core_end(span: Span) -> int:
    """Find the end of a mention without a possessive ending ("Ann's") or a clause that
    adds information ("Ann, who sings")."""
    doc = span.doc
    lexicon = get_lexicon(doc.lang_)
    end = span.end
    while end - span.start > 1 and doc[end - 1].lower_ in lexicon.clitics:
        end -= 1
    if any(token.lower_ in lexicon.coordinators for token in span):
        return end
    head = get_heads(doc, span.start, end)[-1]
    for i in range(head + 1, end):
        if doc[i].text in _CLAUSE_STARTS or doc[i].lower_ in lexicon.relatives:
            return i
    return end


def _add_possessive(
    by: Union[Span, str], mention: Span, text: str, apostrophe: str
) -> str:
    form = get_lexicon(mention.doc.lang_).possessive
    if form is None:
        return ""
    if form.get("names_only") and isinstance(by, Span):
        heads = get_heads(by.doc, by.start, by.end)
        if not is_name(by.doc[heads[-1]]):
            return ""
    if text[-1].lower() in form["bare_after"]:
        return text + apostrophe
    is_upper = text.isupper() and mention.text.isupper()
    suffix = form["suffix"].upper() if is_upper else form["suffix"]
    return text + (apostrophe if form["apostrophe"] else "") + suffix
