"""Find the clause beside a quotation that says who speaks: '"…," said Ann to Tom'."""

from functools import lru_cache
from typing import Dict, FrozenSet, List, NamedTuple, Optional, Tuple

import numpy as np
from spacy.tokens import Doc

from ..grammar.annotation import Annotation
from ..grammar.lexicon import Lexicon, get_lexicon
from ..grammar.word_index import has_capital, is_sign
from ..types import Offsets
from .marks import Quotation, find_quotations, split_paragraphs

_STOPS = frozenset(". ! ? ; … ...".split())
# Signs between a quotation and the clause that says who speaks.
_LINKS = frozenset(", – — ― - --".split())
_INTRODUCING = _LINKS | {":"}
# The most words of a noun phrase without a parse, and of a clause beside a quotation.
_MAX_PHRASE, _MAX_CLAUSE = 6, 40


class Cue(NamedTuple):
    """Hold what the clause beside a quotation says, up to the word `end`; verb -1 is no
    verb."""

    speaker: Optional[Offsets]
    addressee: Optional[Offsets]
    verb: int
    end: int


@lru_cache(maxsize=None)
def list_subjects(lexicon: Lexicon, cases: Tuple[str, ...]) -> FrozenSet[str]:
    """List the personal pronouns that can have one of some cases."""

    def is_one(given: Dict[str, FrozenSet[str]]) -> bool:
        is_personal = "Person" in given and given.keys().isdisjoint(("Poss", "Reflex"))
        is_personal &= given.get("PronType", {"Prs"}) == {"Prs"}
        return is_personal and not given.get("Case", {*cases}).isdisjoint(cases)

    return lexicon.find_pronouns(is_one)


class Scene:
    """Hold the words of a document, without spaces, each with its token, its paragraph
    and whether it is quoted, and the quotations, by numbers of words."""

    def __init__(self, doc: Doc) -> None:
        self.doc, self.lexicon = doc, get_lexicon(doc.lang_)
        self.tokens = [token.i for token in doc if not token.is_space]
        self.words = [doc[i].text for i in self.tokens]
        self.lows = [word.lower() for word in self.words]
        self._begins = np.array([doc[i].idx for i in self.tokens], dtype=np.int64)
        sizes = np.array([len(word) for word in self.words], dtype=np.int64)
        self._ends = self._begins + sizes
        starts = [start for start, _ in split_paragraphs(doc.text)]
        self.paragraphs = np.searchsorted(starts, self._begins, side="right").tolist()
        found = [self._number(one) for one in find_quotations(doc.text, self.lexicon)]
        self.quotations = [one for one in found if one.start < one.end]
        # Between the quotations of a paragraph is what is narrated.
        self.quoted = np.zeros(len(self.words) + 1, dtype=bool)
        for one in self.quotations:
            self.quoted[one.outer[0] : one.outer[1]] = True
        annotation = Annotation(doc) if doc.has_annotation("DEP") else None
        self._subjects = None if annotation is None else annotation.subject

    def _number(self, one: Quotation) -> Quotation:
        """Number the words of a quotation; those that a mark cuts belong to it."""

        def number(start: int, end: int) -> Offsets:
            first = np.searchsorted(self._ends, start, side="right")
            return int(first), int(np.searchsorted(self._begins, end))

        start, end = number(one.start, one.end)
        label = one.label and number(*one.label)
        return one._replace(start=start, end=end, outer=number(*one.outer), label=label)

    def to_offsets(self, start: int, end: int) -> Offsets:
        """Convert word numbers to the offsets of tokens."""
        return self.tokens[start], self.tokens[end - 1] + 1

    def is_joined(self, one: int, other: int) -> bool:
        """Check whether two words are in the same paragraph, and both exist."""
        is_there = min(one, other) >= 0 and max(one, other) < len(self.words)
        return is_there and self.paragraphs[one] == self.paragraphs[other]

    def is_quoted(self, offsets: Offsets) -> bool:
        """Check whether a phrase is in a quotation."""
        return bool(self.quoted[np.searchsorted(self.tokens, offsets[0])])

    # Phrases

    def find_phrase(self, k: int, end: int) -> int:
        """Find the end of the noun phrase that begins at a word; 0 for none."""
        if k >= end or is_sign(self.words[k]):
            return 0
        low, lexicon = self.lows[k], self.lexicon
        if low in list_subjects(lexicon, ("Nom",)):
            return k + 1
        if low in lexicon.determiners or low in lexicon.possessives:
            return self._find_nouns(k + 1, end)
        return self._find_name(k, end)

    def _find_nouns(self, k: int, end: int) -> int:
        """Find the end of the nouns that begin at a word; 0 for none."""
        lexicon, first = self.lexicon, k
        closed = lexicon.cutters | lexicon.coordinators | lexicon.relatives
        closed |= lexicon.pronouns | lexicon.auxiliaries | lexicon.copulas
        closed |= lexicon.reporting_verbs | lexicon.negations
        while k < min(end, first + _MAX_PHRASE) and not is_sign(self.words[k]):
            if self.lows[k] in closed - lexicon.objects:
                break
            k += 1
        return k if k > first else 0

    def _find_name(self, k: int, end: int) -> int:
        first = k
        while k < min(end, first + _MAX_PHRASE) and self._is_name(k, first):
            k += 1
        while k > first and self.lows[k - 1] in self.lexicon.name_particles:
            k -= 1
        if k > first and k < end and self.lows[k] in self.lexicon.clitics:
            # "Emily's husband"
            return self._find_nouns(k + 1, end)
        return k if k > first else 0

    def _is_name(self, k: int, first: int) -> bool:
        word, low = self.words[k], self.lows[k]
        if k > first and low in self.lexicon.name_particles:
            return True
        if not has_capital(word) or low in self.lexicon.reporting_verbs:
            return False
        return not (self.doc[self.tokens[k]].is_stop or low in self.lexicon.pronouns)

    # Clauses beside a quotation

    def find_cues(self) -> List[Optional[Cue]]:
        """Find the clause of each quotation, on both sides of it if it interrupts."""
        cues: List[Optional[Cue]] = []
        for i, one in enumerate(self.quotations):
            cue = None
            if not one.label:
                cue = self._find_after(one) or self._find_before(one)
            last = cues[-1] if cues else None
            before = self.quotations[i - 1]
            if last and before.paragraph == one.paragraph and before.depth == one.depth:
                gap = range(before.outer[1], one.outer[0])
                # One sentence with the verb is all that is between them.
                is_between = last.verb in gap and one.outer[0] - last.end <= 1
                cue = last if is_between else cue
            cues.append(cue)
        return cues

    def is_speech(self, one: Quotation) -> bool:
        """Check that a quotation is none of a word: 'his "friend" came'."""
        k = one.outer[0] - 1
        if not self.is_joined(k, one.start) or self.words[k] == ":":
            return True
        saying = self.lexicon.reporting_verbs | self.lexicon.coordinators
        is_said = self.lows[k] in saying or is_sign(self.words[k])
        return is_said or self.words[one.end - 1] in _STOPS

    def _find_clause(self, k: int) -> int:
        """Find the end of the clause that begins at a word."""
        for end in range(k, min(k + _MAX_CLAUSE, len(self.words))):
            if self.quoted[end] or self.words[end] in _STOPS | {":"}:
                return end
            if end > k and not self.is_joined(end - 1, end):
                return end
        return min(k + _MAX_CLAUSE, len(self.words))

    def _find_after(self, one: Quotation) -> Optional[Cue]:
        k, last = one.outer[1], self.words[one.end - 1]
        if not one.is_closed or not self.is_joined(one.end - 1, k):
            return None
        is_joined = last[-1] in ",—–-"
        while k < len(self.words) and self.words[k] in _LINKS:
            is_joined, k = True, k + 1
        if k >= len(self.words) or self.quoted[k]:
            return None
        is_joined |= self.words[k].islower()
        lexicon, end = self.lexicon, self._find_clause(k)
        if is_joined and self.lows[k] in lexicon.coordinators:
            k += 1
        verbs = lexicon.reporting_verbs
        stop = self.find_phrase(k, end)
        if stop:
            verb = self._find_verb(stop, min(stop + 4, end))
            if verb < 0 and not is_joined:
                return None
            verb = verb if verb >= 0 else min(stop, end - 1)
            return self._make_cue((k, stop), verb, end)
        verb = self._find_verb(k, min(k + 3, end))
        is_other = lexicon.cutters | lexicon.relatives | lexicon.coordinators
        if verb < 0 and is_joined and k < end and self.lows[k] not in is_other:
            verb = k
        if verb < 0 or (not is_joined and self.lows[verb] not in verbs):
            return None
        for j in range(verb + 1, min(verb + 4, end)):
            stop = self.find_phrase(j, end)
            if stop:
                return self._make_cue((j, stop), verb, end)
        # A dropped subject is its verb.
        phrase = (verb, verb + 1) if lexicon.drops_subjects else None
        is_cue = lexicon.drops_subjects or self.lows[verb] in verbs
        return self._make_cue(phrase, verb, end) if is_cue else None

    def _find_verb(self, start: int, end: int) -> int:
        """Find the first reporting verb before the next sign; -1 for none."""
        for k in range(start, end):
            if self.lows[k] in self.lexicon.reporting_verbs:
                return k
            if is_sign(self.words[k]):
                return -1
        return -1

    def _find_before(self, one: Quotation) -> Optional[Cue]:
        end, verbs = one.outer[0] - 1, self.lexicon.reporting_verbs
        if end < 0 or self.quoted[end] != (one.depth > 0):
            return None
        has_colon = self.words[end] == ":"
        if not has_colon and not self.is_joined(end, one.start):
            return None
        if self.words[end] not in _INTRODUCING and self.lows[end] not in verbs:
            return None
        start = end
        while start and self.is_joined(start - 1, start):
            is_other = self.quoted[start - 1] != (one.depth > 0)
            if is_other or self.words[start - 1] in _STOPS:
                break
            start -= 1
        found = [k for k in range(start, end + 1) if self.lows[k] in verbs]
        phrases = self.list_phrases(start, end)
        if not found:
            is_told = has_colon and phrases
            return self._make_cue(phrases[0], phrases[0][1], end) if is_told else None
        verb = found[-1]
        return self._make_cue(self._find_subject(phrases, verb), verb, end)

    def list_phrases(self, start: int, end: int) -> List[Offsets]:
        """List noun phrases that don't follow a preposition."""
        found, k = [], start
        while k < end:
            stop = self.find_phrase(k, end)
            if stop and not (k > start and self.lows[k - 1] in self.lexicon.cutters):
                found.append((k, stop))
            k = stop or k + 1
        return found

    def _find_subject(self, phrases: List[Offsets], verb: int) -> Optional[Offsets]:
        """Find a verb's subject, by the parse or as the first phrase before it."""
        subject = -1 if self._subjects is None else self._subjects[self.tokens[verb]]
        own = [one for one in phrases if subject in range(*self.to_offsets(*one))]
        before = [phrase for phrase in phrases if phrase[1] <= verb]
        after = [phrase for phrase in phrases if phrase[0] == verb + 1]
        return next(iter([*own, *before, *after]), None)

    def _make_cue(self, speaker: Optional[Offsets], verb: int, end: int) -> Cue:
        told = None
        k = max(verb + 1, speaker[1] if speaker else 0)
        objects = list_subjects(self.lexicon, ("Acc", "Dat"))
        if k < end and self.lows[k] in self.lexicon.addressing:
            k += 1
        elif speaker and speaker[0] > verb:
            # "said Ann", but not "said Ann him".
            k = end
        if k < end:
            is_object = self.lows[k] in objects
            stop = k + 1 if is_object else self.find_phrase(k, end)
            told = (k, stop) if stop and (k, stop) != speaker else None
        return Cue(speaker, told, verb, end)
