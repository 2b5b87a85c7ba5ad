"""Offer false names as an operator of Presidio's anonymizer, which is not needed."""

import importlib
from functools import lru_cache
from typing import Any, Dict, Optional

import spacy
from spacy.language import Language
from spacy.tokens import Span

from ..about import DEFAULT_LANG
from ..errors import Errors
from .false_names import FIRM, PERSON, PLACE
from .pseudonyms import MAIL, PHONE, pseudonymize

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
        doc = _make_tokenizer(given.get("lang", DEFAULT_LANG)).make_doc(text)
        if label:
            doc.ents = [Span(doc, 0, len(doc), label=label)]
        settings = {name: given[name] for name in ("locale", "seed") if name in given}
        found = pseudonymize(doc, kinds=[kind], key=given["key"], **settings)
        given["key"].update(found.key)
        return found.text

    def validate(self, params: Optional[Dict[str, Any]] = None) -> None:
        """Check the parameters."""
        if not isinstance((params or {}).get("key"), dict):
            raise ValueError(Errors.FC277)

    def operator_name(self) -> str:
        """Get the name by which an engine finds the operator."""
        return "pseudonym"

    def operator_type(self) -> Any:
        """Get Presidio's type of operators that replace."""
        operators = importlib.import_module("presidio_anonymizer.operators")
        return operators.OperatorType.Anonymize


@lru_cache(maxsize=None)
def _make_tokenizer(lang: str) -> Language:
    return spacy.blank(lang)
