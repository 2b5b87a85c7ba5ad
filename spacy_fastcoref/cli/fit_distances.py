"""`python -m spacy coref fit-distances`: teach a trained model what distances tell."""

from pathlib import Path

import spacy
from spacy.cli._util import Arg, Opt, parse_config_overrides, show_validation_error
from spacy.util import resolve_dot_names
from thinc.api import fix_random_seed
from typer import Context
from wasabi import msg

from ..files import replace_folder
from . import coref_cli
from .config import read_config
from .output import PIPELINE, check_output


@coref_cli.command(
    "fit-distances",
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def fit_distances_cli(
    ctx: Context,
    config_path: Path = Arg(
        ..., help="The config of a training, for its corpus", exists=True
    ),
    model: str = Arg(..., help="A trained pipeline: a folder or a package's name"),
    output: Path = Arg(
        ..., help="The folder of the new pipeline; another pipeline there is replaced"
    ),
    corpus: str = Opt(
        "corpora.train", "--corpus", help="The corpus in the config, read once"
    ),
    component: str = Opt(
        "fastcoref", "--component", "-c", help="The component's name in the pipeline"
    ),
    dropout: float = Opt(
        0.3,
        "--dropout",
        min=0.0,
        max=0.9,
        help="The rate of dropout of all layers but attention's",
    ),
    decay: float = Opt(
        30000.0, "--decay", min=0.0, help="What the squares of the weights cost"
    ),
    n_rounds: int = Opt(2, "--rounds", min=1, help="How often each document is scored"),
    seed: int = Opt(0, "--seed", "-s", help="The seed of what dropout drops"),
) -> None:
    """Teach a trained model how much the distance of two mentions tells.

    Training can't: a model knows its training texts too well to need distances there.
    All other weights stay. Settings of the config can be overridden, such as
    --paths.data DATA.
    """
    # Here, as all of spaCy's commands import this module, and torch takes a second.
    from ..training.distances import fit_distances

    check_output(output, PIPELINE, [model])
    overrides = parse_config_overrides(ctx.args)
    config = read_config(config_path, overrides, interpolate=True)
    with show_validation_error(config_path):
        (reader,) = resolve_dot_names(config, [corpus])
    nlp = spacy.load(model)
    fix_random_seed(seed)
    report = fit_distances(
        nlp,
        reader(nlp),
        component=component,
        dropout=dropout,
        decay=decay,
        n_rounds=n_rounds,
        enable_progress_bar=True,
    )
    with replace_folder(output) as new:
        nlp.to_disk(new)
    msg.table(
        [
            ("Documents", report.n_docs),
            ("Anaphors with a right antecedent", report.n_anaphors),
            ("Best one right, without distances", f"{report.before:.4f}"),
            ("Best one right, with distances", f"{report.after:.4f}"),
        ]
    )
    msg.good(f"Written to {output}")
