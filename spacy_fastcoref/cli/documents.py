"""Define what the commands that read and write documents have in common."""

import contextlib
import sys
from typing import Any, Iterator, List, Optional, Tuple

from spacy.cli._util import Opt

from ..errors import Errors
from ..formats.base import Document, Entry, Format, get_format, guess_format
from ..formats.output import STDOUT, Output
from .messages import print_message

FROM: Any = Opt(
    None,
    "--from",
    "-f",
    metavar="FORMAT",
    help="The format of the input; by default that of its ending",
)
TO: Any = Opt(
    None,
    "--to",
    "-t",
    metavar="FORMAT",
    help="The format of the output; by default that of its ending",
)
OUTPUT: Any = Opt(
    STDOUT, "--output", "-o", metavar="FILE", help="The output; - for standard output"
)
USAGE = 2


@contextlib.contextmanager
def show_usage_errors() -> Iterator[None]:
    """Print an error in the arguments of a command, and exit with code 2.

    YIELDS (None): Nothing; check the arguments within the context.
    """
    try:
        yield
    except ValueError as error:
        print_message("fail", error)
        sys.exit(USAGE)


def choose_output(path: str, name: Optional[str], default: Optional[str]) -> Format:
    """Choose the format of the output.

    path (str): The file; "-" for standard output.
    name (Optional[str]): The name of the format; None to tell it by the ending.
    default (Optional[str]): The name of the format of standard output, if any.
    RETURNS (Format): The format.
    RAISES (ValueError): There is no such format, or it can't be told.
    """
    if name is None and path == STDOUT:
        name = default
    if name is None:
        return guess_format(path, reads=False)
    return get_format(name, reads=False)


class Failures:
    """Collect the errors of documents, to list them at the end.

    earlier (List[Tuple[int, str]]): The numbers and errors of an earlier run.
    """

    def __init__(self, earlier: List[Tuple[int, str]]) -> None:
        self.errors = list(earlier)
        self.n_read = 0

    def add(self, number: int, error: object) -> None:
        """Add the error of a document.

        number (int): The number of the document, counted from 0.
        error (object): The error, or its message.
        """
        self.errors.append((number, str(error)))

    def keep_documents(
        self, entries: Iterator[Entry], first: int = 0
    ) -> Iterator[Tuple[int, Document]]:
        """Number documents, and keep the errors of those that can't be read.

        entries (Iterator[Union[Document, ValueError]]): The documents and errors.
        first (int): The number of the first document to yield. Those before it are
            finished.
        YIELDS (Tuple[int, Document]): The documents with their numbers.
        """
        for number, entry in enumerate(entries):
            self.n_read = number + 1
            if isinstance(entry, ValueError):
                self.add(number, entry)
            elif number >= first:
                yield number, entry

    def write(self, output: Output, number: int, entry: Entry) -> None:
        """Write a document, or keep the error of one that failed.

        output (Output): The output.
        number (int): The number of the document, counted from 0.
        entry (Union[Document, ValueError]): The document, or an error.
        RAISES (OSError): The output can't be written.
        """
        try:
            if isinstance(entry, ValueError):
                raise entry
            output.write(number, entry)
        except ValueError as error:
            message = str(error)
            if isinstance(entry, Document):
                # The format can't hold it.
                message = Errors.FC165.format(key=entry.key, reason=error)
            self.add(number, message)
            output.fail(number, message)

    def report(self) -> None:
        """Print the errors to standard error; if there are any, exit with code 1."""
        for _, error in sorted(self.errors):
            print_message("fail", error)
        if self.errors:
            counts = f"{len(self.errors)} of {self.n_read} documents"
            print_message("fail", f"{counts} failed; the others are written")
            sys.exit(1)
