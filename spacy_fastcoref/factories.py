"""Name the factories of the component, and find components that they have made."""

from typing import Any, List, Mapping, Optional

from spacy.language import Language

from .errors import Errors

# The second name is also registered by the package fastcoref, if that is imported.
FACTORY = "spacy_fastcoref"
SHORT_FACTORY = "fastcoref"


def list_components(factories: Mapping[str, Optional[str]]) -> List[str]:
    """List the components of a pipeline that this package has made.

    factories (Mapping[str, Optional[str]]): The factory of each component, by the name
        of the component.
    RETURNS (List[str]): The names of the components.
    """
    ours = (FACTORY, SHORT_FACTORY)
    return [name for name, factory in factories.items() if factory in ours]


def find_last_component(nlp: Language) -> str:
    """Find the component whose clusters the Docs of a pipeline have.

    nlp (Language): The pipeline.
    RETURNS (str): The name. Of several components, the last one overwrites the clusters
        of the others.
    RAISES (ValueError): The pipeline has no coreference component.
    """
    names = list_components(nlp.pipe_factories)
    names = [name for name in names if name in nlp.pipe_names]
    if not names:
        raise ValueError(Errors.FC095.format(names=nlp.pipe_names))
    return names[-1]


def get_component(nlp: Language, name: str) -> Any:
    """Get a coreference component of a pipeline by its name.

    nlp (Language): The pipeline.
    name (str): The name of the component.
    RETURNS (FastCoref): The component.
    RAISES (ValueError): The component is not one of this package.
    """
    pipe = nlp.get_pipe(name)
    if not list_components({name: nlp.get_pipe_meta(name).factory}):
        raise ValueError(Errors.FC095.format(names=[name]))
    return pipe
