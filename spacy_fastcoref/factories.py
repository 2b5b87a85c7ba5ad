"""By which names spaCy makes the component."""

from typing import List, Mapping, Optional

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
