"""What importing the package does, and what it leaves to later."""

import ast
import json
from importlib.metadata import distribution
from pathlib import Path

import pytest

import spacy_fastcoref
from spacy_fastcoref.registry import registry

from .conftest import run_python

PACKAGE = Path(spacy_fastcoref.__file__).parent


@pytest.mark.slow
def test_entry_points_are_light_and_quiet():
    done = run_python("""
        import logging, sys
        import spacy
        from importlib.metadata import distribution
        before = set(sys.modules)
        import spacy_fastcoref
        LIGHT = (
            "spacy_factories",
            "spacy_cli",
            "spacy_coref_policies",
            "spacy_coref_rules",
        )
        for entry_point in distribution("spacy-fastcoref").entry_points:
            # What spaCy itself loads whenever it starts, and what needs no model.
            if entry_point.group in LIGHT:
                entry_point.load()
        new = set(sys.modules) - before
        packages = ("transformers", "tokenizers", "scipy", "pyarrow", "ray")
        heavy = [m for m in new if m.split(".")[0] in packages]
        heavy += [m for m in new if m.startswith("spacy_fastcoref.models")]
        heavy += {"spacy_fastcoref.spacy_component"} & new
        assert not heavy, heavy
        # What those who come from fastcoref import.
        from spacy_fastcoref import spacy_component
        for name in ("fastcoref", "spacy_fastcoref"):
            nlp = spacy.blank("en")
            nlp.add_pipe(name)
            assert nlp("Ann said she left.")._.coref_clusters == [[(0, 3), (9, 12)]]
        assert not logging.getLogger().handlers
        slow = {"huggingface_hub", "scipy", "torch._dynamo", "transformers"}
        # spaCy loads spacy-transformers, which imports them, if it is installed.
        if "spacy_transformers" not in sys.modules:
            assert not slow & (set(sys.modules) - before)
    """)
    assert done.stdout == "" and done.stderr == ""


def test_public_names():
    for name in spacy_fastcoref.__all__:
        assert getattr(spacy_fastcoref, name) is not None
        assert name in dir(spacy_fastcoref)
    with pytest.raises(AttributeError, match="no_such_name"):
        spacy_fastcoref.no_such_name  # noqa: B018


def test_registered_names():
    """The names in people's configs: a new one is added here, none is taken back."""
    path = Path(__file__).parent / "registry_contents.json"
    found = {}
    for point in distribution("spacy-fastcoref").entry_points:
        found.setdefault(point.group, []).append(point.name)
    assert {group: sorted(names) for group, names in found.items()} == json.loads(
        path.read_text(encoding="utf8")
    )
    for group, names in found.items():
        registry_name = group.removeprefix("spacy_")
        # The component's factories are asked for by name in a process of its own.
        if hasattr(registry, registry_name) and registry_name != "factories":
            for name in names:
                assert registry.get(registry_name, name) is not None


def test_lazy_names_are_those_that_type_checkers_see():
    tree = ast.parse(Path(spacy_fastcoref.__file__).read_text(encoding="utf8"))
    (block,) = (
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    seen = {
        alias.name: f".{node.module}" for node in block.body for alias in node.names
    }
    assert seen == spacy_fastcoref._MODULES
    assert {*seen, "__version__"} == set(spacy_fastcoref.__all__)
    assert (PACKAGE / "py.typed").is_file()


def test_licences_are_in_the_distribution():
    """Those of the code, and of what ships with it."""
    folders = [PACKAGE / "pretrained" / "en", *PACKAGE.glob("languages/*/data")]
    assert len(folders) > 1
    for folder in folders:
        assert (folder / "LICENSE").is_file(), folder


def test_weights_are_in_the_package():
    names = {path.name for path in (PACKAGE / "pretrained" / "en").iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= names
    size = sum(path.stat().st_size for path in (PACKAGE / "pretrained").rglob("*"))
    assert 50e6 < size < 95e6


def find_imports(path):
    """Yield the full names of the modules that a file imports."""
    parts = path.relative_to(PACKAGE.parent).parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(parts[: len(parts) - node.level]) if node.level else ""
            module = ".".join(filter(None, [base, node.module]))
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


# Modules at the top that any folder may import.
SHARED = frozenset(
    "errors factories files graph journal registry span_groups span_keys streams "
    "types".split()
)
# The folders that each may import, beside itself and SHARED, each below those after it.
# No folder below `languages` knows one: languages are found by the registry.
ARROWS = {
    "grammar": "",
    "languages": "grammar",
    "clusters": "grammar",
    "resolution": "clusters grammar",
    "quotes": "clusters grammar",
    "decoding": "grammar",
    "metrics": "clusters grammar",
    "visualizer": "clusters",
    "pretrained": "",
    "models": "grammar pretrained",
    "pipeline": "clusters decoding extensions grammar models pretrained",
    "conversation": "clusters grammar resolution",
    "training": "clusters formats grammar metrics models pipeline pretrained "
    "resolution",
    "uses": "clusters grammar resolution",
    "compat": "clusters grammar models pipeline training",
    "server": "clusters formats grammar pipeline resolution training visualizer",
    "formats": "clusters grammar metrics resolution visualizer",
    "scale": "pipeline resolution",
    "cli": "clusters formats grammar models pipeline pretrained quotes resolution "
    "scale server training visualizer",
}
# The modules and folders of models, each above those before it. Those in one string do
# not know each other, except for the modules in the first.
MODELS = (
    "batching blocks folders runtime workers",
    "encoders",
    "scorers",
    "network",
    "learning",
    "checkpoints",
    "model",
    "ensemble",
    "architectures",
    "nearest ranker",
)
# What may not even know that there are neural networks.
LIGHT = tuple(
    "grammar/ languages/ clusters/ resolution/ decoding/ metrics/ pretrained/ quotes/ "
    "uses/ visualizer/ models/nearest/ models/ranker/".split()
)


def find_room(path):
    """Name the folder of a file; empty for the modules at the top."""
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else ""


FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if find_room(path)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_what_each_folder_may_know(path):
    room = find_room(path)
    allowed = SHARED | {room, "about"} | set(ARROWS[room].split())
    is_light = path.relative_to(PACKAGE).as_posix().startswith(LIGHT)
    for name in find_imports(path):
        first, *rest = name.split(".")
        if first == PACKAGE.name and rest:
            assert rest[0] in allowed, f"{room} imports {name}"
        is_heavy = first in ("torch", "transformers")
        assert not (is_light and is_heavy), f"{room} imports {name}"


def test_models_know_those_before_them():
    """Imports inside functions count, too."""
    levels = {name: i for i, row in enumerate(MODELS) for name in row.split()}
    for path in FILES:
        room, own, *_ = (*path.relative_to(PACKAGE).with_suffix("").parts, "")
        if room != "models" or own == "__init__":
            continue
        for name in find_imports(path):
            first, room, other, *_ = (*name.split("."), "", "")
            if first == PACKAGE.name and room == "models" and other not in ("", own):
                assert levels[other] <= max(levels[own] - 1, 0), (
                    f"{path} imports {name}"
                )


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_a_language_names_itself(path):
    """No code of a language is compared with anything outside of its folder."""
    if find_room(path) == "languages":
        return
    codes = {folder.parent.name for folder in PACKAGE.glob("languages/*/lexicon.json")}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
            found = {p.value for p in parts if isinstance(p, ast.Constant)} & codes
            assert not found, f"{path}:{node.lineno} compares with {found}"
