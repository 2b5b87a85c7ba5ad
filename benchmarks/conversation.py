"""Compare conversations, turn by turn, with their whole documents.

python benchmarks/conversation.py DEV.jsonl …

A turn is what one speaker says, or a sentence in a document of one speaker. CoNLL F1 of
`Conversation` is compared with that of the pipeline over the whole document. Then the
words of all documents make conversations of 205 turns of N words each, in which the
processor's time for turns 196 to 205 is compared with that for turns 6 to 15. --name
takes only the documents whose `doc_key` contains one of the texts. --window is the
number of words before a turn to which it can be linked.
"""

import time
from functools import partial
from itertools import groupby
from operator import itemgetter
from statistics import median
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import common
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_fastcoref import Conversation
from spacy_fastcoref.metrics.scorer import score_coref
from spacy_fastcoref.span_keys import SPEAKERS
from spacy_fastcoref.training.evaluation import read_gold

# The turns that are timed, counted from 0: around the tenth and around the 200th.
EARLY, LATE = slice(5, 15), slice(195, 205)
MAX_CONVERSATIONS = 5


def main() -> None:
    parser = common.Parser(
        __doc__, "precision", files=common.input_file, window=None, turn_words=25
    )
    parser.add_argument("--name", action="append")
    args = parser.parse_args()
    nlp = common.load_pipeline(precision=args.precision)
    settings = {} if args.window is None else {"window": args.window}
    start = partial(Conversation, nlp, **settings)
    names = args.name or [""]
    results: Dict[str, Any] = {}
    words: List[str] = []
    rows = []
    for path in args.files:
        keyed = read_gold([path], nlp)
        examples = [eg for key, eg in keyed if any(name in key for name in names)]
        if not examples:
            raise ValueError(f"{path} has no document named {' or '.join(names)}")
        results[str(path)] = found = measure(nlp, examples, start)
        words += [token.text for eg in examples for token in eg.reference]
        points = map(common.write_points, found["scores"])
        rows.append([path, found["documents"], found["turns"], *points])
    common.print_table(["file", "documents", "turns", "whole", "turn by turn"], rows)
    pairs = list(time_conversations(start, words, args.turn_words))
    if not pairs:
        needed = LATE.stop * args.turn_words
        print(f"{len(words)} words are too few to time 205 turns: that takes {needed}")
    else:
        early, late = (median(times) for times in zip(*pairs, strict=True))
        header = ["conversations", "turns 6 to 15", "turns 196 to 205", "ratio"]
        row = f"{1000 * early:.1f} ms", f"{1000 * late:.1f} ms", f"{late / early:.2f}"
        common.print_table(header, [[len(pairs), *row]])
        results["seconds"] = {"early": early, "late": late}
    common.write_json(args.json, results)


def measure(
    nlp: Language, examples: List[Example], start: Callable[[], Conversation]
) -> Dict[str, Any]:
    whole, _ = common.predict(nlp, examples)
    by_turns, n_turns = [], 0
    for eg in examples:
        conversation = start()
        for words, speaker in split_turns(eg.reference):
            conversation.add(Doc(nlp.vocab, words=words), speaker=speaker)
        by_turns.append(Example(conversation.doc, eg.reference))
        n_turns += len(conversation)
    scores = [score_coref(found)["coref_f"] for found in (whole, by_turns)]
    return {"documents": len(examples), "turns": n_turns, "scores": scores}


def split_turns(doc: Doc) -> Iterator[Tuple[List[str], Optional[str]]]:
    speakers: List[Optional[str]] = [None] * len(doc)
    for span in doc.spans.get(SPEAKERS, ()):
        speakers[span.start : span.end] = [span.label_] * len(span)
    if len(set(speakers)) > 1 or not doc.has_annotation("SENT_START"):
        pairs = zip(doc, speakers, strict=True)
        for speaker, tokens in groupby(pairs, key=itemgetter(1)):
            yield [token.text for token, _ in tokens], speaker
        return
    for sent in doc.sents:
        yield [token.text for token in sent], speakers[sent.start]


def time_conversations(
    start: Callable[[], Conversation], words: List[str], n_words: int
) -> Iterator[Tuple[float, float]]:
    length = LATE.stop * n_words
    n_conversations = min(len(words) // length, MAX_CONVERSATIONS)
    for begin in range(0, n_conversations * length, length):
        conversation = start()
        seconds = []
        for at in range(begin, begin + length, n_words):
            turn = Doc(conversation.nlp.vocab, words=words[at : at + n_words])
            started = time.process_time()
            conversation.add(turn)
            seconds.append(time.process_time() - started)
        yield median(seconds[EARLY]), median(seconds[LATE])


if __name__ == "__main__":
    common.run(main)
