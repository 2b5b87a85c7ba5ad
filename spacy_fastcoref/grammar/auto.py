"""Choose rules by the language of each Doc."""

import re
from typing import Any, Dict, Hashable, Optional

from spacy.tokens import Doc

from ..registry import registry
from ..types import Links, RuleOutput
from .annotation import read_kinds
from .lexicon import get_lexicon
from .reading import Kinds
from .resources import find_folder
from .rules import Rules

_OURS = "spacy_fastcoref."


class AutoRules:
    """Apply the rules of each document's language, made for its first document."""

    def __init__(self) -> None:
        self._by_lang: Dict[str, Optional[Rules]] = {}
        self._words: Kinds = {}

    def convert_words(self, words: Kinds) -> "AutoRules":
        """Make such rules with other words in place of rare ones; see Conversions."""
        rules = AutoRules()
        rules._words = words
        return rules

    def __call__(self, doc: Doc, links: Links) -> Optional[RuleOutput]:
        """Judge a model's links; None for a language without rules."""
        rules = self.find(doc.lang_)
        return None if rules is None else rules(doc, links)

    def find(self, lang: str) -> Optional[Rules]:
        """Find the rules of a language: those of another package, of this one, or, if
        its lexicon has pronouns, those that hold in all languages."""
        if lang not in self._by_lang:
            rules: Optional[Rules] = None
            found = [
                (not name.startswith(_OURS), int(match[1]), name)
                for name in registry.coref_rules.get_all()
                if (match := re.fullmatch(rf".+\.{lang}\.v(\d+)", name))
            ]
            if found:
                rules = registry.coref_rules.get(max(found)[-1])()
            elif find_folder(lang) is not None and get_lexicon(lang).features:
                rules = Rules()
            if rules is not None and self._words:
                rules = rules.convert_words(self._words)
            self._by_lang[lang] = rules
        return self._by_lang[lang]


make_auto_rules = registry.coref_rules("spacy_fastcoref.auto.v1", func=AutoRules)


def choose_rules(rules: Any, doc: Doc) -> Any:
    """Choose the component's rules for a document: with AutoRules, by its language."""
    return rules.find(doc.lang_) if isinstance(rules, AutoRules) else rules


def get_kind(rules: Any, doc: Doc) -> Optional[Hashable]:
    """Get the kind of a document; those of equal kinds can be read like one."""
    if rules is not None and not (isinstance(rules, Rules) and rules.takes_joined):
        return None
    return doc.vocab, doc.lang_, id(rules), read_kinds(doc)


def find_rules(lang: str) -> Rules:
    """Find the rules of a language, with none of them disabled."""
    found = _RULES.find(lang)
    return (found if isinstance(found, Rules) else Rules()).copy_without(())


_RULES = AutoRules()
