"""Provide a reader of .spacy files with clusters."""

import random
from functools import partial
from pathlib import Path
from typing import Iterator, List, Optional

from spacy import registry
from spacy.attrs import (
    DEP,
    ENT_IOB,
    ENT_TYPE,
    HEAD,
    LEMMA,
    MORPH,
    POS,
    SENT_START,
    TAG,
)
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Example

from ...errors import Errors
from ...span_keys import MASKED, SPEAKERS
from ..distillation.shards import list_shards
from .reading import Corpus, Paths, check_any, check_file, check_number, list_paths

# The groups that are input of the model rather than gold annotation.
_INPUTS = frozenset((SPEAKERS, MASKED))
# The annotation of words.
_ANNOTATION = (TAG, POS, MORPH, LEMMA, HEAD, DEP, SENT_START, ENT_IOB, ENT_TYPE)


@registry.readers("spacy_fastcoref.DocBinCorpus.v1")
def make_docbin_corpus(
    path: Paths,
    limit: int = 0,
    scheme: Optional[str] = None,
    seed: Optional[int] = None,
    annotated: bool = False,
) -> Corpus:
    """Make a reader of .spacy files with clusters, with one file in memory at a time.

    Unlike spacy.Corpus.v1, the reader keeps the gold tokens, and copies the speakers
    and the masked words to the predicted Doc.

    path (Paths): A file, a folder of files such as the output of `spacy coref
        distill`, or several of these.
    limit (int): The maximum number of documents to read; 0 for all.
    scheme (Optional[str]): The annotation scheme, for models trained on several; None
        to use the scheme of each document, if it has one.
    seed (Optional[int]): The random seed to shuffle the files, and the documents of
        each file, in another order in each epoch; None to keep the order.
    annotated (bool): Whether the predicted Docs keep the tags, the parse and all other
        annotation of words, for models that read it and train without the pipeline that
        made it.
    RETURNS (Corpus): The reader.
    RAISES (ValueError): A setting is not valid.
    """
    check_number("limit", limit)
    rng = None if seed is None else random.Random(seed)
    paths = list_paths(path)
    return partial(
        _read_docbins,
        paths=paths,
        limit=limit,
        scheme=scheme,
        rng=rng,
        is_annotated=annotated,
    )


def _read_docbins(
    nlp: Language,
    *,
    paths: List[Path],
    limit: int,
    scheme: Optional[str],
    rng: Optional[random.Random],
    is_annotated: bool,
) -> Iterator[Example]:
    files = [file for path in paths for file in _list_files(path)]
    if rng is not None:
        rng.shuffle(files)
    n_read = 0
    for file in files:
        references = list(_read_docbin(file).get_docs(nlp.vocab))
        if rng is not None:
            rng.shuffle(references)
        for reference in references:
            if limit and n_read >= limit:
                return
            n_read += 1
            yield make_example(reference, scheme, is_annotated=is_annotated)
    check_any(n_read, paths)


def _list_files(path: Path) -> List[Path]:
    if not path.is_dir():
        return [path]
    shards = list_shards(path)
    if not shards:
        reason = "there is no .spacy file in this folder"
        raise ValueError(Errors.FC052.format(path=path, reason=reason))
    return shards


def _read_docbin(path: Path) -> DocBin:
    check_file(path)
    try:
        return DocBin().from_disk(path)
    except (ValueError, KeyError, TypeError) as error:
        reason = f"this is not a DocBin: {type(error).__name__}: {error}"
        raise ValueError(Errors.FC052.format(path=path, reason=reason)) from error


def make_example(
    reference: Doc, scheme: Optional[str] = None, *, is_annotated: bool = False
) -> Example:
    """Make an example of a Doc with clusters.

    reference (Doc): The Doc.
    scheme (Optional[str]): The annotation scheme; None for that of the Doc, if any.
    is_annotated (bool): Whether the predicted Doc gets tags and a parse. Otherwise the
        pipeline's components predict them.
    RETURNS (Example): The example.
    """
    predicted = Doc(
        reference.vocab,
        words=[token.text for token in reference],
        spaces=[bool(token.whitespace_) for token in reference],
    )
    if is_annotated:
        annotation = reference.to_array(list(_ANNOTATION))
        predicted.from_array(list(_ANNOTATION), annotation)
        predicted.tensor = reference.tensor
    for key in _INPUTS.intersection(reference.spans):
        predicted.spans[key] = [
            Span(predicted, span.start, span.end, label=span.label)
            for span in reference.spans[key]
        ]
    predicted._.coref_scheme = scheme or reference._.coref_scheme
    return Example(predicted, reference)
