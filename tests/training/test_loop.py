"""Test that a resumed run gives the same result as a run without interruption."""

import shutil
from pathlib import Path

import pytest
from spacy import util
from spacy.training import loop as spacy_loop
from spacy.training.initialize import init_nlp

from spacy_fastcoref.training.loop import SNAPSHOT, train

from ..models.test_architectures import write_encoder
from .corpus import make_rows, write_rows
from .test_configs import CONFIGS, SMALL_TOK2VEC
from .test_train import TINY, TINY_MODEL, list_paths, write_data

STEPS = {"training.max_steps": 14, "training.eval_frequency": 4}


class Killed(Exception):
    pass


def prepare(folder):
    """Write what pipelines are trained on, and return a function that makes them."""
    # Few to evaluate on, since training stops for it again and again.
    data = write_data(folder / "data", n_dev=3)
    (folder / "encoder").mkdir()
    small = {**TINY, **TINY_MODEL, **STEPS, **list_paths(data)}
    small["paths.encoder"] = str(write_encoder(folder / "encoder", "bert"))
    small["components.fastcoref.model.encoder.word_dropout"] = 0.2
    small["components.fastcoref.model.mention_scorer.dropout"] = 0.3

    def make(name="en_small", **changes):
        settings = small
        if name == "en_tok2vec":
            settings = {**TINY, **STEPS, **SMALL_TOK2VEC, "paths.data": str(data)}
        overrides = {**settings, **changes}
        config = util.load_config(CONFIGS / f"{name}.cfg", overrides=overrides)
        return init_nlp(config)

    return make


@pytest.fixture(scope="module")
def whole_runs(tmp_path_factory):
    """Give the folder, the log and the last pipeline of runs that nothing stopped."""
    folder, runs = tmp_path_factory.mktemp("whole"), {}
    make = prepare(folder)

    def find(name):
        if name not in runs:
            log, output = Log(), folder / name
            # There is nothing to resume, so that it begins anew.
            whole = train(make(name), output, resume=True, stdout=log)
            runs[name] = make, output, log, whole
        return runs[name]

    return find


@pytest.fixture
def make_nlp(whole_runs):
    return whole_runs("en_small")[0]


@pytest.fixture
def out(whole_runs, tmp_path):
    return Path(shutil.copytree(whole_runs("en_small")[1], tmp_path / "out"))


def read_folder(path):
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.is_file()
    }


def kill_at(nlp, step):
    pipe = nlp.get_pipe("fastcoref")
    update, seen = pipe.update, []

    def fail(examples, **kwargs):
        seen.append(examples)
        if len(seen) > step:
            raise Killed
        return update(examples, **kwargs)

    pipe.update = fail


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, step", [("en_small", 2), ("en_small", 12), ("en_tok2vec", 5)]
)
def test_resumed_run_gives_the_same_result(whole_runs, tmp_path, name, step):
    make_nlp, output, out, whole = whole_runs(name)
    nlp = make_nlp(name)
    kill_at(nlp, step)
    with pytest.raises(Killed):
        train(nlp, tmp_path / "killed", stdout=(first := Log()))
    again = make_nlp(name)
    resumed = train(again, tmp_path / "killed", resume=True, stdout=(last := Log()))
    assert read_folder(resumed) == read_folder(whole)
    best = [folder / "model-best" for folder in (output, tmp_path / "killed")]
    assert read_folder(best[0]) == read_folder(best[1])
    assert out.rows == {**first.rows, **last.rows}
    # It did not begin anew: what had been scored is not scored again.
    assert min(last.rows) == step // 4 * 4


class Log:
    def __init__(self):
        self.rows = {}

    def write(self, text):
        parts = text.split()
        if len(parts) > 3 and all(part[0].isdigit() for part in parts):
            self.rows[int(parts[1])] = parts

    def flush(self):
        pass


@pytest.mark.slow
def test_same_result_as_spacy_train(whole_runs, tmp_path):
    make_nlp, output, our_log, ours = whole_runs("en_small")
    their_log = Log()
    _, theirs = spacy_loop.train(make_nlp(), tmp_path, stdout=their_log)
    assert read_folder(ours) == read_folder(theirs)
    assert our_log.rows == their_log.rows
    # The snapshot beside it can be read by all who can read the model.
    files = [output / name for name in (SNAPSHOT, "model-last/meta.json")]
    assert len({file.stat().st_mode for file in files}) == 1


@pytest.mark.slow
def test_patience_counts_from_the_first_step(make_nlp, tmp_path):
    changes = {"training.patience": 6, "training.max_steps": 0}
    # Nothing is learned, so that the first score is the best.
    changes["training.optimizer.learn_rate.initial_rate"] = 0.0
    nlp = make_nlp(**changes)
    kill_at(nlp, 5)
    with pytest.raises(Killed):
        train(nlp, tmp_path / "killed", stdout=Log())
    train(make_nlp(**changes), tmp_path / "killed", resume=True, stdout=(log := Log()))
    # The first best is at 0, so it ends after 6 steps, though it was killed at 5.
    assert list(log.rows) == [4]


@pytest.mark.slow
@pytest.mark.parametrize("corpus", ["train", "dev"])
@pytest.mark.parametrize("is_there", [False, True])
def test_unreadable_corpus_keeps_earlier_models(
    make_nlp, out, tmp_path, corpus, is_there
):
    before = read_folder(out)
    nlp = make_nlp()
    typo = tmp_path / "typo.jsonl"
    if is_there:
        write_rows(typo, make_rows(1))
        typo.write_text(f"{typo.read_text()}no document\n")
    reader = {"@readers": "spacy_fastcoref.JsonlCorpus.v1", "path": str(typo)}
    nlp.config["corpora"][corpus] = reader
    with pytest.raises(ValueError, match=r"FC05.*typo\.jsonl"):
        train(nlp, out, stdout=Log())
    assert read_folder(out) == before


@pytest.mark.slow
def test_models_without_a_snapshot_are_kept(make_nlp, out):
    (out / SNAPSHOT).unlink()
    before = read_folder(out)
    with pytest.raises(ValueError, match="FC081.*out.*no training.msgpack"):
        train(make_nlp(), out, resume=True, stdout=Log())
    assert read_folder(out) == before
    # Begun anew on purpose.
    train(make_nlp(), out, stdout=(log := Log()))
    assert read_folder(out).keys() == {SNAPSHOT, *before} and min(log.rows) == 0


def test_resume_with_other_settings_is_an_error(make_nlp, out):
    changes = {"training.batcher.size": 100, "training.max_steps": 20}
    names = r"training\.batcher\.size, training\.max_steps\."
    with pytest.raises(ValueError, match=f"FC081.*{names}"):
        train(make_nlp(**changes), out, resume=True, stdout=Log())


@pytest.mark.parametrize("content", [b"", b"\x80\x04pickle", "half"])
def test_broken_snapshot_is_an_error(make_nlp, out, content):
    path, before = out / SNAPSHOT, read_folder(out / "model-best")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if content == "half" else content)
    with pytest.raises(ValueError, match="FC081.*training.msgpack"):
        train(make_nlp(), out, resume=True, stdout=Log())
    assert read_folder(out / "model-best") == before
