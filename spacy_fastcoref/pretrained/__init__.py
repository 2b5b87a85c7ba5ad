"""The weights that ship with the package, a folder a language."""

from pathlib import Path
from typing import List, Optional

from ..errors import Errors

FOLDER = Path(__file__).parent
RANKERS = FOLDER / "rankers"


def get_folder(lang: str) -> Path:
    """Get the folder of a language's weights.

    lang (str): The language's code.
    RETURNS (Path): The folder, which is there for the languages of list_languages.
    """
    return FOLDER / lang


def find_folder(lang: Optional[str]) -> Path:
    """Find the folder of a language's weights.

    lang (Optional[str]): The language's code.
    RETURNS (Path): The folder.
    RAISES (ValueError): No weights ship for the language.
    """
    languages = list_languages()
    if lang not in languages:
        raise ValueError(Errors.FC002.format(lang=lang, available=", ".join(languages)))
    return get_folder(lang)


def find_ranker(name: str) -> Path:
    """Find the folder of a ranker's weights.

    name (str): The name, which is a language's code.
    RETURNS (Path): The folder.
    RAISES (ValueError): There is no ranker of this name.
    """
    names = sorted(config.parent.name for config in RANKERS.glob("*/config.json"))
    if name not in names:
        raise ValueError(Errors.FC194.format(name=name, available=", ".join(names)))
    return RANKERS / name


def list_languages() -> List[str]:
    """List the languages that weights ship for.

    RETURNS (List[str]): Their codes.
    """
    return sorted(config.parent.name for config in FOLDER.glob("*/config.json"))
