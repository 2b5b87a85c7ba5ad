"""Resolve a text: replace mentions by main mentions, and map offsets back."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import (
    Any,
    Dict,
    FrozenSet,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Set,
    Tuple,
    Union,
)

from catalogue import RegistryError
from spacy.symbols import ADJ, DET, NOUN, NUM
from spacy.tokens import Doc, Span, Token

from ..clusters.chains import get_clusters
from ..clusters.index import find_characters, get_heads, get_kind
from ..errors import Errors, check_known
from ..grammar.kinds import Kind, is_name, is_pronoun
from ..grammar.lexicon import get_lexicon
from ..registry import registry
from .forms import fit_place, is_possessive, starts_sentence
from .policies import Policy

DEFAULT_POLICY = "spacy_fastcoref.readable.v1"
# The maximum number of mentions that are replaced inside one replacement. Without a
# limit, clusters that contain each other make texts of exponential length.
MAX_NESTED = 8
_CLAUSE_STARTS = frozenset((",", "(", "[", "–", "—", ";", ":"))
_LOWER_POS = frozenset((ADJ, NUM, DET))


class Replacement(NamedTuple):
    """Hold the character offsets of one replacement.

    start, end (int): Those in the resolved text, the end exclusive.
    source_start, source_end (int): Those of the mention in the original text.
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
    start (int): The character of the original text with which this text begins: 0, but
        for a chunk.
    """

    text: str
    source: str
    replacements: List[Replacement] = field(default_factory=list)
    start: int = 0

    def __str__(self) -> str:
        return self.text

    def to_source(self, start: int, end: int) -> Tuple[int, int]:
        """Map character offsets in the resolved text to the original text.

        start (int): The first character in the resolved text.
        end (int): The character after the last.
        RETURNS (Tuple[int, int]): The offsets in the original text. A start inside a
            replacement is mapped to the start of the mention that was replaced, and an
            end inside a replacement to its end.
        RAISES (ValueError): The offsets are outside the text.
        """
        if not 0 <= start <= end <= len(self.text):
            length, unit = len(self.text), "characters"
            raise ValueError(
                Errors.FC209.format(start=start, end=end, length=length, unit=unit)
            )
        first = self._find(start, is_end=False)
        return first, max(first, self._find(end, is_end=True))

    def _find(self, offset: int, *, is_end: bool) -> int:
        bisect = bisect_left if is_end else bisect_right
        i = bisect(self.replacements, offset, key=lambda change: change.start) - 1
        if i < 0:
            return self.start + offset
        change = self.replacements[i]
        if offset < change.end + is_end:
            return change.source_end if is_end else change.source_start
        return offset - change.end + change.source_end


def resolve_text(
    doc: Doc, policy: Union[str, Policy] = DEFAULT_POLICY, **settings: Any
) -> str:
    """Get a Doc's text with mentions replaced by the main mentions of their clusters.

    doc (Doc): The document.
    policy (Union[str, Policy]): The registered name of a policy, or a policy.
    **settings (Any): Settings of a registered policy, such as `min_probability`.
    RETURNS (str): The resolved text.
    RAISES (ValueError): There is no policy of this name, or the policy returned
        anything other than a Span, text or None.
    """
    return resolve(doc, policy, **settings).text


def resolve(
    doc: Doc, policy: Union[str, Policy] = DEFAULT_POLICY, **settings: Any
) -> ResolvedText:
    """Resolve a Doc's text and record the offsets of the replacements.

    If mentions are nested, the outermost mention with a replacement is replaced.
    Mentions inside a replacement are replaced, too ("her dog" becomes "Ann's dog"), but
    not those of a cluster that is being written, and at most 8 in all. So the length of
    the text and the running time are linear in the number of mentions.

    doc (Doc): The document.
    policy (Union[str, Policy]): The registered name of a policy, or a policy.
    **settings (Any): Settings of a registered policy, such as `min_probability`.
    RETURNS (ResolvedText): The resolved text, with its replacements.
    RAISES (ValueError): There is no policy of this name, or the policy returned
        anything other than a Span, text or None.
    """
    resolver = Resolver(doc, get_policy(policy, **settings))
    edits = resolver.find_edits(0, len(doc))
    return write_edits(resolver.text, edits, 0, len(resolver.text))


def get_policy(policy: Union[str, Policy], **settings: Any) -> Policy:
    """Get a policy by its registered name."""
    if not isinstance(policy, str):
        return policy
    try:
        # Each look goes through the entry points of all packages.
        return registry.coref_policies.get(policy)(**settings)
    except RegistryError:
        names = sorted(registry.coref_policies.get_all())
        check_known("policy for resolved text,", policy, names)
        raise


class Edit(NamedTuple):
    """Hold a replacement, the characters it replaces, and the token it begins with."""

    start: int
    end: int
    text: str
    first: Optional[Token] = None


def write_edits(
    source: str, edits: Iterable[Edit], start: int, end: int
) -> ResolvedText:
    """Write a text with edits, and note where they are."""
    parts: List[str] = []
    replacements: List[Replacement] = []
    copied, length = start, 0
    for edit in edits:
        parts += [source[copied : edit.start], edit.text]
        begin = length + edit.start - copied
        length, copied = begin + len(edit.text), edit.end
        replacements.append(Replacement(begin, length, edit.start, edit.end))
    parts.append(source[copied:end])
    return ResolvedText("".join(parts), source, replacements, start)


class Resolver:
    """Find the edits that resolve one Doc under one policy."""

    def __init__(self, doc: Doc, policy: Policy) -> None:
        self.doc, self.policy = doc, policy
        # Doc.text joins all tokens at each access.
        self.text = doc.text
        self.lexicon = get_lexicon(doc.lang_)
        self.apostrophe = "’" if "’" in self.text else "'"
        mentions = [(c, mention) for c in get_clusters(doc) for mention in c]
        # If two mentions start at the same token, the outer one comes first.
        mentions.sort(key=lambda one: (one[1].start, -one[1].end))
        self.starts = [mention.start for _, mention in mentions]
        self.mentions = mentions
        # What the policy returned for each mention, by its index.
        self.chosen: Dict[int, Union[Span, str, None]] = {}

    def find_edits(
        self,
        start: int,
        end: int,
        active: FrozenSet[int] = frozenset(),
        budget: Optional[Iterator[int]] = None,
    ) -> Iterator[Edit]:
        """Yield the edits between two tokens, for the outermost mentions that change.

        active (FrozenSet[int]): The clusters that are being written: for "her husband"
            and "his wife", replacing their mentions again would not end.
        budget (Optional[Iterator[int]]): One for each mention that may still be
            replaced in the replacement around these tokens; None outside of one.
        """
        replaced_end = start
        # The ends and the clusters of the unchanged mentions around the present one.
        outer: List[Tuple[int, int]] = []
        first = bisect_left(self.starts, start)
        for i in range(first, bisect_left(self.starts, end, first)):
            cluster, mention = self.mentions[i]
            outer = [one for one in outer if one[0] > mention.start]
            if mention.start < replaced_end or mention.end > end:
                continue
            # A mention inside a mention of its own cluster is not replaced: "her" in
            # "Ann, who loves her cat".
            around = {*active, *(j for _, j in outer)}
            edit = None if cluster.i in around else self._replace(i, around, budget)
            if edit is None:
                outer.append((mention.end, cluster.i))
                continue
            yield edit
            replaced_end = mention.end

    def _replace(
        self, i: int, around: Set[int], budget: Optional[Iterator[int]]
    ) -> Optional[Edit]:
        cluster, mention = self.mentions[i]
        by = self._apply_policy(i)
        if not by or (isinstance(by, Span) and _is_unsuitable(by, mention)):
            return None
        needs_possessive = is_possessive(mention)
        if needs_possessive is None:
            return None
        if budget is None:
            budget = iter(range(MAX_NESTED))
        elif next(budget, None) is None:
            return None
        text, first = by, None
        if isinstance(by, Span):
            words = fit_place(by, mention)
            if words is None:
                return None
            active = frozenset((*around, cluster.i))
            text, first = self._write(by, words, active, budget)
        if needs_possessive:
            text = self._add_possessive(by, mention, text)
        start, end = find_characters(self.doc, mention.start, mention.end)
        if not text or text.casefold() == self.text[start:end].casefold():
            return None
        return Edit(start, end, self._capitalise(text, first, mention[0]), first)

    def _apply_policy(self, i: int) -> Union[Span, str, None]:
        """Get the policy's replacement of a mention, calling the policy only once."""
        if i not in self.chosen:
            by = self.policy(*self.mentions[i])
            if isinstance(by, Span) and len(by):
                by = by if by.doc is self.doc else by.text
            elif by is not None and not isinstance(by, str):
                kind, mention = type(by).__name__, self.mentions[i][1].text
                message = Errors.FC109.format(value=by, kind=kind, mention=mention)
                raise ValueError(message)
            self.chosen[i] = by
        return self.chosen[i]

    def _write(
        self,
        span: Span,
        words: Dict[int, str],
        active: FrozenSet[int],
        budget: Iterator[int],
    ) -> Tuple[str, Optional[Token]]:
        """Get the text of a span in one line, with the mentions inside it replaced."""
        end = find_core_end(span)
        edits = [*self.find_edits(span.start, end, active, budget)]
        taken = {edit.start for edit in edits}
        for i, text in words.items():
            token = self.doc[i]
            if i < end and token.idx not in taken:
                edits.append(Edit(token.idx, token.idx + len(token.text_with_ws), text))
        edits.sort(key=lambda edit: edit.start)
        is_new = bool(edits) and edits[0].start == span.start_char
        characters = find_characters(self.doc, span.start, end)
        text = write_edits(self.text, edits, *characters).text
        return " ".join(text.split()), edits[0].first if is_new else span[0]

    def _add_possessive(self, by: Union[Span, str], mention: Span, text: str) -> str:
        form = self.lexicon.possessive
        if form is None:
            return ""
        heads = get_heads(by.doc, by.start, by.end) if isinstance(by, Span) else []
        if form.get("names_only") and not all(is_name(by.doc[i]) for i in heads[-1:]):
            return ""
        if text[-1].lower() in form["bare_after"]:
            return text + self.apostrophe
        is_upper = text.isupper() and mention.text.isupper()
        suffix = form["suffix"].upper() if is_upper else form["suffix"]
        return text + self.apostrophe * bool(form["apostrophe"]) + suffix

    def _capitalise(self, text: str, first: Optional[Token], replaced: Token) -> str:
        """Write the first letter of a replacement as a capital at the start of a
        sentence, and elsewhere as its first token has it elsewhere, if it has one."""
        if starts_sentence(replaced):
            return text[0].upper() + text[1:]
        if first is None:
            return text
        letter = first.text[0]
        if starts_sentence(first) and self._is_lower(first):
            letter = letter.lower()
        return letter + text[1:]

    def _is_lower(self, token: Token) -> bool:
        """Guess whether a token that starts a sentence is in lower case elsewhere."""
        if not token.text.istitle() or token.lower_ in self.lexicon.capitalised:
            return False
        if token.lower_ in self.lexicon.determiners or is_pronoun(token):
            return True
        is_noun = token.pos == NOUN and not self.lexicon.capitalises_nouns
        if not is_noun and token.pos not in _LOWER_POS:
            return False
        # An adjective can be capitalised anywhere: "American soldiers".
        return not token.ent_type and token.orth not in self._capitalised_inside

    @cached_property
    def _capitalised_inside(self) -> FrozenSet[int]:
        """The words that are capitalised somewhere inside a sentence."""
        titles = (token for token in self.doc if token.text.istitle())
        return frozenset(token.orth for token in titles if not starts_sentence(token))


def _is_unsuitable(by: Span, mention: Span) -> bool:
    """Check whether a Span overlaps, is a pronoun or refers to nobody."""
    quantifiers = get_lexicon(by.doc.lang_).quantifiers
    return (
        (by.start < mention.end and mention.start < by.end)
        or by[0].lower_ in quantifiers
        or get_kind(by.doc, by.start, by.end) == Kind.PRONOUN
    )


def find_core_end(span: Span) -> int:
    """Find the end of a mention without its possessive ending ("Ann's") and without a
    relative clause or apposition ("Ann, who sings")."""
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
