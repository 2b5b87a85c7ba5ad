"""Silver data: plain text, annotated by a teacher.

The first phase of hard distillation, see F-coref (Otmazgin et al. 2022), section 4.1.
"""

import hashlib
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Union

from spacy import util
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from tqdm import tqdm

from ...errors import Errors, Warnings
from ...tokens.index import check_index
from ..readers.text_files import describe_inputs, list_inputs
from .passages import PassageReader
from .shards import ShardFolder

# What nlp.pipe takes for so many processes as the machine has CPUs.
_ALL_CPUS = -1


@dataclass
class AnnotationReport:
    """Hold what was annotated, in this run and in those that it went on with.

    n_files, n_skipped_files (int): Files, and those of them that are no text.
    n_skipped_lines (int): Lines of jsonlines that are no document.
    n_shards, n_old_shards (int): Shards, and those of them that were there already.
    n_passages, n_docs, n_clusters (int): What was read, and what is in the shards.
    """

    n_files: int
    n_skipped_files: int
    n_skipped_lines: int
    n_shards: int
    n_old_shards: int
    n_passages: int
    n_docs: int
    n_clusters: int


def annotate(
    nlp: Language,
    input_path: Union[str, Path],
    output_path: Union[str, Path],
    *,
    lang: Optional[str] = None,
    max_words: int = 500,
    shard_size: int = 500,
    skip_empty: bool = False,
    soft: bool = False,
    batch_size: int = 64,
    n_process: int = 1,
    enable_progress_bar: bool = False,
) -> AnnotationReport:
    """Annotate plain text with a pipeline, into a folder of DocBin files.

    A run that was killed goes on after its last whole shard when it is started again,
    and the shards are those of a run that was not.

    nlp (Language): The teacher.
    input_path (Union[str, Path]): A file that ends in .txt or .jsonl (with "text" in
        each line), or in .gz after that, or a folder of such files.
    output_path (Union[str, Path]): The folder for the shards and their manifest.
    lang (Optional[str]): The text's language, if it is to be checked that it is the
        teacher's.
    max_words (int): The most words in a passage.
    shard_size (int): The number of passages that are read for a shard.
    skip_empty (bool): Whether to leave out passages in which there are no clusters.
    soft (bool): Whether to keep how sure the teacher is of each link, too, which is
        what is learned from such documents.
    batch_size (int): The number of passages in a batch. This and n_process may change
        from run to run: they have no say but in how numbers are rounded.
    n_process (int): The number of processes, -1 for as many as there are CPUs.
    enable_progress_bar (bool): Whether to show the progress, on stderr.
    RETURNS (AnnotationReport): What was annotated.
    RAISES (ValueError): There is nothing to read, the teacher is for another language,
        the folder holds something else, n_process is no number of processes, or a
        teacher without a component of ours is to say how sure it is.
    """
    if lang is not None and lang != nlp.lang:
        raise ValueError(Errors.FC083.format(teacher=nlp.lang, lang=lang))
    if n_process < 1 and n_process != _ALL_CPUS:
        expected = f"1 or more, or {_ALL_CPUS} for as many as there are CPUs"
        raise ValueError(
            Errors.FC076.format(name="n_process", value=n_process, expected=expected)
        )
    input_path = Path(input_path)
    paths = list_inputs(input_path)
    settings = {
        "teacher": identify(nlp),
        "inputs": describe_inputs(paths, input_path),
        "max_words": max_words,
        "shard_size": shard_size,
        "skip_empty": skip_empty,
    }
    if soft:
        settings["soft"] = True
        _keep_links(nlp)
    folder = ShardFolder.open(Path(output_path), settings)
    reader = PassageReader(paths, max_words)
    n_old = 0
    with tqdm(desc="annotate", unit="doc", disable=not enable_progress_bar) as bar:
        for i, passages in enumerate(util.minibatch(reader, size=shard_size)):
            if i < len(folder.shards):
                if folder.is_whole(i):
                    n_old += 1
                    bar.update(len(passages))
                    continue
                warnings.warn(
                    Warnings.FCW21.format(path=folder.get_path(i)), stacklevel=2
                )
            # Words are counted, and where nothing stands between them a text is one.
            nlp.max_length = max(nlp.max_length, *map(len, passages))
            # Each shard has batches of its own, so that it does not depend on where
            # a run began.
            shard, n_clusters = DocBin(store_user_data=True), 0
            for doc in nlp.pipe(passages, batch_size=batch_size, n_process=n_process):
                n_found = len(check_index(doc).clusters)
                n_clusters += n_found
                if n_found or not skip_empty:
                    shard.add(_strip(doc))
                bar.update()
            folder.write(i, shard, n_passages=len(passages), n_clusters=n_clusters)
    folder.is_finished = True
    folder.save()
    report = AnnotationReport(
        n_files=len(paths),
        n_skipped_files=reader.n_skipped_files,
        n_skipped_lines=reader.n_skipped_lines,
        n_shards=len(folder.shards),
        n_old_shards=n_old,
        n_passages=sum(shard.n_passages for shard in folder.shards),
        n_docs=sum(shard.n_docs for shard in folder.shards),
        n_clusters=sum(shard.n_clusters for shard in folder.shards),
    )
    if not report.n_clusters:
        warnings.warn(Warnings.FCW22.format(n_passages=report.n_passages), stacklevel=2)
    return report


def identify(nlp: Language) -> str:
    """Name a pipeline so that one that was trained anew has another name.

    nlp (Language): The pipeline.
    RETURNS (str): Its name, version and digest.
    """
    data = nlp.to_bytes(exclude=["vocab"])
    name = f"{nlp.lang}_{nlp.meta['name']} {nlp.meta['version']}"
    return f"{name} {hashlib.sha256(data).hexdigest()[:16]}"


def _keep_links(nlp: Language) -> None:
    teachers = [pipe for _, pipe in nlp.pipeline if hasattr(pipe, "keeps_links")]
    if not teachers:
        raise ValueError(Errors.FC095.format(names=nlp.pipe_names))
    for pipe in teachers:
        pipe.keeps_links = True


def _strip(doc: Doc) -> Doc:
    """Keep of a Doc's user data the scheme; other components' may be any objects."""
    scheme = doc._.coref_scheme
    doc.user_data = {}
    if scheme is not None:
        doc._.coref_scheme = scheme
    return doc
