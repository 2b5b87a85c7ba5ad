"""By which names spaCy makes the component."""

from typing import Any, List, Mapping, Optional

from spacy.language import Language

from .errors import Errors

# Nobody else's, and the one that another package has, too, where it is imported.
FACTORY = "spacy_fastcoref"
SHORT_FACTORY = "fastcoref"


def find_components(factories: Mapping[str, Optional[str]]) -> List[str]:
    """Find a pipeline's components of this package, whatever they are called.

    factories (Mapping[str, Optional[str]]): What made each component, by its name.
    RETURNS (List[str]): The names of those that this package made.
    """
    ours = (FACTORY, SHORT_FACTORY)
    return [name for name, factory in factories.items() if factory in ours]


def get_component(nlp: Language, name: str) -> Any:
    """Get a pipeline's component of this package.

    nlp (Language): The pipeline.
    name (str): What the component is called in it.
    RETURNS (FastCoref): The component.
    RAISES (ValueError): Another package made it.
    """
    pipe = nlp.get_pipe(name)
    if not find_components({name: nlp.get_pipe_meta(name).factory}):
        raise ValueError(Errors.FC095.format(names=[name]))
    return pipe
