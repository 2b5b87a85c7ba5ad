"""Define `python -m spacy coref resolve`: print clusters and resolved text."""

from typing import List, Optional

from spacy.cli._util import Arg, Opt
from spacy.language import Language

from ..resolution.resolve import DEFAULT_POLICY, resolve_text
from . import coref_cli
from .pipelines import LANGUAGE, MODEL, load_pipeline
from .texts import read_argument


@coref_cli.command("resolve")
def resolve_cli(
    text: Optional[str] = Arg(
        None, help="The text; standard input by default, or for -"
    ),
    model: Optional[str] = MODEL,
    lang: str = LANGUAGE,
    policy: str = Opt(
        DEFAULT_POLICY,
        "--policy",
        "-p",
        help="The registered name of the policy for the resolved text",
    ),
) -> None:
    """Print a text's clusters and its resolved text."""
    nlp = load_pipeline(model, lang)
    for line in resolve(nlp, read_argument(text), policy):
        print(line)


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
