"""Write the card of a trained model: its layers, training data and scores."""

from typing import Any, Dict, Iterator, Tuple

from spacy.language import Language

from .. import about, pretrained
from ..models.folders import hide_folders


def make_card(nlp: Language, component: str, storage: str) -> str:
    """Write the card of a pipeline's coreference model, in Markdown."""
    config = nlp.config.interpolate()
    model = hide_folders(config["components"].get(component, {}).get("model", {}))
    lines = [f"# A coreference model for the language {nlp.lang!r}", ""]
    lines += ["## Model", "", *_list_blocks(model), f"- weights stored as {storage}"]
    lines += [f"- made by spacy-fastcoref {about.__version__}"]
    scores = nlp.meta.get("performance", {})
    found = {
        key: f"| {name} | {100 * scores[key]:.1f} |"
        for key, name in pretrained.SCORES.items()
        if key in scores
    }
    # A pipeline without scores, or with those of weights that ship, was not trained:
    # the config's other sections have defaults.
    if found and not _are_shipped(scores, nlp.lang):
        training = config["training"]
        section, _, name = training["train_corpus"].partition(".")
        readers = _list_readers((), config.get(section, {}).get(name, {}), 1.0)
        lines += ["", "## Training data", "", "| corpus | reader | times an epoch |"]
        lines += ["|---|---|---|", *readers, "", "## Training", ""]
        lines += [f"At most {training['max_steps']} steps, seed {training['seed']}."]
        lines += [f"The checkpoint was chosen on `{training['dev_corpus']}`.", ""]
        lines += ["## Scores on that corpus", "", "| score | |", "|---|---|"]
        lines += found.values()
    return "\n".join(lines) + "\n"


def _are_shipped(scores: Dict[str, Any], lang: str) -> bool:
    if lang not in pretrained.list_languages():
        return False
    shipped = pretrained.describe_weights(pretrained.get_folder(lang))["performance"]
    return shipped.items() <= scores.items()


def _list_blocks(block: Dict[str, Any], name: str = "model") -> Iterator[str]:
    """List a model's blocks with their own settings, from the outside in."""
    registered = [value for key, value in block.items() if key.startswith("@")]
    settings = [
        f"{key} {value}"
        for key, value in block.items()
        if not key.startswith("@") and not isinstance(value, dict) and value is not None
    ]
    if registered:
        yield f"- {name}: `{registered[0]}`" + "".join(f", {one}" for one in settings)
    for key, value in block.items():
        if isinstance(value, dict):
            yield from _list_blocks(value, key.replace("_", " "))


def _list_readers(
    names: Tuple[str, ...], block: Dict[str, Any], weight: float
) -> Iterator[str]:
    """List the readers of a mixture, and how often each is read."""
    if isinstance(block.get("corpora"), dict):
        weights = block.get("weights") or {}
        for key, one in block["corpora"].items():
            times = weight * weights.get(key, 1.0)
            yield from _list_readers((*names, key), one, times)
    elif isinstance(block.get("corpus"), dict):
        # A reader around another one, such as that of a language.
        yield from _list_readers(names, block["corpus"], weight)
    else:
        reader = block.get("@readers")
        yield f"| {' '.join(names) or 'all'} | `{reader}` | {round(weight, 2)} |"
