"""Replace the names of people, firms and places by false ones, and back."""

import importlib
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Set

import spacy
from spacy.matcher import PhraseMatcher
from spacy.tokens import Doc, Span, Token
from spacy.util import filter_spans

from ..about import DEFAULT_LANG
from ..errors import check_known, check_setting
from ..grammar.kinds import is_name
from ..resolution.forms import starts_sentence
from ..resolution.resolve import Edit, ResolvedText, write_edits
from .false_names import FIRM, LABELS, PERSON, PLACE, FalseNames
from .people import People

MAIL, PHONE = "mail", "phone"
KINDS = (PERSON, FIRM, PLACE, MAIL, PHONE)
_PATTERNS = {
    MAIL: re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    PHONE: re.compile(r"(?<![\w.])\+?\(?\d[\d ()/.-]{5,}\d(?!\w)"),
}
# Shorter names are in words that have nothing to do with them.
_MIN_LETTERS = 3


class Uncovered(NamedTuple):
    """Hold a part of a text that was left as it is, and may tell who somebody is.

    text (str): The part.
    start, end (int): Its characters in the source.
    reason (str): What it may be, and why it was left.
    """

    text: str
    start: int
    end: int
    reason: str


@dataclass
class Pseudonyms(ResolvedText):
    """Hold a text with false names; it is no anonymous text.

    key (Dict[str, str]): The true name of each false one, for `restore`.
    uncovered (List[Uncovered]): What was found and left.
    """

    key: Dict[str, str] = field(default_factory=dict)
    uncovered: List[Uncovered] = field(default_factory=list)


def pseudonymize(
    doc: Doc,
    *,
    locale: Optional[str] = None,
    seed: int = 0,
    kinds: Iterable[str] = (PERSON,),
    keep: Iterable[str] = (),
    key: Optional[Dict[str, str]] = None,
) -> Pseudonyms:
    """Replace names in a Doc by false ones, the same one wherever a name occurs.

    People are found by entities, clusters, titles and lists of given names; each word
    of a name that was found is replaced wherever it is written like a name. A false
    given name has the gender that pronouns, title or the true one tell, so that the
    text around it stays as it is; without any, it is a name of both genders. False
    names decline as the true ones do, and have no word that occurs in the text.

    doc (Doc): The document; with entities and clusters, more is found.
    locale (Optional[str]): A locale of Faker, such as "de_AT"; None for that of the
        language. Without Faker, the names of people are from the lists of languages.
    seed (int): The seed; the same one gives the same names.
    kinds (Iterable[str]): What to replace: "person", "firm", "place", "mail", "phone".
        Firms and places need Faker.
    keep (Iterable[str]): Words of names that stay.
    key (Optional[Dict[str, str]]): The key of another text, whose false names are used
        again. It is not changed.
    RETURNS (Pseudonyms): The text, the key to restore the names, which is stored
        nowhere else, and what was not covered.
    RAISES (ValueError): There is no such kind or locale, or no more names.
    """
    kinds = [*kinds]
    for kind in kinds:
        check_known("kind of names", kind, KINDS)
    words = (token.text.strip(".'’") for token in doc)
    names = FalseNames(doc.lang_, locale, seed, words, key or {})
    people = People(doc, names, {word.casefold() for word in keep})
    edits = _find_edits(doc, people, names, kinds)
    found = write_edits(doc.text, edits, 0, len(doc.text))
    new_key: Dict[str, str] = dict(key or {})
    uncovered = []
    for edit in edits:
        true = doc.text[edit.start : edit.end]
        if new_key.setdefault(edit.text, true) != true:
            reason = f"restored as {new_key[edit.text]!r}: both have one false name"
            uncovered.append(Uncovered(true, edit.start, edit.end, reason))
    uncovered += _find_uncovered(doc, people, edits)
    uncovered.sort(key=lambda one: one.start)
    return Pseudonyms(
        found.text, found.source, found.replacements, key=new_key, uncovered=uncovered
    )


def restore(text: str, key: Dict[str, str]) -> str:
    """Put the true names back into a text.

    text (str): A text with false names, such as an answer to a pseudonymous text.
    key (Dict[str, str]): The key.
    RETURNS (str): The text with true names.
    """
    if not key:
        return text
    # Longer names first: "Mary Fox" before "Mary".
    false = "|".join(map(re.escape, sorted(key, key=len, reverse=True)))
    return re.sub(rf"(?<!\w)(?:{false})(?!\w)", lambda match: key[match[0]], text)


def _find_edits(
    doc: Doc, people: People, names: FalseNames, kinds: List[str]
) -> List[Edit]:
    """Find the edits, from left to right; none overlap."""
    edits: List[Edit] = []
    taken: Set[int] = set()

    def add(start: int, end: int, false: str) -> None:
        # What comes first wins: an address with a name in it is replaced as a whole.
        if taken.isdisjoint(range(start, end)):
            edits.append(Edit(start, end, false))
            taken.update(range(start, end))

    for kind, pattern in _PATTERNS.items():
        if kind in kinds:
            for match in pattern.finditer(doc.text):
                false = names.choose_sign(match[0], is_mail=kind == MAIL)
                add(*match.span(), false)
    if PERSON in kinds:
        for run in people.find_runs():
            end = run[-1].idx + len(run[-1])
            add(run[0].idx, end, people.write(run))
    for kind in (FIRM, PLACE):
        if kind in kinds:
            spans = _find_entities(doc, kind, people.keep)
            forms = sorted({span.text.lower() for span in spans}, key=len)
            for span in spans:
                # "Acme" is the first word of what "Acme Corp" becomes.
                form = span.text.lower()
                whole = [one for one in forms if f"{one} ".startswith(f"{form} ")][-1]
                false = names.choose(whole, kind)
                false = false if whole == form else false.split()[0].rstrip(",")
                add(span.start_char, span.end_char, false)
    return sorted(edits)


def _find_entities(doc: Doc, kind: str, keep: Set[str]) -> List[Span]:
    """Find entities of a kind, and the same words where they are no entity."""
    spans = []
    for ent in doc.ents:
        start = ent.start
        while start < ent.end and doc[start].is_lower:
            start += 1
        span = doc[start : ent.end]
        if LABELS.get(ent.label_) == kind and span and span.text.casefold() not in keep:
            spans.append(span)
    if spans:
        matcher = PhraseMatcher(doc.vocab)
        matcher.add(kind, [span.as_doc() for span in spans])
        spans += matcher(doc, as_spans=True)
    return filter_spans(spans)


def _find_uncovered(doc: Doc, people: People, edits: List[Edit]) -> List[Uncovered]:
    """Find what is left and may be a name, in runs of tokens with one reason."""
    text, until = doc.text, 0
    covered = {i for edit in edits for i in range(edit.start, edit.end)}
    signs = {
        match.start(): (match.end(), f"may be a {kind}")
        for kind, pattern in _PATTERNS.items()
        for match in pattern.finditer(text)
    }
    found: List[Uncovered] = []
    for token in doc:
        start = token.idx
        if start in covered or start < until or token.is_space:
            continue
        until, reason = signs.get(start, (start + len(token), ""))
        reason = reason or _find_reason(token, people)
        last = found[-1] if found else None
        if last and last.reason == reason and not text[last.end : start].strip():
            start = found.pop().start
        found.append(Uncovered(text[start:until], start, until, reason))
    return [one for one in found if one.reason]


def _find_reason(token: Token, people: People) -> str:
    """Say what a token may be; "" for a word that tells nothing."""
    form = token.lower_
    if form in people.keep:
        return "to be kept"
    if people.find_lemma(form) in people.known:
        return "a word of a name that was found, but not written like one"
    if any(name in form for name in people.known if len(name) > _MIN_LETTERS):
        return "has a name in it"
    if token.like_url:
        return "an address"
    is_capital = token.text[:1].isupper() and not people.read_title(form)
    if token.ent_type_ in LABELS and is_capital:
        return f"{LABELS[token.ent_type_]} ({token.ent_type_}), left"
    is_written = is_name(token) and people.may_be_name(token)
    if is_written and (token.ent_type or token.pos or not starts_sentence(token)):
        return "written like a name"
    return ""


_make_nlp = lru_cache(maxsize=None)(spacy.blank)
# Presidio's entity types, each with our kind and the label of an entity of spaCy.
_KINDS = {
    "ORGANIZATION": (FIRM, "ORG"),
    "LOCATION": (PLACE, "GPE"),
    "EMAIL_ADDRESS": (MAIL, ""),
    "PHONE_NUMBER": (PHONE, ""),
}


class PseudonymOperator:
    """Replace what Presidio has found by false names, with Presidio's interface.

    Its parameters are "key", a dictionary that is read and extended, such as the key of
    `pseudonymize`; and "lang" (default: DEFAULT_LANG), "locale" and "seed".
    """

    def operate(self, text: str, params: Optional[Dict[str, Any]] = None) -> str:
        """Replace a name, an address or a number.

        text (str): What Presidio has found.
        params (Optional[Dict[str, Any]]): The parameters, with the "entity_type".
        RETURNS (str): What the key has for it, or something new.
        """
        self.validate(params)
        given = dict(params or {})
        kind, label = _KINDS.get(given.get("entity_type", ""), (PERSON, "PERSON"))
        doc = _make_nlp(given.get("lang", DEFAULT_LANG)).make_doc(text)
        if label:
            doc.ents = [Span(doc, 0, len(doc), label=label)]
        settings = {name: given[name] for name in ("locale", "seed") if name in given}
        found = pseudonymize(doc, kinds=[kind], key=given["key"], **settings)
        given["key"].update(found.key)
        return found.text

    def validate(self, params: Optional[Dict[str, Any]] = None) -> None:
        """Check the parameters."""
        key = (params or {}).get("key")
        expected = "a dictionary, which the operator fills"
        check_setting("key", key, isinstance(key, dict), expected)

    def operator_name(self) -> str:
        """Get the name by which an engine finds the operator."""
        return "pseudonym"

    def operator_type(self) -> Any:
        """Get Presidio's type of operators that replace."""
        operators = importlib.import_module("presidio_anonymizer.operators")
        return operators.OperatorType.Anonymize
