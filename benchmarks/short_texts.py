"""Measure short texts: words per second of many, and the time of one.

python benchmarks/short_texts.py [--words N] [--texts N] [--rounds N] [--json FILE]
    FILE …

Files that end in .jsonl have documents, other files have a text on each line. Both are
cut into texts of --words words. One thread computes, and the seconds of the processor
count, which other programs don't take. Each number is the median of --rounds.
"""

import time
from statistics import median
from typing import Any, Dict, List

import common
import spacy
import torch
from spacy.language import Language

COLUMNS = ["words", "words/s", "ms a text", "in the encoder", "ms alone"]
# The number of texts that are answered one by one.
N_ALONE = 100


def main() -> None:
    """Measure, and print a table."""
    parser = common.Parser(__doc__)
    parser.add_argument("files", nargs="+", type=common.input_file())
    parser.add_argument("--words", type=common.positive, default=10)
    parser.add_argument("--texts", type=common.positive, default=2000)
    parser.add_argument("--rounds", type=common.positive, default=5)
    args = parser.parse_args()
    torch.set_num_threads(1)
    nlp = spacy.blank("en")
    pieces = common.read_pieces(nlp, args.files, args.words)
    texts = [" ".join(words) for words in pieces if len(words) == args.words]
    if not texts:
        raise ValueError(f"{args.files[0]} has no text of {args.words} words")
    texts = texts[: args.texts]
    pipe = nlp.add_pipe("fastcoref", config={"n_threads": 1, "device": "cpu"})
    # The first pass loads the weights and compiles kernels for the shapes of the texts.
    list(pipe.pipe(map(nlp.make_doc, texts), batch_size=nlp.batch_size))
    rounds = [measure(nlp, pipe, texts) for _ in range(args.rounds)]
    found = {name: median(one[name] for one in rounds) for name in rounds[0]}
    row = [args.words, *(f"{value:.2f}" for value in found.values())]
    common.print_table(COLUMNS, [row])
    print(f"{len(texts)} texts of {args.words} words, {args.rounds} rounds")
    common.write_json(args.json, found)


def measure(nlp: Language, pipe: Any, texts: List[str]) -> Dict[str, float]:
    """Measure texts in one stream, and one by one; of the stream, the encoder, too."""
    encoder = pipe.model.shims[0].get_network()[0].encoder.transformer
    times: List[float] = []
    hooks = [
        encoder.register_forward_pre_hook(
            lambda *_: times.append(-time.process_time())
        ),
        encoder.register_forward_hook(lambda *_: times.append(time.process_time())),
    ]
    docs = [nlp.make_doc(text) for text in texts]
    n_words = sum(map(len, docs))
    begin = time.process_time()
    list(pipe.pipe(docs, batch_size=nlp.batch_size))
    seconds, in_encoder = time.process_time() - begin, sum(times)
    for hook in hooks:
        hook.remove()
    docs = [nlp.make_doc(text) for text in texts[:N_ALONE]]
    begin = time.process_time()
    for doc in docs:
        pipe(doc)
    alone = (time.process_time() - begin) / len(docs)
    return {
        "words_per_second": n_words / seconds,
        "ms_per_text": 1e3 * seconds / len(texts),
        "ms_in_encoder": 1e3 * in_encoder / len(texts),
        "ms_alone": 1e3 * alone,
    }


if __name__ == "__main__":
    common.run(main)
