"""Attach the package's registries to spaCy's, so that configs resolve them."""

import catalogue
import spacy

NAMES = (
    "coref_formats",
    "coref_languages",
    "coref_layers",
    "coref_losses",
    "coref_policies",
    "coref_rules",
    "coref_storage",
)


def attach() -> None:
    """Create the registries that don't exist yet.

    `coref_formats` has the file formats of annotated documents, `coref_languages` the
    modules of other packages' languages by language code, `coref_layers` the layers of
    a coreference model, `coref_losses` the losses of a ranker, `coref_policies` the
    policies of
    resolved text, `coref_rules` the rules of languages, and `coref_storage` the formats
    that weights are stored in. Each registry finds the
    functions of other packages by the entry point group `spacy_<name>`.
    """
    for name in NAMES:
        if not hasattr(spacy.registry, name):
            created = catalogue.create("spacy", name, entry_points=True)
            setattr(spacy.registry, name, created)


attach()
registry = spacy.registry
