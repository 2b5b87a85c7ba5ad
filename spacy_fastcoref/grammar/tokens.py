"""Hold what is known of a Doc's tokens, for the methods that a language overrides."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from spacy.tokens import Doc

from .annotation import Annotation
from .features import FIRST, NOMINATIVE, SECOND, THIRD
from .lexicon import Lexicon, get_lexicon
from .schemes import AUXILIARY
from .token_features import TokenFeatures, read_features
from .word_index import WordIndex


class Tokens(NamedTuple):
    """Hold the annotation, the words and the features of a document's tokens.

    doc (Doc): The document.
    annotation (Annotation): Its annotation, with roles, tags and morphology.
    words (WordIndex): Its words.
    lexicon (Lexicon): The closed-class words of its language.
    features (TokenFeatures): The features of the tokens.
    """

    doc: Doc
    annotation: Annotation
    words: WordIndex
    lexicon: Lexicon
    features: TokenFeatures


def read_tokens(doc: Doc) -> Tokens:
    """Read the tokens of a document.

    doc (Doc): The document, with any annotation that its pipeline makes.
    RETURNS (Tokens): The tokens.
    """
    words, lexicon = WordIndex(doc), get_lexicon(doc.lang_)
    annotation = Annotation(doc, words, lexicon.argument_prepositions)
    features = read_features(annotation, words, lexicon)
    return Tokens(doc, annotation, words, lexicon, features)


def add_zero_subjects(
    tokens: Tokens, is_zero_subject: np.ndarray, agreement: np.ndarray
) -> Tokens:
    """Treat the verbs that stand for their dropped subject as pronouns.

    tokens (Tokens): The document's tokens. The annotation is changed in place.
    is_zero_subject (numpy.ndarray): Shape (n_tokens,), bool, these verbs.
    agreement (numpy.ndarray): Shape (n_tokens,), int64, their agreement bits.
    RETURNS (Tokens): The tokens with new features.
    """
    if not is_zero_subject.any():
        return tokens
    annotation, features = tokens.annotation, tokens.features
    annotation.set_zero_subjects(is_zero_subject)
    person = np.full(len(agreement), THIRD)
    for value, feat in ((FIRST, "Person=1"), (SECOND, "Person=2")):
        is_person = annotation.has_morph(feat) & annotation.is_verb
        is_helper = is_person & annotation.has_role(AUXILIARY)
        person[is_person | annotation.has_child(is_helper)] = value
    return tokens._replace(
        features=replace(
            features,
            as_pronoun=np.where(is_zero_subject, agreement, features.as_pronoun),
            person=np.where(is_zero_subject, person, features.person),
            flags=np.where(is_zero_subject, NOMINATIVE, features.flags),
            is_name=features.is_name & ~is_zero_subject,
        )
    )
