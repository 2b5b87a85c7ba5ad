"""Attach the package's registries to spaCy's, so that configs resolve them."""

import catalogue
import spacy

NAMES = ("coref_languages", "coref_layers", "coref_policies", "coref_rules")


def attach() -> None:
    """Create the registries that are not there yet.

    `coref_languages` holds the modules of languages of other packages, by language
    code, `coref_layers` the blocks of a coreference model, `coref_policies` the
    ways to resolve a text, `coref_rules` the rules of a language. Each finds other
    packages' functions by the entry point group `spacy_<name>`.
    """
    for name in NAMES:
        if not hasattr(spacy.registry, name):
            created = catalogue.create("spacy", name, entry_points=True)
            setattr(spacy.registry, name, created)


attach()
registry = spacy.registry
