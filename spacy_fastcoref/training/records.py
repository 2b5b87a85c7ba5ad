"""One annotated document, whatever file it was read from."""

from dataclasses import dataclass, field
from typing import Iterable, Iterator, List, Sequence, Tuple

from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab

from ..errors import Errors
from ..tokens.clusters import set_clusters

SPEAKERS = "speakers"
# The mentions that are annotated where not all of a document is; see GapCorpus.
ANNOTATED = "coref_annotated"
_NOBODY = frozenset(("", "-", "_"))


@dataclass
class Record:
    """Hold one document of a corpus.

    words (List[str]): Its tokens.
    sent_starts (List[bool]): For each whether it starts a sentence.
    speakers (List[str]): For each who says it, "-" for nobody.
    clusters (List[List[Tuple[int, int]]]): Token offsets, the end exclusive.
    path (str): The file.
    line (int): The line in it where the document starts.
    key (str): The document's name.
    """

    words: List[str]
    sent_starts: List[bool]
    speakers: List[str]
    clusters: List[List[Tuple[int, int]]]
    path: str
    line: int
    key: str = ""
    annotated: List[Tuple[int, int]] = field(default_factory=list)

    def check(self) -> None:
        """Check that the annotation fits the words.

        RAISES (ValueError): It does not; the error names the file and the line.
        """
        n_words = len(self.words)
        if len(self.speakers) != n_words or len(self.sent_starts) != n_words:
            self.fail(f"{len(self.speakers)} speakers for {n_words} words")
        if not all(self.words):
            self.fail(f"word {self.words.index('')} is empty")
        seen: set = set()
        for cluster in self.clusters:
            for start, end in cluster:
                if not 0 <= start < end <= n_words:
                    self.fail(
                        f"the mention of words {start} to {end - 1} is not inside the "
                        f"document, which has {n_words} words"
                    )
                if (start, end) in seen:
                    self.fail(f"the mention of words {start} to {end - 1} is twice")
                seen.add((start, end))

    def fail(self, reason: str) -> None:
        """Raise an error that names the file and the line.

        reason (str): What is wrong.
        RAISES (ValueError): Always.
        """
        raise ValueError(
            Errors.FC051.format(path=self.path, line=self.line, reason=reason)
        )

    def make_example(self, vocab: Vocab) -> Example:
        """Make an example: the words, and the words with their annotation.

        vocab (Vocab): The pipeline's vocabulary.
        RETURNS (Example): Both sides have the sentences and the speakers, which are
            known when a model is used, too.
        """
        predicted, reference = self.make_doc(vocab), self.make_doc(vocab)
        set_clusters(reference, self.clusters)
        if self.annotated:
            spans = [Span(reference, *mention) for mention in self.annotated]
            reference.spans[ANNOTATED] = spans
        return Example(predicted, reference)

    def make_doc(self, vocab: Vocab) -> Doc:
        """Make a Doc without clusters.

        vocab (Vocab): The pipeline's vocabulary.
        RETURNS (Doc): The words, their sentences and their speakers.
        """
        doc = Doc(vocab, words=self.words, sent_starts=self.sent_starts)
        turns = list(find_turns(self.speakers))
        if turns:
            doc.spans[SPEAKERS] = [
                Span(doc, start, end, label=speaker) for start, end, speaker in turns
            ]
        return doc


def find_turns(speakers: Sequence[str]) -> Iterator[Tuple[int, int, str]]:
    """Find the stretches of words that one person says.

    speakers (Sequence[str]): Who says each word.
    YIELDS (Tuple[int, int, str]): Where a turn starts and ends, and the speaker.
    """
    start = 0
    for i in range(1, len(speakers) + 1):
        if i == len(speakers) or speakers[i] != speakers[start]:
            if speakers[start] not in _NOBODY:
                yield start, i, speakers[start]
            start = i


def find_sent_starts(sentences: Iterable[Sequence[str]]) -> List[bool]:
    """Tell for each word whether it starts a sentence.

    sentences (Iterable[Sequence[str]]): The words of each sentence.
    RETURNS (List[bool]): Whether each does.
    """
    return [i == 0 for words in sentences for i in range(len(words))]
