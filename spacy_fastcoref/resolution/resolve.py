"""Resolved text: mentions replaced by what they refer to, with a way back."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import FrozenSet, Iterator, List, NamedTuple, Optional, Tuple, Union

from spacy.tokens import Doc, Span

from ..errors import Errors
from ..languages.heads import find_heads
from ..languages.kinds import Kind, find_kind, is_name
from ..languages.lexicon import get_lexicon
from ..registry import registry
from ..tokens.chains import Cluster, get_clusters
from .capitals import Capitals
from .policies import Policy
from .possessives import is_possessive

DEFAULT_POLICY = "spacy_fastcoref.all.v1"
_CLAUSE_STARTS = frozenset((",", "(", "[", "–", "—", ";", ":"))
_OPENERS = frozenset("\"'“”‘’«»„([{—–-*")


class Replacement(NamedTuple):
    """Hold one change, in characters.

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
    """Hold a resolved text and what was changed in it.

    text (str): The resolved text.
    source (str): The original text.
    replacements (List[Replacement]): The changes, from left to right.
    """

    text: str
    source: str
    replacements: List[Replacement] = field(default_factory=list)

    def __str__(self) -> str:
        return self.text

    def to_source(self, start: int, end: int) -> Tuple[int, int]:
        """Find the part of the original text that a part of this text stands for.

        start (int): The first character in the resolved text.
        end (int): The character after the last.
        RETURNS (Tuple[int, int]): Offsets in the original text; what lies in a
            replacement gives the whole mention that was replaced.
        RAISES (ValueError): The offsets are not in the text.
        """
        if not 0 <= start <= end <= len(self.text):
            raise ValueError(
                Errors.FC025.format(start=start, end=end, length=len(self.text))
            )
        first = self._find(start, is_end=False)
        return first, max(first, self._find(end, is_end=True))

    def _find(self, offset: int, *, is_end: bool) -> int:
        side = bisect_left if is_end else bisect_right
        i = side(self.replacements, offset, key=lambda change: change.start) - 1
        if i < 0:
            return offset
        change = self.replacements[i]
        inside = offset <= change.end if is_end else offset < change.end
        if inside:
            return change.source_end if is_end else change.source_start
        return offset - change.end + change.source_end


def resolve_text(doc: Doc, policy: Union[str, Policy] = DEFAULT_POLICY) -> str:
    """Write a Doc's text with mentions replaced by what they refer to.

    doc (Doc): The document.
    policy (Union[str, Policy]): The registered name of a policy, or a policy.
    RETURNS (str): The resolved text.
    RAISES (ValueError): No policy has this name, or it gave what cannot be put in.
    """
    return resolve(doc, policy).text


def resolve(doc: Doc, policy: Union[str, Policy] = DEFAULT_POLICY) -> ResolvedText:
    """Resolve a Doc's text and keep the offsets of what was changed.

    doc (Doc): The document.
    policy (Union[str, Policy]): The registered name of a policy, or a policy.
    RETURNS (ResolvedText): The text, with a way back to the original.
    RAISES (ValueError): No policy has this name, or it gave what cannot be put in.
    """
    resolver = _Resolver(doc, get_policy(policy))
    parts: List[str] = []
    replacements: List[Replacement] = []
    at = length = 0
    for edit in resolver.iter_edits(0, len(doc), frozenset()):
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
    if policy not in registry.coref_policies:
        available = ", ".join(sorted(registry.coref_policies.get_all()))
        raise ValueError(Errors.FC024.format(name=policy, available=available))
    return registry.coref_policies.get(policy)()


class _Edit(NamedTuple):
    start: int
    end: int
    text: str


class _Resolver:
    """Find the changes of one Doc under one policy."""

    def __init__(self, doc: Doc, policy: Policy) -> None:
        self.doc = doc
        self.policy = policy
        # Doc.text is put together anew at each call.
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

    def iter_edits(
        self, start: int, end: int, active: FrozenSet[int]
    ) -> Iterator[_Edit]:
        """Yield the changes between two tokens, outermost only, left to right.

        start (int): The first token.
        end (int): The token after the last.
        active (FrozenSet[int]): Clusters that are being written already, so that
            "her husband" and "his wife" do not go on for ever.
        YIELDS (_Edit): The changes, in characters of the Doc's text.
        """
        at = start
        kept: List[Tuple[int, int]] = []
        for i in range(bisect_left(self.starts, start), bisect_left(self.starts, end)):
            cluster, mention = self.mentions[i]
            if mention.start < at or mention.end > end:
                continue
            kept = [(stop, j) for stop, j in kept if stop > mention.start]
            # "Ann, who loves [her] cat" keeps "her": it is inside its own antecedent.
            around = active.union(j for _, j in kept)
            text = None
            if cluster.i not in around:
                text = self._replace(cluster, mention, around)
            if text is None:
                kept.append((mention.end, cluster.i))
                continue
            last = self.doc[mention.end - 1]
            yield _Edit(mention.start_char, last.idx + len(last), text)
            at = mention.end

    def _replace(
        self, cluster: Cluster, mention: Span, active: FrozenSet[int]
    ) -> Optional[str]:
        by = self._ask(cluster, mention)
        if isinstance(by, str):
            text = by
        elif (
            by is None
            or (by.start < mention.end and mention.start < by.end)
            or _is_pronoun_phrase(by)
            # "No student lost their book": not no student's.
            or by[0].lower_ in get_lexicon(by.doc.lang_).quantifiers
        ):
            return None
        else:
            text = self._write(by, active | {cluster.i})
        if text and is_possessive(mention):
            text = _add_possessive(by, mention, text, self.apostrophe)
        if not text or text.casefold() == mention.text.casefold():
            return None
        return self.capitals.adjust(by, mention, text)

    def _ask(self, cluster: Cluster, mention: Span) -> Union[Span, str, None]:
        """Ask the policy; of a Span of another Doc only the text is of use here."""
        by = self.policy(cluster, mention)
        if by is None or isinstance(by, str):
            return by
        if not isinstance(by, Span) or not len(by):
            raise ValueError(
                Errors.FC109.format(
                    value=by, kind=type(by).__name__, mention=mention.text
                )
            )
        return by if by.doc is self.doc else by.text

    def _write(self, span: Span, active: FrozenSet[int]) -> str:
        """Write a span with the mentions inside it resolved, in one line."""
        end = _find_core_end(span)
        last = self.doc[end - 1]
        at = span.start_char
        parts = []
        for edit in self.iter_edits(span.start, end, active):
            parts += [self.text[at : edit.start], edit.text]
            at = edit.end
        parts.append(self.text[at : last.idx + len(last)])
        return " ".join("".join(parts).split())


def _is_pronoun_phrase(span: Span) -> bool:
    heads = find_heads(span.doc, span.start, span.end)
    return find_kind(span.doc, span.start, span.end, heads) == Kind.PRONOUN


def _find_core_end(span: Span) -> int:
    """Find where a mention ends without what only adds to it: the clause in "Ann,
    who sings", the ending in "Ann's"."""
    doc = span.doc
    lexicon = get_lexicon(doc.lang_)
    end = span.end
    while end - span.start > 1 and doc[end - 1].lower_ in lexicon.clitics:
        end -= 1
    if any(token.lower_ in lexicon.coordinators for token in span):
        return end
    head = find_heads(doc, span.start, end)[-1]
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
        heads = find_heads(by.doc, by.start, by.end)
        if not is_name(by.doc[heads[-1]]):
            return ""
    if text[-1].lower() in form["bare_after"]:
        return text + apostrophe
    is_upper = text.isupper() and mention.text.isupper()
    suffix = form["suffix"].upper() if is_upper else form["suffix"]
    return text + (apostrophe if form["apostrophe"] else "") + suffix
