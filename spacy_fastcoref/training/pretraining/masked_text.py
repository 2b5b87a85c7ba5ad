"""Read plain text, mask names or pronouns in it, and write what is masked."""

import itertools
import random
import warnings
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, Optional, Tuple

import spacy
from spacy import registry
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from ...clusters.index import check_index
from ...errors import Errors, Warnings, check_setting
from ...grammar.features import THIRD
from ...journal import identify_pipeline
from ..names import find_person_names
from ..passages import Passage, PassageReader, find_texts, identify_files
from ..readers.reading import Paths, list_paths
from ..shards import Shards
from ..word_lists import read_personal_pronouns
from .masking import mask_names, mask_pronouns

# The factories of components that an entity recognizer can listen to.
_SHARED = frozenset(("tok2vec", "transformer", "curated_transformer"))
# The share of masculine pronouns to mask. They are more frequent than feminine ones,
# and the model would learn to prefer them; see Varkel & Globerson (2020), section A.1.
_MASCULINE_SHARE = 0.4
# The maximum number of files that a warning lists.
_N_LISTED = 5

# The number of passages in a file. After an interruption, at most these have to be
# masked again.
N_PASSAGES = 2000
# The reader's settings on which the contents of the files depend.
_SETTINGS = "pronouns mask_share name_share max_words separator seed".split()


@registry.readers("spacy_fastcoref.MaskedTextCorpus.v1")
@dataclass
class MaskedTextCorpus:
    """Read plain text, and mask names or pronouns in it.

    Other words are masked in each epoch. An example has masked names or masked
    pronouns, but not both; see Varkel & Globerson (2020), section A.2.

    path (Paths): A file, a folder of .txt and .txt.gz files, or several of these.
    pronouns (Optional[Dict[str, float]]): The pronouns to mask, in lower case, each
        with the share of its occurrences to mask; {} to mask only names; None for the
        personal pronouns of the third person in the pipeline's language.
    mask_share (float): The share of the occurrences of names to mask.
    name_share (float): The probability of masking names rather than pronouns in a
        passage that has both.
    max_words (int): The maximum number of words in an example. Words are separated by
        white space.
    separator (str): The beginning of lines that separate the documents of a file; ""
        if each file is one document.
    ner (Optional[str]): A pipeline to find names of people; None to use the entity
        recognizer of the trained pipeline, or lists of names if it has none.
    held_out (int): The number n such that every n-th passage is held out for the
        development set; 0 to hold out none.
    is_dev (bool): Whether to read the held-out passages, if there are any, and to mask
        the same words in every epoch.
    n_shuffled (int): The number of passages in the buffer for shuffling; 0 to keep the
        order of the text.
    limit (int): The maximum number of examples in an epoch; 0 for all.
    seed (int): The random seed for masking and shuffling.
    RAISES (ValueError): A setting is not valid.
    """

    path: Paths
    pronouns: Optional[Dict[str, float]] = None
    mask_share: float = 0.5
    name_share: float = 0.75
    max_words: int = 200
    separator: str = ""
    ner: Optional[str] = None
    held_out: int = 0
    is_dev: bool = False
    n_shuffled: int = 10000
    limit: int = 0
    seed: int = 0
    tagger: Optional[Language] = field(default=None, init=False)
    # "passages", those "named", and examples of masked "names" or "pronouns".
    counts: Counter = field(default_factory=Counter, init=False)
    # The files that were read, and whether they have examples.
    used: Dict[Path, bool] = field(default_factory=dict, init=False)
    n_epochs: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        is_share = 0 < self.mask_share <= 1
        check_setting("mask_share", self.mask_share, is_share, "above 0, and 1 at most")
        check_setting("max_words", self.max_words, self.max_words >= 1, "1 or more")
        self.paths = list_paths(self.path)
        if self.ner is not None:
            self.tagger = spacy.load(self.ner)

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Read the texts once, in an epoch."""
        epoch = 0 if self.is_dev else self.n_epochs
        self.n_epochs += 1
        return itertools.islice(self._read(nlp, epoch), self.limit or None)

    def _read(self, nlp: Language, epoch: int) -> Iterator[Example]:
        passages = (
            passage
            for path in find_texts(self.paths)
            for passage in self.read_file(path)
            if not self.held_out or (passage.number % self.held_out == 0) == self.is_dev
        )
        rng = random.Random(f"{self.seed} {epoch}")
        order = shuffle(passages, self.n_shuffled, rng)
        yield from self.make_examples(nlp, order, epoch)
        self.check()

    def check(self) -> None:
        """Warn of files without examples."""
        if not any(self.used.values()):
            paths = ", ".join(map(str, self.paths))
            raise ValueError(Errors.FC070.format(paths=paths))
        unused = sorted(str(path) for path, is_used in self.used.items() if not is_used)
        # Not for held-out passages: those of a short file are few and can be without
        # names.
        if unused and not self.is_dev:
            more = ", …" if len(unused) > _N_LISTED else ""
            warnings.warn(
                Warnings.FCW12.format(
                    n_files=len(unused),
                    n_read=len(self.used),
                    paths=", ".join(unused[:_N_LISTED]) + more,
                ),
                stacklevel=2,
            )

    def read_file(self, path: Path) -> Iterator[Passage]:
        """Read the passages of a file, or skip one that is not text with a warning."""
        for passage in PassageReader([path], self.max_words, self.separator):
            yield passage._replace(text=" ".join(passage.text.split()))

    def make_examples(
        self, nlp: Language, passages: Iterable[Passage], epoch: int = 0
    ) -> Iterator[Example]:
        """Make examples of the passages with names of people."""
        given = self.pronouns
        pronouns = choose_pronouns(nlp.lang) if given is None else given
        for doc, passage in self._tokenize(nlp, passages):
            self.counts["passages"] += 1
            self.used.setdefault(passage.path, False)
            names = find_person_names(doc)
            if not names:
                continue
            self.counts["named"] += 1
            # The seed does not depend on the order of the passages.
            key = f"{self.seed} {epoch} {passage.path.name} {passage.number}"
            rng = random.Random(key)
            tasks = [
                ("names", partial(mask_names, names=names, share=self.mask_share)),
                ("pronouns", partial(mask_pronouns, pronouns=pronouns)),
            ]
            if rng.random() >= self.name_share:
                tasks.reverse()
            for kind, mask in tasks:
                eg = mask(nlp.vocab, doc, rng)
                if eg is not None:
                    self.counts[kind] += 1
                    self.used[passage.path] = True
                    yield eg
                    break

    def _tokenize(
        self, nlp: Language, passages: Iterable[Passage]
    ) -> Iterator[Tuple[Doc, Passage]]:
        tagger = self.tagger or nlp
        metas = {name: tagger.get_pipe_meta(name) for name in tagger.pipe_names}
        finders = [name for name, one in metas.items() if "doc.ents" in one.assigns]
        needed = [name for name, one in metas.items() if one.factory in _SHARED]
        is_valid = finders or self.tagger is None
        expected = "a pipeline with a component that sets doc.ents"
        check_setting("ner", tagger.meta["name"], is_valid, expected)
        others = metas.keys() - {*finders, *(needed if finders else ())}
        texts = ((passage.text, passage) for passage in passages)
        yield from tagger.pipe(texts, as_tuples=True, disable=others)


def choose_pronouns(lang: str) -> Dict[str, float]:
    """Choose the share of each personal pronoun of the third person to mask."""
    pronouns = read_personal_pronouns(lang, "MaskedTextCorpus.v1")
    return {
        form: _MASCULINE_SHARE if genders == "m" else 1.0
        for form, (genders, person) in pronouns.items()
        if person == THIRD
    }


def shuffle(
    passages: Iterable[Passage], size: int, rng: random.Random
) -> Iterator[Passage]:
    """Shuffle a stream with a buffer."""
    buffer: List[Passage] = []
    for passage in passages:
        buffer.append(passage)
        if len(buffer) > size:
            yield buffer.pop(rng.randrange(len(buffer)))
    rng.shuffle(buffer)
    yield from buffer


def write_masked(
    corpus: MaskedTextCorpus, nlp: Language, output: Path
) -> Iterator[Doc]:
    """Write the examples of a reader, file by file, and yield them.

    Files of an earlier run are kept. They don't have to be written again, since the
    masks of a passage don't depend on other passages.
    """
    texts, tagger = find_texts(corpus.paths), corpus.tagger
    settings = {
        "pipeline": identify_pipeline(nlp),
        "ner": None if tagger is None else identify_pipeline(tagger),
        "inputs": identify_files(texts),
        "n_passages": N_PASSAGES,
        **{name: getattr(corpus, name) for name in _SETTINGS},
    }
    groups = (
        list(group)
        for path in texts
        for _, group in itertools.groupby(
            corpus.read_file(path), lambda passage: passage.number // N_PASSAGES
        )
    )
    with Shards(output, settings).open() as shards:
        corpus.counts["kept"] = shards.n_done
        for i, passages in enumerate(groups):
            if shards.has(i):
                continue
            docs = [eg.reference for eg in corpus.make_examples(nlp, passages)]
            bin = DocBin(attrs=["ORTH", "SPACY"], docs=docs, store_user_data=False)
            n_clusters = sum(len(check_index(doc).clusters) for doc in docs)
            shards.add(i, bin, n_passages=len(passages), n_clusters=n_clusters)
            yield from docs
    if not corpus.counts["kept"]:
        corpus.check()
