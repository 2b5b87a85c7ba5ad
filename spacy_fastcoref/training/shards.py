"""Write a folder of DocBin files shard by shard, so that writing can be resumed."""

from pathlib import Path
from typing import Any, Dict

from spacy.tokens import DocBin

from ..journal import Manifest

_PREFIX = "shard-"


class Shards(Manifest):
    """Hold a folder of shards, and the list of those that are whole."""

    def __init__(self, folder: Path, settings: Dict[str, Any]) -> None:
        super().__init__(folder, settings, _PREFIX)

    def has(self, i: int) -> bool:
        """Tell whether a shard is written."""
        return _name(i) in self.files

    def add(self, i: int, docs: DocBin, *, n_passages: int, n_clusters: int) -> None:
        """Write a shard."""
        counts = {"n_passages": n_passages, "n_docs": len(docs)}
        self.write(docs.to_bytes(), _name(i), n_clusters=n_clusters, **counts)


def _name(i: int) -> str:
    # Sorted names are in the order of the shards.
    return f"{_PREFIX}{i:06}.spacy"
