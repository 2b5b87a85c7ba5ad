"""Find the words of people's names in a text, and write false ones in their place."""

import re
from collections import defaultdict
from functools import cached_property, lru_cache
from typing import Dict, Iterator, List, Set

from spacy.tokens import Doc, Token

from ..clusters.chains import get_clusters
from ..grammar import features
from ..grammar.auto import find_rules
from ..grammar.features import PERSON_LABELS
from ..grammar.kinds import is_name
from ..grammar.lexicon import get_lexicon
from ..grammar.names import list_given_names, make_name_reader
from .false_names import FAMILY, FEMALE, LABELS, MALE, UNISEX, FalseNames, copy_case

# "J.", "J", "J.R.R."
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+|[^\W\d_]")
_NO_NAME = re.compile(r"[IVX]+|[JS]r\.?")
_GENDERS = {features.MALE: MALE, features.FEMALE: FEMALE}


@lru_cache(maxsize=None)
def _read_pronouns(lang: str) -> Dict[str, str]:
    """Map the pronouns that tell whether a person is a man or a woman."""
    found, told = {}, {"Masc": MALE, "Fem": FEMALE}
    for form, readings in get_lexicon(lang).readings.items():
        genders = {one for given in readings for one in given.get("Gender", "?")}
        if len(genders - {"Neut"}) == 1 and genders - {"Neut"} <= told.keys():
            found[form] = told[min(genders - {"Neut"})]
    return found


@lru_cache(maxsize=None)
def _list_forms(lang: str) -> Dict[str, Set[str]]:
    """Map the other forms of the given names of a language to the names."""
    found: Dict[str, Set[str]] = defaultdict(set)
    inflect = find_rules(lang).inflect_name
    for name in list_given_names(lang):
        for form in {*inflect(name, "")[1:]} - {name}:
            found[form].add(name)
    return found


class People:
    """Find the words of people's names, and what is known of them."""

    def __init__(self, doc: Doc, names: FalseNames, keep: Set[str]) -> None:
        self.doc, self.names, self.keep = doc, names, keep
        self.lexicon = get_lexicon(doc.lang_)
        self.read_title = self.lexicon.read_title
        self.read_gender = make_name_reader(doc.lang_)
        self.given_names = list_given_names(doc.lang_)
        self.in_text = {token.lower_ for token in doc if self.may_be_name(token)}
        self.marked: Set[int] = set()
        self.genders: Dict[str, Set[str]] = defaultdict(set)
        self.families: Dict[str, Set[str]] = defaultdict(set)
        self.known: Set[str] = set()
        self.given: Set[str] = set()
        self.family: Set[str] = set()
        self._mark_found()
        self._read_runs()
        self._mark_known()

    def may_be_name(self, token: Token) -> bool:
        """Check whether a word can be a part of a name, whatever the annotation."""
        form, lexicon = token.lower_, self.lexicon
        return (
            any(c.isalpha() for c in form)
            and not (token.like_email or token.like_url)
            and not _NO_NAME.fullmatch(token.text)
            and form not in self.keep
            and form not in lexicon.name_particles | lexicon.determiners
            and form not in lexicon.clitics | lexicon.pronouns | lexicon.coordinators
            and not self.read_title(form)
        )

    def find_lemma(self, word: str) -> str:
        """Find the form of a name that dictionaries have."""
        first = self.names.inflect(word, UNISEX)[0]
        if first != word:
            return first
        for lemma in sorted(self._lemmas.get(word, ())):
            if lemma in self.in_text or word not in self.given_names:
                return lemma
        return word

    @cached_property
    def _lemmas(self) -> Dict[str, Set[str]]:
        """Map other forms of names to the names: those of the text, and given names."""
        listed = _list_forms(self.lexicon.lang)
        found = {form: {*listed.get(form, ())} for form in self.in_text}
        for name in self.in_text:
            for form in {*self.names.inflect(name, UNISEX)[1:]} & self.in_text - {name}:
                found[form].add(name)
        return found

    def _mark_found(self) -> None:
        """Mark the names that entities, clusters, titles and lists tell."""
        doc, lower = self.doc, {token.text for token in self.doc if token.is_lower}
        for token in doc:
            is_person = token.ent_type_ in PERSON_LABELS
            if is_person and self.may_be_name(token):
                if not (token.is_lower and token.pos) or is_name(token):
                    self.marked.add(token.i)
            elif not token.ent_type and is_name(token) and self.may_be_name(token):
                after_title = token.i and self.read_title(doc[token.i - 1].lower_)
                is_common = token.is_sent_start is not False and token.lower_ in lower
                if after_title or (self.read_gender(token.lower_) and not is_common):
                    self.marked.add(token.i)
        for cluster in get_clusters(doc):
            all_heads = cluster.data.heads
            # A person whose name is that of a place: "Washington … he".
            types = [one for one in cluster.data.types if one]
            is_person = 2 * types.count("person") > len(types)
            if not (is_person or any(i in self.marked for h in all_heads for i in h)):
                continue
            labels = tuple(LABELS) if is_person else PERSON_LABELS
            for head in (doc[heads[0]] for heads in all_heads):
                is_other = head.ent_type and head.ent_type_ not in labels
                if is_name(head) and not is_other and self.may_be_name(head):
                    self.marked.add(head.i)
        # The words beside them: family names after given names, and before them.
        for step in (1, -1):
            for i in sorted(self.marked, reverse=step < 0):
                i += step
                while 0 <= i < len(doc) and self._continues(doc[i], doc[i - step]):
                    self.marked.add(i)
                    i += step

    def _continues(self, token: Token, beside: Token) -> bool:
        is_apart = min(token, beside, key=lambda t: t.i).whitespace_ != " "
        # An entity of another kind that has a person's name belongs to it as a whole.
        labels = (*PERSON_LABELS, beside.ent_type_)
        is_other = token.ent_type and token.ent_type_ not in labels
        is_written = token.text[:1].isupper() and is_name(token)
        is_beside = is_written and not (is_apart or is_other)
        return is_beside and self.may_be_name(token)

    def _read_runs(self) -> None:
        """Read given and family names, and the genders of people."""
        by_token: Dict[int, Set[str]] = {}
        pronouns = _read_pronouns(self.lexicon.lang)
        for cluster in get_clusters(self.doc):
            forms = (self.doc[a].lower_ for a, z in cluster.data.mentions if z - a == 1)
            genders = {pronouns[form] for form in forms if form in pronouns}
            for heads in cluster.data.heads:
                by_token.update((i, genders) for i in heads if len(heads) == 1)
        for run in self.find_runs():
            before = self.doc[run[0].i - 1].lower_ if run[0].i else ""
            words = [t.lower_ for t in run if not _INITIALS.fullmatch(t.text)]
            lemmas = [*map(self.find_lemma, words)]
            self.known.update(lemmas)
            is_full = len(run) > 1
            family = ""
            if lemmas and (is_full or before in self.lexicon.family_titles):
                family = lemmas.pop()
                self.family.add(family)
            title = self.read_title(before)
            told = {_GENDERS[title]} if title in _GENDERS else set()
            for lemma in lemmas:
                self.families[lemma].add(family)
                self.genders[lemma] |= told or by_token.get(run[-1].i, set())
                if is_full or lemma in self.given_names:
                    self.given.add(lemma)

    def _mark_known(self) -> None:
        """Mark all words that are written like names and are words of known ones."""
        doc = self.doc
        known = [
            token.i not in self.marked
            and self.may_be_name(token)
            and not _INITIALS.fullmatch(token.text)
            and self.find_lemma(token.lower_) in self.known
            for token in doc
        ]
        for token in doc:
            if not known[token.i]:
                continue
            beside = [i for i in (token.i - 1, token.i + 1) if 0 <= i < len(doc)]
            is_beside = any(known[i] for i in beside)
            is_beside |= not (token.is_lower or self.marked.isdisjoint(beside))
            if is_beside or (token.text[0].isupper() and is_name(token)):
                self.marked.add(token.i)
        # The initials before them: "A. Lee".
        for i in sorted(self.marked, reverse=True):
            while i and self._continues(doc[i - 1], doc[i]):
                i -= 1
                if not _INITIALS.fullmatch(doc[i].text):
                    break
                self.marked.add(i)

    def find_runs(self) -> Iterator[List[Token]]:
        """Yield the marked tokens of each name; particles and hyphens stay inside."""
        run: List[Token] = []
        for i in sorted(self.marked):
            token = self.doc[i]
            between = self.doc[run[-1].i + 1 : i] if run else ()
            joins = all(
                t.lower_ in self.lexicon.name_particles
                or (t.text == "-" and not t.whitespace_)
                for t in between
            )
            if run and not joins:
                yield run
                run = []
            run.append(token)
        if run:
            yield run

    def find_kind(self, lemma: str, *, is_last: bool) -> str:
        """Find the kind of false name for a word of a name."""
        is_family = lemma in self.family and (is_last or lemma not in self.given)
        if is_family or not (lemma in self.given or self.read_gender(lemma)):
            return FAMILY
        genders = self.genders[lemma] or {_GENDERS.get(self.read_gender(lemma), "")}
        return (len(genders) == 1 and next(iter(genders))) or UNISEX

    def write(self, run: List[Token]) -> str:
        """Write the false name of a run of tokens."""
        first, last, inside = run[0].i, run[-1].i, {token.i for token in run}
        parts = []
        for token in self.doc[first : last + 1]:
            word = token.text
            if token.i in inside:
                word = self._write_word(token, run, is_last=first < token.i == last)
            parts += [word, token.whitespace_]
        return "".join(parts[:-1])

    def _write_word(self, token: Token, run: List[Token], *, is_last: bool) -> str:
        if _INITIALS.fullmatch(token.text):
            return re.sub(
                r"[^\W\d_]", lambda m: self._write_initial(m[0], run), token.text
            )
        lemma = self.find_lemma(token.lower_)
        kind = self.find_kind(lemma, is_last=is_last)
        return self.names.decline(token.text, lemma, kind)

    def _write_initial(self, letter: str, run: List[Token]) -> str:
        """Write the initial of the given name that an initial stands for."""
        family = {self.find_lemma(run[-1].lower_)}
        names = sorted(n for n in self.given if n[0] == letter.lower())
        # Rather the given name of somebody with this family name.
        names.sort(key=lambda name: family.isdisjoint(self.families[name]))
        if not names:
            return copy_case(letter, self.names.choose_letter(letter.lower()))
        kind = self.find_kind(names[0], is_last=False)
        return copy_case(letter, self.names.choose(names[0], kind)[0])
