"""Read annotated files of any format as examples, to evaluate a pipeline on."""

from pathlib import Path
from typing import Iterable, Iterator, Optional, Tuple

from spacy.language import Language
from spacy.training import Example

from ..training.evaluation import can_read, read_examples
from ..training.readers.docbins import make_example
from .inputs import find_inputs, read_inputs


def read_gold(
    paths: Iterable[Path],
    nlp: Language,
    name: Optional[str] = None,
    is_annotated: bool = False,
) -> Iterator[Tuple[str, Example]]:
    """Read the documents of annotated files.

    paths (Iterable[pathlib.Path]): Files and folders.
    nlp (Language): The pipeline, for its tokenizer and vocabulary.
    name (Optional[str]): The name of the format; None to tell it by the ending. Files
        that end in .txt are texts with mentions in brackets.
    is_annotated (bool): Whether documents keep the tags and the parse of files that
        have them, such as .spacy files.
    YIELDS (Tuple[str, Example]): The name of each document, and the example.
    RAISES (ValueError): A document can't be read, or a format can't be told.
    """
    for path in paths:
        if name is None and can_read(path):
            yield from read_examples(path, nlp, is_annotated)
            continue
        for entry in read_inputs(find_inputs([str(path)], name), nlp):
            if isinstance(entry, ValueError):
                raise entry
            yield entry.key, make_example(entry.doc, is_annotated=is_annotated)
