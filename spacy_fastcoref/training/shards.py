"""Write a folder of DocBin files shard by shard, so that writing can be resumed."""

from pathlib import Path
from typing import Any, Dict, List

from spacy.tokens import DocBin

from ..journal import Manifest

_ENDING = ".spacy"
_PREFIX = "shard-"


class Shards(Manifest):
    """Hold a folder of shards, and the list of those that are whole.

    folder (Path): The folder.
    settings (Dict[str, Any]): The settings and inputs that determine the shards, as
        JSON-serializable values.
    """

    def __init__(self, folder: Path, settings: Dict[str, Any]) -> None:
        super().__init__(folder, settings, _PREFIX)

    def has(self, i: int) -> bool:
        """Tell whether a shard is written.

        i (int): The shard's number.
        RETURNS (bool): Whether it is whole.
        """
        return _name(i) in self.files

    def add(self, i: int, docs: DocBin, *, n_passages: int, n_clusters: int) -> None:
        """Write a shard.

        i (int): The shard's number.
        docs (DocBin): The documents.
        n_passages (int): The number of passages that were read for the shard.
        n_clusters (int): The number of clusters in the shard.
        RAISES (OSError): It can't be written; the folder has the earlier ones.
        """
        counts = {"n_passages": n_passages, "n_docs": len(docs)}
        self.write(docs.to_bytes(), _name(i), n_clusters=n_clusters, **counts)

    def count(self, name: str) -> int:
        """Sum up a count.

        name (str): The name: "n_passages", "n_docs" or "n_clusters".
        RETURNS (int): The sum over all shards.
        """
        return sum(row[name] for row in self.files.values())


def list_shards(path: Path) -> List[Path]:
    """List the DocBin files of a folder.

    path (Path): The folder.
    RETURNS (List[Path]): The files, sorted by name.
    """
    return sorted(path.glob(f"[!.]*{_ENDING}"))


def _name(i: int) -> str:
    # Sorted names are in the order of the shards.
    return f"{_PREFIX}{i:06}{_ENDING}"
