"""Find the folder of a language and read its word lists."""

from functools import lru_cache
from pathlib import Path
from typing import Dict, FrozenSet, List, Optional, Tuple

from ..registry import registry

# The folders of languages are data to this module, which imports none of them.
LANGUAGES = Path(__file__).parents[1] / "languages"
# The folder of the word lists that all languages share.
COMMON = "common"


@lru_cache(maxsize=None)
def find_folder(lang: str) -> Optional[Path]:
    """Find the folder of a language, or "common"; None for one without a folder.

    Languages of other packages take precedence. A package lists the module of its
    folder in the entry point group `spacy_coref_languages`. The result is cached, so a
    language has to be registered before its first use.
    """
    if lang in registry.coref_languages:
        return Path(registry.coref_languages.get(lang).__file__).parent
    folder = LANGUAGES / lang
    return folder if lang.isalpha() and folder.is_dir() else None


def list_languages() -> List[str]:
    """List the languages that have a folder."""
    found = {path.parent.name for path in LANGUAGES.glob("*/lexicon.json")}
    return sorted(found.union(registry.coref_languages.get_all()))


@lru_cache(maxsize=None)
def read_words(lang: str, *names: str) -> FrozenSet[str]:
    """Read word lists by their names, without ".txt", in lower case.

    A list has one word per line, and comments start with "#". Lists that the language
    doesn't have are ignored.
    """
    folder = find_folder(lang)
    paths = [folder / "data" / f"{name}.txt" for name in names] if folder else []
    texts = [path.read_text(encoding="utf8") for path in paths if path.is_file()]
    lines = (line.split("#")[0] for text in texts for line in text.splitlines())
    return frozenset(filter(None, (line.strip().lower() for line in lines)))


@lru_cache(maxsize=None)
def read_table(lang: str, name: str) -> Dict[str, Tuple[str, ...]]:
    """Read a table.

    name (str): The table's name, without ".txt". Each line has a word and further
        columns, separated by spaces, and comments start with "#".
    RETURNS (Dict[str, Tuple[str, ...]]): The further columns of each word; empty if the
        language doesn't have the table.
    """
    lines = (line.split() for line in sorted(read_words(lang, name)))
    return {word: tuple(columns) for word, *columns in lines}
