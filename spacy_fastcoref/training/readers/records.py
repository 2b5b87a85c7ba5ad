"""Hold annotated documents of tokens."""

from dataclasses import dataclass, field, replace
from typing import Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab

from ...clusters.store import set_clusters
from ...metrics.clusters import normalize
from ...span_keys import SPEAKERS, TYPED
from .parsing import FileRecord, check_text, name_line

# Our label of words without a speaker, and all labels that corpora use for them.
NO_SPEAKER = "-"
_NO_SPEAKER = frozenset(("", NO_SPEAKER, "_"))


@dataclass
class Record(FileRecord):
    """Hold one document of a corpus.

    words (List[str]): The tokens.
    sent_starts (List[bool]): Whether each token starts a sentence.
    speakers (List[str]): The speaker of each token, "-" for none.
    clusters (List[List[Tuple[int, int]]]): Token offsets, the end exclusive.
    path (str): The file.
    line (int): The line of the file in which the document starts.
    key (str): The document's name.
    types (Dict[Tuple[int, int], str]): The entity types of all mentions, singletons
        too; empty if they are not annotated.
    spaces (Optional[List[bool]]): Whether a space follows each token; None if that is
        not known.
    """

    words: List[str]
    sent_starts: List[bool]
    speakers: List[str]
    clusters: List[List[Tuple[int, int]]]
    path: str
    line: int
    key: str = ""
    types: Dict[Tuple[int, int], str] = field(default_factory=dict)
    spaces: Optional[List[bool]] = None

    def check(self) -> None:
        """Check that the annotation matches the words.

        RAISES (ValueError): It does not match; the error names the file and the line.
        """
        n_words = len(self.words)
        if len(self.speakers) != n_words or len(self.sent_starts) != n_words:
            self.fail(f"{len(self.speakers)} speakers for {n_words} words")
        if not all(self.words):
            self.fail(f"word {self.words.index('')} is empty")
        with name_line(self.path, self.line):
            check_text(" ".join(self.words))
            check_text(" ".join(self.speakers))
        for cluster in self.clusters:
            seen: set = set()
            for start, end in cluster:
                if not 0 <= start < end <= n_words:
                    self.fail(
                        f"the mention of words {start} to {end - 1} is not inside the "
                        f"document, which has {n_words} words"
                    )
                if (start, end) in seen:
                    self.fail(
                        f"the mention of words {start} to {end - 1} is listed twice in "
                        "its cluster"
                    )
                seen.add((start, end))

    def tokenize(self, nlp: Language) -> "Record":
        """Return this document, which has tokens already; see TextRecord.tokenize.

        nlp (Language): Not used.
        RETURNS (Record): This document.
        """
        return self

    def split(self, max_words: int) -> List["Record"]:
        """Split a long document into windows at the ends of sentences.

        max_words (int): The maximum number of words in a window; 0 for no limit. Longer
            sentences are kept whole.
        RETURNS (List[Record]): The windows, each with the mentions inside it.
        """
        if not max_words or len(self.words) <= max_words:
            return [self]
        cuts = [i for i, is_start in enumerate(self.sent_starts) if is_start and i]
        ends = []
        begin = 0
        for cut, following in zip(cuts, [*cuts, len(self.words)][1:], strict=True):
            if following - begin > max_words:
                ends.append(cut)
                begin = cut
        ends.append(len(self.words))
        starts = [0, *ends[:-1]]
        return [self._cut(a, z) for a, z in zip(starts, ends, strict=True)]

    def _cut(self, begin: int, end: int) -> "Record":
        clusters = [
            [(a - begin, z - begin) for a, z in cluster if begin <= a and z <= end]
            for cluster in self.clusters
        ]
        # A single mention left of a larger cluster is not a singleton.
        kept = [
            part
            for part, whole in zip(clusters, self.clusters, strict=True)
            if len(part) > 1 or (part and len(whole) == 1)
        ]
        return replace(
            self,
            words=self.words[begin:end],
            sent_starts=self.sent_starts[begin:end],
            speakers=self.speakers[begin:end],
            clusters=kept,
            types={
                (a - begin, z - begin): label
                for (a, z), label in self.types.items()
                if begin <= a and z <= end
            },
            spaces=self.spaces and self.spaces[begin:end],
        )

    def make_example(self, vocab: Vocab, scheme: Optional[str] = None) -> Example:
        """Make an example.

        vocab (Vocab): The pipeline's vocabulary.
        scheme (Optional[str]): The annotation scheme, for models trained on several.
        RETURNS (Example): The example. The predicted Doc has sentences and speakers,
            too, since the model reads them.
        """
        predicted, reference = self.make_doc(vocab), self.make_doc(vocab)
        predicted._.coref_scheme = scheme
        # Some corpora have mentions in two clusters; only the first cluster keeps them.
        set_clusters(reference, normalize(self.clusters))
        if self.types:
            reference.spans[TYPED] = [
                Span(reference, start, end, label=label)
                for (start, end), label in self.types.items()
            ]
        return Example(predicted, reference)

    def make_doc(self, vocab: Vocab) -> Doc:
        """Make a Doc without clusters.

        vocab (Vocab): The pipeline's vocabulary.
        RETURNS (Doc): The document with its words, sentences and speakers.
        """
        doc = Doc(
            vocab, words=self.words, spaces=self.spaces, sent_starts=self.sent_starts
        )
        turns = list(find_turns(self.speakers))
        if turns:
            doc.spans[SPEAKERS] = [
                Span(doc, start, end, label=speaker) for start, end, speaker in turns
            ]
        return doc


def find_turns(speakers: Sequence[str]) -> Iterator[Tuple[int, int, str]]:
    """Find the turns of the speakers.

    speakers (Sequence[str]): The speaker of each word.
    YIELDS (Tuple[int, int, str]): The token offsets of each turn, and the speaker.
    """
    start = 0
    for i in range(1, len(speakers) + 1):
        if i == len(speakers) or speakers[i] != speakers[start]:
            if speakers[start] not in _NO_SPEAKER:
                yield start, i, speakers[start]
            start = i


def find_sent_starts(sentences: Iterable[Sequence[str]]) -> List[bool]:
    """Find the words that start a sentence.

    sentences (Iterable[Sequence[str]]): The words of each sentence.
    RETURNS (List[bool]): Whether each word starts a sentence.
    """
    return [i == 0 for words in sentences for i in range(len(words))]
