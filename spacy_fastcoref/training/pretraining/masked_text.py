"""The reader that makes examples of plain text by masking names or pronouns."""

import itertools
import random
import warnings
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, Optional, Set, Tuple

import spacy
from spacy import registry
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ...errors import Errors, Warnings
from ...languages.features import THIRD
from ..names import find_names
from ..readers.reading import Corpus, Paths, list_paths
from ..readers.text_files import find_problem, find_texts
from ..word_lists import read_personal_pronouns
from .masking import mask_names, mask_pronouns
from .passages import Passage, read_passages, shuffle

# Components that an entity recognizer may need before it.
_SHARED = frozenset(("tok2vec", "transformer", "curated_transformer"))
# Masculine pronouns are more frequent, and masked less, so that the model does not
# learn to prefer them; see Varkel & Globerson (2020), section A.1.
_MASCULINE_SHARE = 0.4
# The number of files that a warning names.
_NAMED = 5


@registry.readers("spacy_fastcoref.MaskedTextCorpus.v1")
def make_masked_text_corpus(
    path: Paths,
    pronouns: Optional[Dict[str, float]] = None,
    mask_share: float = 0.5,
    name_share: float = 0.75,
    max_words: int = 200,
    separator: str = "",
    ner: Optional[str] = None,
    held_out: int = 0,
    is_dev: bool = False,
    n_shuffled: int = 10000,
    limit: int = 0,
    seed: int = 0,
) -> Corpus:
    """Make a reader of plain text that masks names or pronouns.

    Each epoch masks other words. An example has masked names or masked pronouns, never
    both: see Varkel & Globerson (2020), section A.2.

    path (Paths): A file, a folder of .txt and .txt.gz, or several of these.
    pronouns (Optional[Dict[str, float]]): The pronouns to mask, in lower case, each
        with the share of its occurrences; {} to mask names only; None for the third
        person of the pipeline's language.
    mask_share (float): The share of the occurrences of names to mask.
    name_share (float): How often to mask names where both names and pronouns could be
        masked: fewer passages have suitable names.
    max_words (int): The most words in an example, separated by white space.
    separator (str): The beginning of the lines between the documents of a file.
    ner (Optional[str]): A pipeline to find names of people; None to use the trained
        pipeline's entity recognizer if it has one, else lists of names.
    held_out (int): Each n-th passage is held out for the development set; 0 for none.
    is_dev (bool): Whether to read the held-out passages, if there are any, and to mask
        the same words in every epoch.
    n_shuffled (int): The number of passages in the buffer for shuffling; 0 to keep the
        order of the text.
    limit (int): The most examples in an epoch, 0 for all.
    seed (int): The seed of the masks and of the order.
    RETURNS (Corpus): The reader.
    RAISES (ValueError): A setting is not valid.
    """
    if not 0 < mask_share <= 1:
        raise ValueError(
            Errors.FC076.format(
                name="mask_share", value=mask_share, expected="above 0, and 1 at most"
            )
        )
    if max_words < 1:
        raise ValueError(
            Errors.FC076.format(name="max_words", value=max_words, expected="1 or more")
        )
    tagger = None if ner is None else spacy.load(ner)
    return MaskedTextCorpus(
        list_paths(path),
        pronouns=pronouns,
        mask_share=mask_share,
        name_share=name_share,
        max_words=max_words,
        separator=separator,
        tagger=tagger,
        held_out=held_out,
        is_dev=is_dev,
        n_shuffled=n_shuffled,
        limit=limit,
        seed=seed,
    )


@dataclass
class MaskedTextCorpus:
    """Make examples of plain text; see make_masked_text_corpus for the settings.

    paths (List[Path]): Files and folders.
    tagger (Optional[Language]): A pipeline to find names of people.
    counts (Counter): The number of "passages" so far, of those with names ("named"),
        and of examples with masked "names" and "pronouns".
    read, used (Set[Path]): The files that were read, and those with examples.
    """

    paths: List[Path]
    pronouns: Optional[Dict[str, float]] = None
    mask_share: float = 0.5
    name_share: float = 0.75
    max_words: int = 200
    separator: str = ""
    tagger: Optional[Language] = None
    held_out: int = 0
    is_dev: bool = False
    n_shuffled: int = 0
    limit: int = 0
    seed: int = 0
    counts: Counter = field(default_factory=Counter)
    read: Set[Path] = field(default_factory=set)
    used: Set[Path] = field(default_factory=set)
    n_epochs: int = 0

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Read the texts once.

        nlp (Language): The pipeline that is trained.
        RETURNS (Iterator[Example]): The examples.
        RAISES (ValueError): The texts give no example.
        """
        epoch = 0 if self.is_dev else self.n_epochs
        self.n_epochs += 1
        examples = self._read(nlp, epoch)
        return itertools.islice(examples, self.limit or None)

    def _read(self, nlp: Language, epoch: int) -> Iterator[Example]:
        passages = (
            passage
            for path in find_texts(self.paths)
            for passage in self.read_file(path)
            if self._is_wanted(passage)
        )
        rng = random.Random(f"{self.seed} {epoch}")
        order = shuffle(passages, self.n_shuffled, rng)
        yield from self.make_examples(nlp, order, epoch)
        self.check()

    def check(self) -> None:
        """Warn of files without examples.

        RAISES (ValueError): No file has an example.
        """
        if not self.used:
            paths = ", ".join(map(str, self.paths))
            raise ValueError(Errors.FC070.format(paths=paths))
        unused = sorted(map(str, self.read - self.used))
        # The few held-out passages of a short file need not have names.
        if unused and not self.is_dev:
            more = ", …" if len(unused) > _NAMED else ""
            warnings.warn(
                Warnings.FCW12.format(
                    n_files=len(unused),
                    n_read=len(self.read),
                    paths=", ".join(unused[:_NAMED]) + more,
                ),
                stacklevel=2,
            )

    def read_file(self, path: Path) -> Iterator[Passage]:
        """Read a file's passages; a file that is not text is skipped with a warning.

        path (Path): The file.
        YIELDS (Passage): The passages.
        """
        problem = find_problem(path)
        if problem is not None:
            message = Warnings.FCW20.format(path=path, reason=problem)
            warnings.warn(message, stacklevel=2)
            return
        yield from read_passages(
            path, max_words=self.max_words, separator=self.separator
        )

    def _is_wanted(self, passage: Passage) -> bool:
        if not self.held_out:
            return True
        return (passage.number % self.held_out == 0) == self.is_dev

    def make_examples(
        self, nlp: Language, passages: Iterable[Passage], epoch: int = 0
    ) -> Iterator[Example]:
        """Make examples of the passages with names of people.

        nlp (Language): The pipeline that is trained.
        passages (Iterable[Passage]): The passages.
        epoch (int): The epoch, on which the masks depend.
        YIELDS (Example): The examples, in the order of the passages.
        """
        pronouns = self.pronouns
        if pronouns is None:
            pronouns = read_pronouns(nlp.lang)
        for doc, passage in self._tokenize(nlp, passages):
            self.counts["passages"] += 1
            self.read.add(passage.path)
            names = find_names(doc)
            if not names:
                continue
            self.counts["named"] += 1
            # The seed depends on the passage alone, not on its place in the order.
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
                    self.used.add(passage.path)
                    yield eg
                    break

    def _tokenize(
        self, nlp: Language, passages: Iterable[Passage]
    ) -> Iterator[Tuple[Doc, Passage]]:
        tagger = self.tagger or nlp
        finders = {
            name
            for name in tagger.pipe_names
            if "doc.ents" in tagger.get_pipe_meta(name).assigns
        }
        if not finders:
            if self.tagger is not None:
                raise ValueError(Errors.FC071.format(name=tagger.meta["name"]))
            for passage in passages:
                yield nlp.make_doc(passage.text), passage
            return
        needed = {
            n for n in tagger.pipe_names if tagger.get_pipe_meta(n).factory in _SHARED
        }
        others = [name for name in tagger.pipe_names if name not in finders | needed]
        texts = ((passage.text, passage) for passage in passages)
        yield from tagger.pipe(texts, as_tuples=True, disable=others)


def read_pronouns(lang: str) -> Dict[str, float]:
    """Read a language's personal pronouns of the third person.

    lang (str): The language's code.
    RETURNS (Dict[str, float]): The share of the occurrences to mask, by pronoun, less
        of masculine ones.
    RAISES (ValueError): There is no list for the language.
    """
    pronouns = read_personal_pronouns(lang, "MaskedTextCorpus.v1")
    return {
        form: _MASCULINE_SHARE if genders == "m" else 1.0
        for form, (genders, person) in pronouns.items()
        if person == THIRD
    }
