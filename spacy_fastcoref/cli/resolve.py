"""Define `python -m spacy coref resolve`: print clusters and resolved text."""

import sys
from typing import List, Optional

import spacy
from spacy.cli._util import Arg, Opt
from spacy.language import Language

from ..errors import Errors
from ..factories import FACTORY, find_components
from ..languages.en import LANG
from ..resolution.resolve import DEFAULT_POLICY, resolve_text
from ..training.readers.parsing import check_text
from . import coref_cli


@coref_cli.command("resolve")
def resolve_cli(
    text: Optional[str] = Arg(None, help="The text; standard input by default"),
    model: Optional[str] = Opt(
        None,
        "--model",
        "-m",
        help="An installed pipeline or its folder; a blank English one by default",
    ),
    policy: str = Opt(
        DEFAULT_POLICY,
        "--policy",
        "-p",
        help="The registered name of the policy for the resolved text",
    ),
) -> None:
    """Print a text's clusters and its resolved text."""
    nlp = spacy.blank(LANG) if model is None else spacy.load(model)
    if not find_components(nlp.pipe_factories):
        nlp.add_pipe(FACTORY)
    for line in resolve(nlp, _read(text), policy):
        print(line)


def _read(text: Optional[str]) -> str:
    name = "standard input" if text is None else "TEXT"
    try:
        text = sys.stdin.read() if text is None else text
        check_text(text)
    except ValueError as error:
        raise ValueError(Errors.FC080.format(path=name, reason=error)) from error
    return text


def resolve(nlp: Language, text: str, policy: str = DEFAULT_POLICY) -> List[str]:
    """Find the clusters of a text and its resolved text.

    nlp (Language): A pipeline with the component. Its `max_length` is raised to the
        length of the text.
    text (str): The text.
    policy (str): The registered name of a policy for the resolved text.
    RETURNS (List[str]): One line for each cluster, an empty line and the resolved text.
    """
    # The text may be a whole novel.
    nlp.max_length = max(nlp.max_length, len(text))
    doc = nlp(text)
    chains = [chain.pretty_representation for chain in doc._.coref_chains]
    return [*chains, "", resolve_text(doc, policy)]
