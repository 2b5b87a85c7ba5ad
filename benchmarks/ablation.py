"""Measure what refinement, pretraining and distillation give, each alone.

python benchmarks/ablation.py --encoder ENCODER --data DATA --text TEXT --output OUT
    [--rows NAME …] [--steps 800] [--first-steps 600] [--json FILE] [settings]

Every row is a change of configs/en_lingmess.cfg, trained on gold clusters for --steps
steps; what comes before them, silver clusters or hidden names and pronouns, has
--first-steps more, and so has the row "longer" on gold clusters. DATA is laid out as
for en_small.cfg, and may have winobias-dev; TEXT is what `spacy coref annotate` reads.
Other settings, such as --components.fastcoref.device cpu, are those of all trainings. A
run that was killed goes on when the same command is given again. OUT/NAME.log says what
was run and what its scores were.
"""

import argparse
import contextlib
import json
import subprocess
import time
from pathlib import Path
from typing import Any, Dict, List, NamedTuple

import accuracy
import spacy
import winobias
from pipelines import load_pipeline
from thinc.api import Config
from typer.main import get_command
from wasabi import msg

from spacy_fastcoref.cli import coref_cli

CONFIGS = Path(__file__).parent.parent / "configs"
Json = Dict[str, Any]


class Row(NamedTuple):
    """Describe one row of the table.

    changes (Dict[str, Any]): What its model has in place of en_lingmess.cfg's.
    first (str): What is trained before the gold clusters: "", "masked" or "silver".
    is_longer (bool): Whether its gold clusters have the steps of both trainings.
    """

    changes: Json = {}
    first: str = ""
    is_longer: bool = False


def refine_by(name: str) -> Json:
    """Describe a model with a block between mention and antecedent scorer."""
    return {"refinement": {"@coref_layers": f"spacy_fastcoref.{name}.v1"}}


ROWS = {
    "s2e": Row(
        {
            "antecedent_scorer": {
                "@coref_layers": "spacy_fastcoref.S2EAntecedentScorer.v1",
                "hidden_size": 512,
                "dropout": 0.3,
            }
        }
    ),
    "plain": Row(),
    "averaging": Row(refine_by("AntecedentAverage")),
    "equalization": Row(refine_by("EntityEqualization")),
    "masked": Row(first="masked"),
    "silver": Row(first="silver"),
    "longer": Row(is_longer=True),
}


def main() -> None:
    """Train and score every row, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--encoder", "--data", "--text", "--output"):
        parser.add_argument(name, required=True)
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS))
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--first-steps", type=int, default=600)
    parser.add_argument("--json", type=Path)
    args, settings = parser.parse_known_args()
    ablation = Ablation(args, settings)
    ablation.output.mkdir(parents=True, exist_ok=True)
    results = {}
    for name in args.rows:
        results[name] = score(ablation.train_row(name), Path(args.data))
        if args.json:
            args.json.write_text(json.dumps(results, indent=1) + "\n")
    names = list(dict.fromkeys(key for found in results.values() for key in found))
    rows = [
        (name, *(accuracy.write_score(found.get(key)) for key in names))
        for name, found in results.items()
    ]
    msg.table(rows, header=("", *names))


class Ablation:
    """Train rows, what several need only once."""

    def __init__(self, args: argparse.Namespace, settings: List[str]) -> None:
        self.args = args
        self.settings = settings
        self.output = Path(args.output)

    def train_row(self, name: str) -> Path:
        """Train a row and return its pipeline."""
        row = ROWS[name]
        n_steps = self.args.steps + self.args.first_steps * row.is_longer
        config = self.read_config(row.changes)
        if row.first:
            first = self.train_first(row) / "fastcoref" / "model"
            config["components"]["fastcoref"]["model"]["start_from"] = str(first)
        return self.train(name, config, n_steps)

    def train_first(self, row: Row) -> Path:
        """Train on text without labels and return the pipeline."""
        config = self.read_config(row.changes)
        if row.first == "masked":
            masked = Config().from_disk(CONFIGS / "en_pretrain.cfg", interpolate=False)
            head = masked["components"]["fastcoref"]["model"]["pronoun_head"]
            model = {**config["components"]["fastcoref"]["model"], "pronoun_head": head}
            masked["components"]["fastcoref"]["model"] = model
            masked["paths"].update(encoder=self.args.encoder, text=self.args.text)
            config = masked
        else:
            reader = "spacy_fastcoref.DocBinCorpus.v1"
            corpus = {"@readers": reader, "path": str(self.annotate())}
            config["corpora"]["train"] = {**corpus, "seed": "${system.seed}"}
        return self.train(f"{row.first}_first", config, self.args.first_steps)

    def read_config(self, changes: Json) -> Config:
        config = Config().from_disk(CONFIGS / "en_lingmess.cfg", interpolate=False)
        config["paths"].update(encoder=self.args.encoder, data=self.args.data)
        config["components"]["fastcoref"]["model"].update(changes)
        return config

    def annotate(self) -> Path:
        """Let the model that ships annotate the text."""
        teacher, shards = self.output / "teacher", self.output / "shards"
        load_pipeline(None).to_disk(teacher)
        self.run("shards", ["annotate", str(teacher), self.args.text, str(shards)])
        return shards

    def train(self, name: str, config: Config, n_steps: int) -> Path:
        path, output = self.output / f"{name}.cfg", self.output / name
        config.to_disk(path, interpolate=False)
        steps = ["--training.max_steps", str(n_steps)]
        command = ["train", str(path), "--output", str(output), "--resume", *steps]
        self.run(name, [*command, *self.settings])
        return output / "model-last"

    def run(self, name: str, command: List[str]) -> None:
        """Run one of our commands; the log says which, of what commit, for how long."""
        path = self.output / f"{name}.log"
        # By line, so that one can look how far it is.
        with path.open("a", encoding="utf8", buffering=1) as log:
            words = " ".join(["python -m spacy coref", *command])
            print(f"# {read_commit()}: {words}", file=log)
            begin = time.perf_counter()
            try:
                with contextlib.redirect_stdout(log):
                    get_command(coref_cli)(command, standalone_mode=False)
            except SystemExit:
                # It has said why, there.
                msg.fail(f"{words} failed: see {path}")
                raise
            print(f"# {time.perf_counter() - begin:.0f} seconds", file=log)


def read_commit() -> str:
    """Read which commit this is, as far as one can tell."""
    command = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=CONFIGS)
    return done.stdout.strip() or "no commit"


def score(pipeline: Path, data: Path) -> Dict[str, float]:
    """Score a pipeline on all dev sets that there are."""
    nlp = spacy.load(pipeline)
    scores = {
        name: accuracy.measure_clusters(nlp, data / name / "dev.jsonl")["coref_f"]
        for name in ("ontogum", "litbank")
    }
    gap = data / "gap" / "gap-validation.tsv"
    if gap.exists():
        scores["gap"] = accuracy.measure_gap(nlp, gap)["gap_f"]
        given = accuracy.measure_gap(nlp, gap, is_given=True)
        scores["gap, given"] = given["gap_f"]
    folder = data / "winobias-dev"
    if folder.exists():
        for name in winobias.TYPES:
            found = winobias.measure(nlp, folder, name)
            scores[f"gap of {name}"] = found["gap"]
    return scores


if __name__ == "__main__":
    main()
