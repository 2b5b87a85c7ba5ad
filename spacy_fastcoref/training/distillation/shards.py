"""Write a folder of DocBin files shard by shard, so that writing can be resumed."""

import hashlib
import json
import reprlib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Dict, List

from spacy.tokens import DocBin

from ...errors import Errors
from ...files import remove_leftovers, replace_file

MANIFEST = "manifest.json"
_ENDING = ".spacy"


@dataclass
class Shard:
    """Hold the manifest's entry for one shard.

    sha256 (str): The digest of the file.
    n_passages (int): The number of passages that were read for the shard.
    n_docs (int): The number of documents in the shard.
    n_clusters (int): The number of clusters in the shard.
    """

    sha256: str
    n_passages: int
    n_docs: int
    n_clusters: int


@dataclass
class ShardFolder:
    """Hold a folder of shards and its manifest.

    path (Path): The folder.
    settings (Dict[str, Any]): The settings and inputs that determine the shards, as
        JSON-serializable values.
    shards (List[Shard]): The shards that were written, in order.
    is_finished (bool): Whether all shards were written.
    """

    path: Path
    settings: Dict[str, Any]
    shards: List[Shard] = field(default_factory=list)
    is_finished: bool = False

    @classmethod
    def open(cls, path: Path, settings: Dict[str, Any]) -> "ShardFolder":
        """Create a folder, or resume one that was written with the same settings.

        path (Path): The folder.
        settings (Dict[str, Any]): The settings and inputs that determine the shards, as
            JSON-serializable values.
        RETURNS (ShardFolder): The folder.
        RAISES (ValueError): The folder was written with other settings, or contains
            .spacy files but no manifest.
        """
        path.mkdir(parents=True, exist_ok=True)
        for name in (f"*{_ENDING}", MANIFEST):
            remove_leftovers(path / name)
        if not (path / MANIFEST).exists():
            if list_shards(path):
                reason = f"there are shards, but no {MANIFEST} that describes them"
                raise ValueError(Errors.FC081.format(path=path, reason=reason))
            folder = cls(path, settings)
            folder.save()
            return folder
        folder = cls.load(path)
        if folder.settings != settings:
            differences = ", ".join(
                f"{name} was {reprlib.repr(folder.settings.get(name))} and is "
                f"{reprlib.repr(settings.get(name))}"
                for name in sorted({*settings, *folder.settings})
                if folder.settings.get(name) != settings.get(name)
            )
            raise ValueError(Errors.FC082.format(path=path, differences=differences))
        folder.is_finished = False
        return folder

    @classmethod
    def load(cls, path: Path) -> "ShardFolder":
        """Read a folder's manifest.

        path (Path): The folder.
        RETURNS (ShardFolder): The folder.
        RAISES (ValueError): The manifest can't be read.
        """
        try:
            data = json.loads((path / MANIFEST).read_text(encoding="utf8"))
            shards = [Shard(**shard) for shard in data["shards"]]
            return cls(path, data["settings"], shards, data["is_finished"])
        except (ValueError, TypeError, KeyError) as error:
            reason = f"its {MANIFEST} is broken: {type(error).__name__}: {error}"
            raise ValueError(Errors.FC081.format(path=path, reason=reason)) from error

    def get_path(self, i: int) -> Path:
        """Get the path of a shard.

        i (int): The shard's number.
        RETURNS (Path): The path. Sorted paths are in the order of the shards.
        """
        return self.path / f"shard-{i:06}{_ENDING}"

    def is_whole(self, i: int) -> bool:
        """Check whether a shard is complete and unchanged.

        i (int): The shard's number.
        RETURNS (bool): Whether the file exists and has the digest in the manifest.
        """
        path = self.get_path(i)
        return path.is_file() and _digest(path.read_bytes()) == self.shards[i].sha256

    def write(self, i: int, docs: DocBin, *, n_passages: int, n_clusters: int) -> None:
        """Write a shard, then add it to the manifest.

        i (int): The shard's number, which is that of a broken shard or the next number.
        docs (DocBin): The documents.
        n_passages (int): The number of passages that were read for the shard.
        n_clusters (int): The number of clusters in the shard.
        RAISES (OSError): The file can't be written; the folder is then unchanged.
        """
        data = docs.to_bytes()
        shard = Shard(_digest(data), n_passages, len(docs), n_clusters)
        try:
            with replace_file(self.get_path(i)) as new:
                new.write_bytes(data)
            self.shards[i : i + 1] = [shard]
            self.save()
        except OSError as error:
            message = Errors.FC087.format(path=self.path, n_shards=i, reason=error)
            raise OSError(message) from error

    def save(self) -> None:
        """Write the manifest."""
        data = asdict(self)
        del data["path"]
        with replace_file(self.path / MANIFEST) as new:
            new.write_text(json.dumps(data, indent=1) + "\n", encoding="utf8")


def list_shards(path: Path) -> List[Path]:
    """List the DocBin files of a folder.

    path (Path): The folder.
    RETURNS (List[Path]): The files, sorted by name.
    """
    return sorted(path.glob(f"[!.]*{_ENDING}"))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
