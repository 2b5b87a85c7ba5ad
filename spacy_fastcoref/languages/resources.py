"""The resource loader: find a language's folder and read its word lists."""

from functools import lru_cache
from pathlib import Path
from typing import Dict, FrozenSet, List, Optional, Tuple

from ..registry import registry

HERE = Path(__file__).parent
# The folder of the lists that all languages share.
COMMON = "common"


@lru_cache(maxsize=None)
def find_folder(lang: str) -> Optional[Path]:
    """Find the folder of a language.

    Languages of other packages come first: a package names the module of its folder in
    the entry point group `spacy_coref_languages`. What was found stays, so a language
    has to be registered before it is first used.

    lang (str): The language's code, as in Doc.lang_, or "common".
    RETURNS (Optional[pathlib.Path]): The folder; None for a language without one.
    """
    if lang in registry.coref_languages:
        return Path(registry.coref_languages.get(lang).__file__).parent
    folder = HERE / lang
    return folder if lang.isalpha() and folder.is_dir() else None


def list_languages() -> List[str]:
    """List the languages that have a folder.

    RETURNS (List[str]): Their codes, sorted.
    """
    found = {path.parent.name for path in HERE.glob("*/lexicon.json")}
    return sorted(found.union(registry.coref_languages.get_all()))


def has_words(lang: str, name: str) -> bool:
    """Tell whether a language has a word list.

    lang (str): The language's code.
    name (str): The list's name, without ".txt".
    RETURNS (bool): Whether it has.
    """
    folder = find_folder(lang)
    return folder is not None and (folder / "data" / f"{name}.txt").is_file()


def read_words(lang: str, *names: str) -> FrozenSet[str]:
    """Read word lists.

    lang (str): The language's code, or "common".
    names (str): The lists' names, without ".txt". A line is a word; what follows "#" is
        a comment.
    RETURNS (FrozenSet[str]): The words of all in lower case; a list that the language
        does not have is empty.
    """
    folder = find_folder(lang)
    return frozenset() if folder is None else _read_words(folder, names)


def read_table(lang: str, name: str) -> Dict[str, Tuple[str, ...]]:
    """Read a table.

    lang (str): The language's code, or "common".
    name (str): The table's name, without ".txt". A line is a word and its columns,
        separated by blanks; what follows "#" is a comment.
    RETURNS (Dict[str, Tuple[str, ...]]): The columns by word; empty if the language
        does not have the table.
    """
    folder = find_folder(lang)
    return {} if folder is None else _read_table(folder, name)


@lru_cache(maxsize=None)
def _read_words(folder: Path, names: Tuple[str, ...]) -> FrozenSet[str]:
    paths = (folder / "data" / f"{name}.txt" for name in names)
    texts = [path.read_text(encoding="utf8") for path in paths if path.is_file()]
    lines = [line for text in texts for line in text.splitlines()]
    words = (line.split("#")[0].strip().lower() for line in lines)
    return frozenset(word for word in words if word)


@lru_cache(maxsize=None)
def _read_table(folder: Path, name: str) -> Dict[str, Tuple[str, ...]]:
    lines = (line.split() for line in sorted(_read_words(folder, (name,))))
    return {word: tuple(columns) for word, *columns in lines}
