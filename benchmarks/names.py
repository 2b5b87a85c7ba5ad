"""List which names grammar ties in plain text, to be read: are they one person?

python benchmarks/names.py [--words N] [--every N] TEXT …

A TEXT is a file that ends in .txt or .jsonl, or in .gz after that, or a folder of such
files. Of passages of some 800 words every so manieth is taken, up to so many words a
TEXT. The rule is `namesake`: what the model leaves without an antecedent, "Musk", is
who has the name in full, "Elon Musk", if nobody else has it.
"""

import argparse
from pathlib import Path
from typing import Iterator, NamedTuple

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from wasabi import msg

from spacy_fastcoref.rules.en import DISABLED, EnglishRules
from spacy_fastcoref.training.texts import PassageReader, list_inputs

PASSAGE = 800
# Words shown on both sides of a name.
CONTEXT = 6


class Tie(NamedTuple):
    """Hold a name, who it is tied to, and where it stands."""

    name: str
    other: str
    context: str


def main() -> None:
    """Print a table of ties for every text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="+", type=Path)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--every", type=int, default=1)
    args = parser.parse_args()
    nlp = spacy.blank("en")
    nlp.add_pipe("fastcoref")
    for path in args.texts:
        n_words, ties = 0, []
        for doc in read_docs(nlp, path, args.words, args.every):
            n_words += len(doc)
            ties.extend(find_ties(nlp, doc))
        msg.info(f"{path}: {len(ties)} ties in {n_words} words")
        msg.table(ties, header=["name", "is", "in"])


def read_docs(nlp: Language, path: Path, n_words: int, every: int) -> Iterator[Doc]:
    """Read the passages that are taken."""
    n_read = 0
    for i, text in enumerate(PassageReader(list_inputs(path), PASSAGE)):
        if n_read >= n_words:
            return
        if i % every == 0:
            doc = nlp.make_doc(text)
            n_read += len(doc)
            yield doc


def find_ties(nlp: Language, doc: Doc) -> Iterator[Tie]:
    """Find the names that are tied, as the rule finds them."""
    (links,) = nlp.get_pipe("fastcoref").predict([doc])
    if not len(links):
        return
    named_as = EnglishRules(DISABLED, warns=False).describe(doc, links).named_as
    mentions = links.mentions.tolist()
    for later, earlier in enumerate(named_as.tolist()):
        if earlier < 0:
            continue
        start, end = mentions[later]
        spans = (
            doc[start:end],
            doc[slice(*mentions[earlier])],
            doc[max(0, start - CONTEXT) : end + CONTEXT],
        )
        yield Tie(*(" ".join(span.text.split()) for span in spans))


if __name__ == "__main__":
    main()
