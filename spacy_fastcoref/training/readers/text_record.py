"""Hold annotated documents of text and character offsets, as in fastcoref's files."""

from dataclasses import dataclass
from typing import Iterator, List, Tuple

from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc

from .parsing import FileRecord, check_text, name_line
from .records import NO_SPEAKER, Record

Offsets = Tuple[int, int]
# The pipeline's own sentence segmentation may not be trained yet.
_SENTENCIZER = Sentencizer()


@dataclass
class TextRecord(FileRecord):
    """Hold one document of a corpus before tokenization.

    text (str): The text.
    clusters (List[List[Tuple[int, int]]]): Character offsets, the end exclusive.
    path (str): The file.
    line (int): The line of the file.
    key (str): The document's name.
    """

    text: str
    clusters: List[List[Offsets]]
    path: str
    line: int
    key: str = ""

    def check(self) -> None:
        """Check that the annotation matches the text.

        RAISES (ValueError): It does not match; the error names the file and the line.
        """
        with name_line(self.path, self.line):
            check_text(self.text)
        for start, end in (mention for cluster in self.clusters for mention in cluster):
            where = f"the mention of characters {start} to {end}"
            if not 0 <= start < end <= len(self.text):
                length = len(self.text)
                self.fail(
                    f"{where} is not inside the text, which has {length} characters"
                )
            if self.text[start:end].isspace():
                self.fail(f"{where} is white space")

    def tokenize(self, nlp: Language) -> Record:
        """Tokenize the text and split it into sentences.

        nlp (Language): The pipeline, for its tokenizer.
        RETURNS (Record): The document. Mentions are widened to whole tokens; if several
            in a cluster become the same span, only one is kept.
        """
        doc = _SENTENCIZER(nlp.make_doc(self.text))
        clusters = [
            [widen(doc, *offsets) for offsets in cluster] for cluster in self.clusters
        ]
        return Record(
            [token.text for token in doc],
            [bool(token.is_sent_start) for token in doc],
            [NO_SPEAKER] * len(doc),
            [list(dict.fromkeys(cluster)) for cluster in clusters],
            self.path,
            self.line,
            self.key,
        )

    def find_widened(self, nlp: Language) -> Iterator[Tuple[Offsets, str]]:
        """Find the mentions that start or end inside a token.

        nlp (Language): The pipeline, for its tokenizer.
        YIELDS (Tuple[Tuple[int, int], str]): The mention's character offsets, and the
            text to which `tokenize` widens it.
        """
        doc = nlp.make_doc(self.text)
        for offsets in (mention for cluster in self.clusters for mention in cluster):
            start, end = widen(doc, *offsets)
            span = doc[start:end]
            if (span.start_char, span.end_char) != offsets:
                yield offsets, span.text


def widen(doc: Doc, start: int, end: int) -> Offsets:
    """Widen a mention to whole tokens.

    doc (Doc): The document.
    start (int): The mention's first character.
    end (int): The character after the last.
    RETURNS (Tuple[int, int]): The token offsets, the end exclusive.
    """
    span = doc.char_span(start, end, alignment_mode="expand")
    return span.start, span.end
