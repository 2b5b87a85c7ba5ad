"""Provide spaCy's training loop with snapshots, so that runs can be resumed."""

import itertools
import shutil
import sys
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple

from spacy.language import Language
from spacy.schemas import ConfigSchemaTraining
from spacy.training import Example
from spacy.training.loop import (
    DIR_MODEL_BEST,
    DIR_MODEL_LAST,
    clean_output_dir,
    create_before_to_disk_callback,
    create_evaluation_callback,
    create_train_batches,
    train_while_improving,
    update_meta,
)
from spacy.util import registry, resolve_dot_names
from thinc.api import fix_random_seed, set_gpu_allocator

from ..errors import Errors
from ..files import remove_leftovers, replace_folder
from .snapshot import Progress, Snapshot, get_random_state, set_random_state

SNAPSHOT = "training.msgpack"


def train(
    nlp: Language,
    output_path: Path,
    *,
    resume: bool = False,
    use_gpu: int = -1,
    stdout: IO = sys.stdout,
    stderr: IO = sys.stderr,
) -> Path:
    """Train a pipeline like `spacy train`, in a run that can be resumed.

    The order of examples, the steps, the scores and the weights are those of `spacy
    train`, whether the run is interrupted or not. A snapshot is written to
    training.msgpack before every evaluation. The results of an earlier run in the
    folder are removed when the corpora have been read.
    """
    config = nlp.config.interpolate()
    if config["training"]["seed"] is not None:
        fix_random_seed(config["training"]["seed"])
    if use_gpu >= 0 and config["training"]["gpu_allocator"]:
        set_gpu_allocator(config["training"]["gpu_allocator"])
    settings = registry.resolve(config["training"], schema=ConfigSchemaTraining)
    path = output_path / SNAPSHOT
    last, best = output_path / DIR_MODEL_LAST, output_path / DIR_MODEL_BEST
    for output in (path, last, best):
        remove_leftovers(output)
    run = _Run(nlp, settings, path)
    if resume and path.exists():
        run.snapshot = Snapshot(path)
        run.snapshot.restore(nlp, settings["optimizer"])
        run.progress = run.snapshot.progress
    elif resume and (last.exists() or best.exists()):
        reason = f"there are models, but no {SNAPSHOT} to resume from"
        raise ValueError(Errors.FC081.format(path=output_path, reason=reason))
    frozen = settings["frozen_components"]
    with nlp.select_pipes(disable=frozen):
        log_step, finalize = settings["logger"](nlp, stdout, stderr)
    try:
        for info, is_evaluated in run.iterate():
            if is_evaluated:
                with nlp.select_pipes(disable=frozen):
                    update_meta(settings, nlp, info)
                run.save(last)
                if info["score"] == max(run.progress.results)[0]:
                    with replace_folder(best) as new:
                        shutil.copytree(last, new, dirs_exist_ok=True)
                info["output_path"] = str(last)
            log_step(info if is_evaluated else None)
    finally:
        finalize()
    run.save(last)
    return last


class _Run:
    """Take the steps of a run, starting from the first step or from a snapshot."""

    def __init__(self, nlp: Language, settings: Dict[str, Any], path: Path) -> None:
        self.nlp = nlp
        self.settings = settings
        self.path = path
        self.progress = Progress()
        self.n_epochs = 0
        self.snapshot: Optional[Snapshot] = None
        self.to_disk = create_before_to_disk_callback(settings["before_to_disk"])

    def iterate(self) -> Iterator[Tuple[Dict[str, Any], bool]]:
        """Take the remaining steps; yield each step's info and whether it evaluated."""
        settings, progress = self.settings, self.progress
        train_corpus, dev_corpus = self.make_corpora()
        batches = create_train_batches(
            self.nlp, train_corpus, self.batch, settings["max_epochs"]
        )
        self.begin_epoch()
        dropout = settings["dropout"]
        if not isinstance(dropout, float):
            dropout = itertools.islice(dropout, progress.step, None)
        steps = train_while_improving(
            self.nlp,
            settings["optimizer"],
            itertools.islice(batches, progress.step, None),
            create_evaluation_callback(self.nlp, dev_corpus, settings["score_weights"]),
            dropout=dropout,
            accumulate_gradient=settings["accumulate_gradient"],
            # spaCy counts these from the first step after resuming, so they are checked
            # below.
            patience=0,
            max_steps=0,
            eval_frequency=settings["eval_frequency"],
            exclude=settings["frozen_components"],
            annotating_components=settings["annotating_components"],
            before_update=self.before_update,
        )
        before = replace(progress)
        for _, info, is_best in steps:
            if not info["step"]:
                for name, loss in before.losses.items():
                    info["losses"][name] = info["losses"].get(name, 0.0) + loss
            for name in ("step", "words", "seconds"):
                info[name] += getattr(before, name)
            is_evaluated = is_best is not None
            if is_evaluated:
                progress.results.append((info["score"], info["step"]))
            info["checkpoints"] = progress.results
            progress.step = info["step"] + 1
            progress.words, progress.seconds = info["words"], info["seconds"]
            progress.losses = {} if is_evaluated else info["losses"]
            yield info, is_evaluated
            # The first of equal scores counts.
            _, best_step = max(progress.results, key=lambda result: result[0])
            since_best = info["step"] - best_step
            if settings["patience"] and since_best >= settings["patience"]:
                break
            if settings["max_steps"] and info["step"] >= settings["max_steps"]:
                break

    def make_corpora(self) -> Tuple[Callable, Callable]:
        names = [self.settings["train_corpus"], self.settings["dev_corpus"]]
        return resolve_dot_names(self.nlp.config.interpolate(), names)

    def batch(self, examples: Iterable[Example]) -> Iterator[List[Example]]:
        """Batch the examples of an epoch, and then begin the next epoch."""
        yield from self.settings["batcher"](examples)
        self.n_epochs += 1
        self.begin_epoch()

    def begin_epoch(self) -> None:
        """Save the random state, or restore the one with which this epoch started."""
        # A resumed run skips steps, and with them the random numbers that they drew.
        epochs = self.progress.epochs
        if self.n_epochs < len(epochs):
            set_random_state(epochs[self.n_epochs])
        else:
            epochs.append(get_random_state())

    def before_update(self, nlp: Language, args: Dict[str, Any]) -> None:
        step = self.progress.step
        if self.snapshot is not None:
            # Reading the corpora up to this step has drawn random numbers.
            set_random_state(self.snapshot.state["random"])
            self.snapshot = None
        elif step % self.settings["eval_frequency"] == 0:
            if not step:
                self.remove_earlier()
            Snapshot.write(self.path, nlp, self.settings["optimizer"], self.progress)
        if self.settings["before_update"]:
            self.settings["before_update"](nlp, {**args, "step": step})

    def remove_earlier(self) -> None:
        """Remove the results of an earlier run, if the corpora can be read."""
        state = get_random_state()
        # New readers, since reading changes the state of those of the run.
        _, dev_corpus = self.make_corpora()
        deque(dev_corpus(self.nlp), maxlen=0)
        set_random_state(state)
        self.path.unlink(missing_ok=True)
        clean_output_dir(self.path.parent)

    def save(self, path: Path) -> None:
        averages = self.settings["optimizer"].averages
        with self.nlp.use_params(averages), replace_folder(path) as new:
            self.to_disk(self.nlp).to_disk(new)
