"""What rules know of a Doc's mentions, computed once, in arrays."""

from dataclasses import dataclass
from functools import cached_property
from typing import Optional

import numpy as np

from ..languages.lexicon import get_lexicon
from ..languages.parse import Parse
from ..languages.word_index import WordIndex
from ..resolution.possessives import precedes_noun
from .speech import Speech

# What a mention is called by person: of pronouns only.
NO_PRONOUN, FIRST, SECOND, THIRD, OTHER_PRONOUN = 0, 1, 2, 3, 4


@dataclass
class Facts:
    """Hold what is known of each mention.

    parse (Parse): The document's annotation.
    words (WordIndex): Its words.
    speech (Speech): Who speaks where.
    starts, ends (numpy.ndarray): Shape (n_mentions,), token offsets.
    heads (numpy.ndarray): Shape (n_mentions,), the token that heads each mention.
    is_joined (numpy.ndarray): Shape (n_mentions,), bool: "Peter and his wife".
    agreement (numpy.ndarray): Shape (n_mentions,), what each can be, see agreement.py.
    person (numpy.ndarray): Shape (n_mentions,), FIRST, SECOND, THIRD and OTHER_PRONOUN
        for pronouns, NO_PRONOUN for all else.
    is_reflexive (numpy.ndarray): Shape (n_mentions,), bool: "herself".
    is_possessive (numpy.ndarray): Shape (n_mentions,), bool: "my", "his".
    is_name (numpy.ndarray): Shape (n_mentions,), bool: headed by a proper name.
    is_empty (numpy.ndarray): Shape (n_mentions,), bool: refers to nothing, as the "it"
        of "it rains", and a verb such as "is".
    is_indefinite (numpy.ndarray): Shape (n_mentions,), bool: "a dog".
    is_lifeless (numpy.ndarray): Shape (n_mentions,), bool: common nouns that no list
        knows as a person, an animal or a group.
    classes (numpy.ndarray): Shape (n_mentions,), a bit for each class of entity that
        it may be of, see entity_nouns.txt; 0 if nothing is known.
    initials (Optional[numpy.ndarray]): Shape (n_mentions,), what the given name of each
        may begin with, see agreement.py; None if the language tells no given names.
    people (Optional[numpy.ndarray]): Shape (n_mentions,), whose name each may be, see
        agreement.py; None if that is not known.
    part_of (Optional[numpy.ndarray]): Shape (n_mentions,), the mention that each is a
        part of, as of a longer name, or has a title more than, -1 for none; None if
        that is not known.
    is_likely (Optional[numpy.ndarray]): Shape (n_mentions,), bool: what the model finds
        to be a mention more likely than not; None if that is not known.
    is_crossed (Optional[numpy.ndarray]): Shape (n_mentions,), bool: crosses a more
        likely mention, or the end of a sentence, and so is none; None if that is not
        known.
    spoken_by (Optional[numpy.ndarray]): Shape (n_mentions,), the mention that speaks
        the quotation that each is in, -1 for none; None if that is not known.
    is_subject (Optional[numpy.ndarray]): Shape (n_mentions,), bool: pronouns in a form
        that only subjects have, "he"; None if the language has none.
    named_as (Optional[numpy.ndarray]): Shape (n_mentions,), the mention by a longer
        name of whom each names by title, -1 for none; None if that is not known.
    """

    parse: Parse
    words: WordIndex
    speech: Speech
    starts: np.ndarray
    ends: np.ndarray
    heads: np.ndarray
    is_joined: np.ndarray
    agreement: np.ndarray
    person: np.ndarray
    is_reflexive: np.ndarray
    is_possessive: np.ndarray
    is_name: np.ndarray
    is_empty: np.ndarray
    is_indefinite: np.ndarray
    is_lifeless: np.ndarray
    classes: np.ndarray
    initials: Optional[np.ndarray] = None
    people: Optional[np.ndarray] = None
    part_of: Optional[np.ndarray] = None
    is_likely: Optional[np.ndarray] = None
    is_crossed: Optional[np.ndarray] = None
    spoken_by: Optional[np.ndarray] = None
    is_subject: Optional[np.ndarray] = None
    named_as: Optional[np.ndarray] = None

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def is_pronoun(self) -> np.ndarray:
        """Shape (n_mentions,), bool."""
        return self.person != NO_PRONOUN

    @property
    def is_part(self) -> Optional[np.ndarray]:
        """Shape (n_mentions,), bool: those that are none beside the one they are of."""
        return None if self.part_of is None else self.part_of >= 0

    @property
    def is_anaphor(self) -> np.ndarray:
        """Shape (n_mentions,), bool: pronouns that need somebody to stand for."""
        return (self.person == THIRD) & ~self.is_empty

    # Several rules ask for it, and many documents have no such words.
    @cached_property
    def is_owner(self) -> np.ndarray:
        """Shape (n_tokens,), bool: object forms before what they own: "her hat"."""
        doc = self.parse.doc
        found = self.words.find(get_lexicon(doc.lang_).objects).copy()
        for i in np.flatnonzero(found).tolist():
            found[i] = precedes_noun(doc[i])
        return found

    def are_alike(self, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
        """Find mentions of the same words.

        later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
        RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
        """
        forms, sizes = self.words.index, self.ends - self.starts
        found = sizes[later] == sizes[earlier]
        for step in range(sizes[later[found]].max(initial=0)):
            (rows,) = np.nonzero(found & (step < sizes[later]))
            places = self.starts[later[rows]], self.starts[earlier[rows]]
            found[rows] = forms[places[0] + step] == forms[places[1] + step]
        return found
