"""The weights that ship with the package, a folder a language.

The folder "xx" has weights for several languages. It is used for those of them that
have no folder of their own.
"""

import json
import re
from pathlib import Path
from typing import Any, Dict, List, Optional

from ..errors import Errors, check_known

FOLDER = Path(__file__).parent
RANKERS = FOLDER / "rankers"
MULTILINGUAL = "xx"
# The scores in a model's card, by their names in the meta.json of a pipeline.
SCORES = {"coref_f": "CoNLL F1", "coref_p": "precision", "coref_r": "recall"}


def get_folder(lang: Optional[str]) -> Path:
    """Get the folder of a language's weights, or "xx" for those of several languages.

    RAISES (ValueError): No weights ship for the language.
    """
    # A language's own weights are better than those for several languages.
    if lang in _list_folders():
        return FOLDER / str(lang)
    if lang in list_multilingual():
        return FOLDER / MULTILINGUAL
    available = ", ".join(list_languages())
    raise ValueError(Errors.FC002.format(lang=lang, available=available))


def describe_weights(folder: Path) -> Dict[str, Any]:
    """Describe weights that ship, as the meta.json of a pipeline does.

    folder (pathlib.Path): The folder, whose LICENSE lists what the weights were made
        from, and whose README.md has a table of their scores.
    """
    sources, name = [], ""
    for line in (folder / "LICENSE").read_text(encoding="utf8").splitlines():
        part, _, licence = (
            one.strip() for one in re.sub("  +", "\t", line.strip()).partition("\t")
        )
        if not line.startswith(" "):
            name = part
        elif part:
            part = f"{name}: {part}"
        if licence:
            sources.append({"name": part, "license": licence})
    card = (folder / "README.md").read_text(encoding="utf8")
    scores = dict(re.findall(r"^\| (.+) \| ([\d.]+) \|$", card, re.M))
    return {
        "description": "Coreference resolution with spacy-fastcoref",
        "license": "MIT",
        "sources": sources,
        "performance": {
            key: round(float(scores[name]) / 100, 4)
            for key, name in SCORES.items()
            if name in scores
        },
    }


def find_ranker(name: str) -> Path:
    """Find the folder of a ranker's weights, whose name is a language's code.

    RAISES (ValueError): There is no ranker of this name.
    """
    names = sorted(config.parent.name for config in RANKERS.glob("*/config.json"))
    check_known("ranker with weights that ship,", name, names)
    return RANKERS / name


def list_languages() -> List[str]:
    """List the codes of the languages that weights ship for."""
    return sorted({*_list_folders(), *list_multilingual()} - {MULTILINGUAL})


def list_multilingual() -> List[str]:
    """List the codes of the languages that the weights for several were trained for."""
    path = FOLDER / MULTILINGUAL / "config.json"
    if not path.is_file():
        return []
    features = json.loads(path.read_text(encoding="utf8")).get("word_features") or {}
    return [lang for block in features.values() for lang in block.get("langs", ())]


def _list_folders() -> List[str]:
    return [config.parent.name for config in FOLDER.glob("*/config.json")]
