"""Test that every message has a code, is used, and gets the fields that it names."""

import ast
import string
from pathlib import Path

import pytest

import spacy_fastcoref
from spacy_fastcoref import errors

PACKAGE = Path(spacy_fastcoref.__file__).parent
OWNERS = ("Errors", "Warnings")
MESSAGES = [
    (owner, code)
    for owner in OWNERS
    for code in vars(getattr(errors, owner))
    if code.startswith("FC")
]


def find_uses():
    """Map each message to the names of the fields that its uses pass to it."""
    uses = {}
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                message, given = node.func.value, {k.arg for k in node.keywords}
                if node.func.attr == "format" and isinstance(message, ast.Attribute):
                    uses.setdefault(message.attr, []).append(given)
            elif isinstance(node, ast.Attribute) and node.attr.startswith("FC"):
                uses.setdefault(node.attr, [])
    return uses


USES = find_uses()


@pytest.mark.parametrize("owner, code", MESSAGES)
def test_message(owner, code):
    message = getattr(getattr(errors, owner), code)
    assert message.startswith(f"[{code}] ")
    fields = {field for _, field, _, _ in string.Formatter().parse(message) if field}
    assert code in USES
    assert USES[code] or not fields
    for given in USES[code]:
        assert given == fields
