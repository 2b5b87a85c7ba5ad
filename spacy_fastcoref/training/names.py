"""Find the people that a text names: without labels, one name is one person."""

from collections import defaultdict
from typing import Dict, Iterator, List, Set, Tuple

from spacy.attrs import IS_STOP
from spacy.tokens import Doc

from ..languages.lexicon import get_lexicon
from ..tokens.words import list_words
from .word_lists import read_given_names, read_titles

Offsets = Tuple[int, int]
# The label of people in OntoNotes, WikiNER and NKJP.
_PERSON = frozenset(("PERSON", "PER", "persName"))
_MAX_WORDS = 5


def find_names(doc: Doc) -> List[List[Offsets]]:
    """Find the people that a text names, each with all places of the one name.

    Names that share a word ("Tom" and "Tom Baker", "Mr Bennet" and "Mrs Bennet") may be
    of one person or of two, so only the most frequent of them is taken.

    doc (Doc): The document. If it has entities, they are the names; if not, names are
        found by lists, see find_listed_names.
    RETURNS (List[List[Tuple[int, int]]]): The token offsets of each name, in the order
        of first mentions.
    """
    words = [word.lower() for word in list_words(doc)]
    titles = read_titles(doc.lang_)
    has_entities = doc.has_annotation("ENT_IOB")
    spans = _find_entities(doc) if has_entities else find_listed_names(doc)
    places: Dict[Tuple[str, ...], List[Offsets]] = defaultdict(list)
    for start, end in sorted(spans):
        places[tuple(words[start:end])].append((start, end))
    taken: Set[str] = set()
    names = []
    for name in sorted(places, key=lambda name: (-len(places[name]), places[name])):
        own = {word for word in name if word.isalpha() and word not in titles}
        if own and not own & taken:
            taken |= own
            names.append(places[name])
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

    doc (Doc): The document.
    RETURNS (List[Tuple[int, int]]): Token offsets, in text order. A family name alone
        counts if it also occurs with a given name or a title.
    """
    words = list_words(doc)
    titles = read_titles(doc.lang_)
    given = read_given_names("female", "male")
    # A word that the text also has in lower case is no name: "will", "rose".
    common = {word for word in words if word.islower()}
    runs, known = [], set()
    for start, end in _find_capitalised(doc, words):
        forms = [word.lower() for word in words[start:end]]
        if (
            len(forms) > 1
            and forms[0] not in titles | given
            and _is_first(words, start)
        ):
            start, forms = start + 1, forms[1:]
        own = {form for form in forms if form not in titles}
        if not own or own <= common or len(forms) > _MAX_WORDS:
            continue
        runs.append((start, end, own))
        if own & given or len(own) < len(forms):
            known |= own
    return [(start, end) for start, end, own in runs if own & known]


def _find_capitalised(doc: Doc, words: List[str]) -> Iterator[Offsets]:
    """Yield the longest sequences of capitalised words."""
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
    """Tell whether a word begins a sentence or a quotation."""
    return i == 0 or (words[i - 1] != "," and not any(map(str.isalnum, words[i - 1])))
