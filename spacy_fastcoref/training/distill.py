"""Annotate plain text with a teacher, to train a student on the annotation.

This is hard distillation; see F-coref (Otmazgin et al. 2022), section 4.1.
"""

import warnings
from pathlib import Path
from typing import Dict, Optional, Union

from spacy import util
from spacy.language import Language
from spacy.tokens import DocBin
from tqdm import tqdm

from ..clusters.index import check_index
from ..errors import Errors, Warnings, check_setting
from ..journal import identify_pipeline
from ..pipeline.component import FastCoref
from ..pipeline.processes import check_n_process
from .passages import JSONL, TEXT, PassageReader, find_texts, identify_files
from .shards import Shards


def distill(
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
) -> Dict[str, int]:
    """Annotate plain text with a pipeline and write it to a folder of DocBin files.

    A run that was interrupted resumes after its last complete shard, and writes the
    same shards as a run without interruption. It may use another batch_size and
    n_process, since they change the results only by rounding.

    soft (bool): Whether to store the teacher's scores as soft labels. Training uses
        soft labels instead of the clusters.
    RETURNS (Dict[str, int]): Counts, which include the earlier runs that it resumed.
    """
    expected = f"the language of the teacher, {nlp.lang!r}"
    check_setting("lang", lang, lang in (None, nlp.lang), expected)
    check_n_process(n_process)
    paths = find_texts([input_path], (TEXT, JSONL))
    settings = {
        "teacher": identify_pipeline(nlp),
        "inputs": identify_files(paths),
        "max_words": max_words,
        "shard_size": shard_size,
        "skip_empty": skip_empty,
    }
    if soft:
        settings["soft"] = True
        teachers = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, FastCoref)]
        if not teachers:
            raise ValueError(Errors.FC095.format(names=nlp.pipe_names))
        for pipe in teachers:
            pipe.keeps_links = True
    reader = PassageReader(paths, max_words)
    texts = (passage.text for passage in reader)
    with (
        Shards(Path(output_path), settings).open() as shards,
        tqdm(desc="annotate", unit="doc", disable=not enable_progress_bar) as bar,
    ):
        n_old = shards.n_done
        for i, passages in enumerate(util.minibatch(texts, size=shard_size)):
            if shards.has(i):
                bar.update(len(passages))
                continue
            # max_words does not limit the number of characters.
            nlp.max_length = max(nlp.max_length, *map(len, passages))
            # Each shard is batched on its own, so that a resumed run writes the same
            # shards.
            docs, n_clusters = DocBin(store_user_data=True), 0
            for doc in nlp.pipe(passages, batch_size=batch_size, n_process=n_process):
                n_found = len(check_index(doc).clusters)
                n_clusters += n_found
                if n_found or not skip_empty:
                    # Any object can be in the user data.
                    scheme, doc.user_data = doc._.coref_scheme, {}
                    if scheme is not None:
                        doc._.coref_scheme = scheme
                    docs.add(doc)
                bar.update()
            shards.add(i, docs, n_passages=len(passages), n_clusters=n_clusters)
    if not shards.count("n_clusters"):
        n_passages = shards.count("n_passages")
        warnings.warn(Warnings.FCW22.format(n_passages=n_passages), stacklevel=2)
    return {
        "Files": len(paths),
        "Files skipped": reader.n_skipped_files,
        "Lines skipped": reader.n_skipped_lines,
        "Passages": shards.count("n_passages"),
        "Documents written": shards.count("n_docs"),
        "Clusters": shards.count("n_clusters"),
        "Shards": shards.n_done,
        "Shards kept from earlier runs": n_old,
    }
