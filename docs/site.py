"""Make the pages and pictures of the site that are no files: a hook of mkdocs."""

import re
import runpy
import tempfile
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import spacy_fastcoref

ROOT = Path(__file__).parent.parent
EXAMPLE = """# Example

These pictures were drawn by [`render`](visualizer.md) when this site was built:
clusters in a text, a table of clusters, and links with what grammar says of them.

<iframe src="pictures.html" title="Pictures of clusters" width="100%" height="800"
style="border: 0"></iframe>
"""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List all recipes in the navigation."""
    recipes = sorted((ROOT / "docs" / "recipes").glob("*.md"))
    for section in config.nav:
        if "Recipes" in section:
            section["Recipes"] = [f"recipes/{path.name}" for path in recipes]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the README, the changelog, the reference and the pictures."""
    readme = (ROOT / "README.md").read_text(encoding="utf8")
    links = {"docs/": "", "CHANGELOG.md": "changes.md"}
    for old, new in links.items():
        readme = readme.replace(f"]({old}", f"]({new}")
    # What is outside of docs has no page.
    readme = re.sub(r"\[([^\]]+)\]\((?:projects/|mkdocs)[^)]*\)", r"\1", readme)
    pages = {
        "index.md": readme,
        "changes.md": (ROOT / "CHANGELOG.md").read_text(encoding="utf8"),
        "example.md": EXAMPLE,
        "reference.md": make_reference(),
        **draw_pictures(),
    }
    for name, content in pages.items():
        old = files.get_file_from_path(name)
        if old is not None:
            files.remove(old)
        files.append(File.generated(config, name, content=content))
    return files


def make_reference() -> str:
    """Ask mkdocstrings for every public name, and for the component."""
    modules = sorted(spacy_fastcoref._MODULES.items())
    names = [f"{module[1:]}.{name}" for name, module in modules]
    names.insert(0, "pipeline.component.FastCoref")
    lines = [f"::: spacy_fastcoref.{name}\n" for name in names]
    return "\n".join(["# Classes and functions\n", *lines])


def draw_pictures() -> dict:
    """Draw the pictures with the weights that ship."""
    with tempfile.TemporaryDirectory() as folder:
        draw = runpy.run_path(str(ROOT / "docs" / "images" / "draw.py"))
        draw["main"](Path(folder))
        found = {path.name: path.read_text("utf8") for path in Path(folder).iterdir()}
    return {
        name if name.endswith(".html") else f"images/{name}": content
        for name, content in found.items()
    }
