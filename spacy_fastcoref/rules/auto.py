"""The rules of whatever language a Doc is in."""

from typing import Any, Dict, Optional

from spacy.tokens import Doc

from ..registry import registry
from ..types import Links, RuleOutput
from .base import Rules


class AutoRules:
    """Choose rules by language, at the first document of each."""

    def __init__(self) -> None:
        self._by_lang: Dict[str, Optional[Rules]] = {}

    def __call__(self, doc: Doc, links: Links) -> Optional[RuleOutput]:
        """Judge a model's links.

        doc (Doc): The document.
        links (Links): The model's answer.
        RETURNS (Optional[RuleOutput]): What its language's rules say; None for a
            language without any.
        """
        rules = self.find(doc.lang_)
        return None if rules is None else rules(doc, links)

    def find(self, lang: str) -> Optional[Rules]:
        """Find a language's rules.

        lang (str): The language's code.
        RETURNS (Optional[Rules]): Its rules; None if there are none.
        """
        if lang not in self._by_lang:
            name = f"spacy_fastcoref.{lang}.v1"
            known = name in registry.coref_rules.get_all()
            self._by_lang[lang] = (
                registry.coref_rules.get(name)(warns=False) if known else None
            )
        return self._by_lang[lang]


def choose_rules(rules: Any, doc: Doc) -> Any:
    """Choose the rules that have a say in a document.

    rules (Any): A component's rules.
    doc (Doc): The document.
    RETURNS (Any): Those of its language if they are chosen by language, and None if it
        has none; all others as they are.
    """
    return rules.find(doc.lang_) if isinstance(rules, AutoRules) else rules


@registry.coref_rules("spacy_fastcoref.auto.v1")
def make_auto_rules() -> AutoRules:
    """Make rules that are chosen by the language of each document.

    They use what annotation a pipeline makes, and never ask for more.

    RETURNS (AutoRules): The rules.
    """
    return AutoRules()
