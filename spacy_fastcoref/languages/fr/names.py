"""Find French names that a tagger takes for other words."""

import numpy as np
from spacy.attrs import IS_TITLE

from ...grammar.names import make_name_reader, make_title_reader
from ...grammar.tokens import Tokens
from ...grammar.word_index import Marks
from .nouns import is_person_noun


def find_names(tokens: Tokens) -> Marks:
    """Find given names and the first words of entities: "Marie", tagged as a noun."""
    annotation, words = tokens.annotation, tokens.words
    is_named = annotation.entity > 0
    is_first = is_named & ~np.append(False, is_named[:-1])
    is_first |= words.map(make_name_reader(tokens.lexicon.lang)) > 0
    found = is_first & (tokens.doc.to_array(IS_TITLE) > 0)
    found &= annotation.is_pos("NOUN", "ADJ", "ADV", "VERB")
    is_other = words.map(make_title_reader(tokens.lexicon)) > 0
    is_other |= words.map(is_person_noun) > 0
    is_other |= words.find(tokens.lexicon.determiners)
    return found & ~is_other & (tokens.features.person == 0)
