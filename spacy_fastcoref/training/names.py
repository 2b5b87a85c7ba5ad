"""Find names of people in unlabelled text, assuming that one name is one person."""

from collections import defaultdict
from typing import Dict, Iterator, List, Set, Tuple

from spacy.attrs import IS_STOP
from spacy.tokens import Doc

from ..grammar.lexicon import get_lexicon
from ..grammar.word_index import list_words
from ..types import Offsets
from .word_lists import read_given_names, read_titles

# The label of people in OntoNotes, WikiNER and NKJP.
_PERSON = frozenset(("PERSON", "PER", "persName"))
_MAX_WORDS = 5


def find_person_names(doc: Doc) -> List[List[Offsets]]:
    """Find the names of people in a text, with all occurrences of each name.

    Names that share a word ("Tom" and "Tom Baker", "Mr Bennet" and "Mrs Bennet") can
    belong to one person or to two, so only the most frequent of them is returned.

    The names are the entities of people; in a Doc without entities, they are found by
    word lists, see find_listed_names.
    """
    words = [word.lower() for word in list_words(doc)]
    titles = read_titles(doc.lang_)
    has_entities = doc.has_annotation("ENT_IOB")
    spans = _find_entities(doc) if has_entities else find_listed_names(doc)
    found: Dict[Tuple[str, ...], List[Offsets]] = defaultdict(list)
    for start, end in sorted(spans):
        found[tuple(words[start:end])].append((start, end))
    taken: Set[str] = set()
    names = []
    for name in sorted(found, key=lambda name: (-len(found[name]), found[name])):
        parts = {word for word in name if word.isalpha() and word not in titles}
        if parts and not parts & taken:
            taken |= parts
            names.append(found[name])
    return sorted(names)


def _find_entities(doc: Doc) -> Iterator[Offsets]:
    titles, clitics = read_titles(doc.lang_), get_lexicon(doc.lang_).clitics
    for span in doc.ents:
        if span.label_ not in _PERSON or len(span) > _MAX_WORDS:
            continue
        start, end = span.start, span.end
        if doc[end - 1].lower_ in clitics:
            end -= 1
        while (
            start
            and doc[start - 1].lower_ in titles
            and doc[start - 1].text[0].isupper()
        ):
            start -= 1
        if start < end:
            yield start, end


def find_listed_names(doc: Doc) -> List[Offsets]:
    """Find names of people by lists of given names and titles.

    A family name alone is a name if it also occurs with a given name or a title.
    """
    words = list_words(doc)
    titles = read_titles(doc.lang_)
    given = read_given_names("female", "male")
    # A word that also occurs in lower case is not a name, such as "will" or "rose".
    common = {word for word in words if word.islower()}
    candidates, known = [], set()
    for start, end in _find_capitalised(doc, words):
        forms = [word.lower() for word in words[start:end]]
        if (
            len(forms) > 1
            and forms[0] not in titles | given
            and _is_first(words, start)
        ):
            start, forms = start + 1, forms[1:]
        parts = {form for form in forms if form not in titles}
        if not parts or parts <= common or len(forms) > _MAX_WORDS:
            continue
        candidates.append((start, end, parts))
        if parts & given or len(parts) < len(forms):
            known |= parts
    return [(start, end) for start, end, parts in candidates if parts & known]


def _find_capitalised(doc: Doc, words: List[str]) -> Iterator[Offsets]:
    """Yield the maximal sequences of capitalised words."""
    titles = read_titles(doc.lang_)
    is_stop = doc.to_array([IS_STOP]).reshape(-1).tolist()
    start = None
    for i, word in enumerate([*words, ""]):
        is_name = (
            word[:1].isupper()
            and not word.isupper()
            and ((word.isalpha() and not is_stop[i]) or word.lower() in titles)
        )
        if is_name and start is None:
            start = i
        elif not is_name and start is not None:
            yield start, i
            start = None


def _is_first(words: List[str], i: int) -> bool:
    """Check whether a word is the first word of a sentence or of a quotation."""
    return i == 0 or (words[i - 1] != "," and not any(map(str.isalnum, words[i - 1])))
