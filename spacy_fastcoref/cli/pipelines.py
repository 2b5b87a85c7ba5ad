"""Load the pipeline that a command applies to texts."""

from typing import Any, Optional

import spacy
from spacy.cli._util import Opt
from spacy.language import Language

from ..about import DEFAULT_LANG
from ..factories import FACTORY, get_component, list_components

MODEL: Any = Opt(
    None,
    "--model",
    "-m",
    help="An installed pipeline or its folder; a blank one of the language by default",
)
LANGUAGE: Any = Opt(
    DEFAULT_LANG,
    "--lang",
    "-l",
    help="Without a pipeline, the language of the blank one",
)


def load_pipeline(model: Optional[str], lang: str = DEFAULT_LANG) -> Language:
    """Load a pipeline, and add the component to one that has none.

    model (Optional[str]): A folder or the name of a package; None for a blank pipeline.
    lang (str): The language of the blank pipeline.
    RETURNS (Language): The pipeline.
    RAISES (ImportError): spaCy has no such language.
    RAISES (ValueError): No weights ship for the language.
    """
    nlp = spacy.blank(lang) if model is None else spacy.load(model)
    if not list_components(nlp.pipe_factories):
        nlp.add_pipe(FACTORY)
    return nlp


def get_last_component(nlp: Language) -> Any:
    """Get the coreference component whose clusters a pipeline's Docs have.

    nlp (Language): The pipeline.
    RETURNS (FastCoref): The component. Of several, the last one, which overwrites the
        clusters of the others.
    """
    return get_component(nlp, list_components(nlp.pipe_factories)[-1])
