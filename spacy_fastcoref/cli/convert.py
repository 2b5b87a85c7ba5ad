"""Define `python -m spacy coref convert`: convert annotated files."""

from typing import List, Optional

import spacy
from spacy.cli._util import Arg, Opt
from spacy.language import Language

from ..about import DEFAULT_LANG
from ..formats.base import find_inputs, read_inputs
from ..formats.docs import drop_singletons
from ..formats.output import Output, check_output_file
from . import coref_cli
from .annotate import describe_run
from .documents import FROM, OUTPUT, TO, Failures, choose_output, show_usage_errors


@coref_cli.command("convert")
def convert_cli(
    paths: List[str] = Arg(
        ...,
        metavar="INPUT...",
        help="Files or folders, .gz as well; - for standard input",
    ),
    output: str = OUTPUT,
    from_: Optional[str] = FROM,
    to: Optional[str] = TO,
    model: Optional[str] = Opt(
        None, "--model", "-m", help="A pipeline, whose tokenizer is used for texts"
    ),
    lang: str = Opt(
        DEFAULT_LANG,
        "--lang",
        "-l",
        help="Without a pipeline, the language of the tokenizer for texts",
    ),
    singletons: bool = Opt(
        True,
        "--singletons/--no-singletons",
        help="Keep clusters of one mention, or leave them out",
    ),
) -> None:
    """Convert annotated documents from one format to another.

    Documents that can't be read, or that the new format can't hold, are left out and
    listed at the end, and the exit code is 1.
    """
    with show_usage_errors():
        inputs = find_inputs(paths, from_)
        written = choose_output(output, to, default=None)
        check_output_file(output, [path for path, _ in inputs])
    nlp: Language = spacy.blank(lang) if model is None else spacy.load(model)
    settings = describe_run(nlp, inputs, written, singletons=singletons)
    opened = Output(output, written, settings)
    with opened.open():
        failures = Failures(opened.errors)
        entries = read_inputs(inputs, nlp)
        for number, entry in failures.keep_documents(entries, opened.n_done):
            if not singletons:
                drop_singletons(entry.doc)
            failures.write(opened, number, entry)
    failures.report()
