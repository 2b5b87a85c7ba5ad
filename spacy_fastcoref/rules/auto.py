"""The rules of whatever language a Doc is in."""

import re
from typing import Any, Dict, Optional

from spacy.tokens import Doc

from ..languages.lexicon import get_lexicon
from ..languages.resources import find_folder
from ..registry import registry
from ..types import Links, RuleOutput
from .base import Rules

_OURS = "spacy_fastcoref."
_NAME = re.compile(r".+\.(?P<lang>[a-z]+)\.v(?P<version>\d+)")


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

        Rules of other packages come first, then this package's own; a language that
        has a lexicon with pronouns, but no rules of its own, gets those that hold in
        any language.

        lang (str): The language's code.
        RETURNS (Optional[Rules]): Its rules; None if there are none.
        """
        if lang not in self._by_lang:
            self._by_lang[lang] = _make_rules(lang)
        return self._by_lang[lang]


def _make_rules(lang: str) -> Optional[Rules]:
    found = []
    for name in registry.coref_rules.get_all():
        match = _NAME.fullmatch(name)
        if match and match["lang"] == lang:
            found.append((not name.startswith(_OURS), int(match["version"]), name))
    if found:
        return registry.coref_rules.get(max(found)[-1])(warns=False)
    has_lexicon = find_folder(lang) is not None and bool(get_lexicon(lang).features)
    return Rules(warns=False) if has_lexicon else None


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
