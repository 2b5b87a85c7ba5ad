"""Measure how long each step takes, and how long a text takes on its own.

python benchmarks/steps.py FILE …

Files that end in .jsonl have documents, other files have a text on each line. Both are
cut into texts of at most --words words, which are decoded together, as in `nlp.pipe`.
On a CPU, the component processes groups of texts in parallel, with one thread for each
group; this benchmark processes one group after another. Seconds are those of the
processor, which other programs don't take, or on a GPU those of the clock. Each number
is the median of --rounds.
"""

import time
from collections import defaultdict
from statistics import median
from typing import Any, Dict, List

import common
import torch
from spacy.tokens import Doc

from spacy_fastcoref.clusters.store import set_clusters
from spacy_fastcoref.models.batching import group_documents
from spacy_fastcoref.models.workers import MAX_SHARE
from spacy_fastcoref.pipeline.decide import decode_docs

# The number of texts that are answered one by one.
N_ALONE = 50


def main() -> None:
    numbers = {"words": 450, "texts": None, "rounds": 3}
    parser = common.Parser(__doc__, "precision", files=common.input_file, **numbers)
    args = parser.parse_args()
    nlp = common.load_pipeline(precision=args.precision, n_threads=1)
    pipe = nlp.get_pipe("fastcoref")
    pieces = common.read_pieces(nlp, args.files, args.words)[: args.texts]
    docs = [Doc(nlp.vocab, words=words) for words in pieces]
    # The first pass loads the weights and compiles kernels for these texts.
    list(pipe.pipe([doc.copy() for doc in docs]))
    rounds = [measure(pipe, docs) for _ in range(args.rounds)]
    seconds = {name: median(one[name] for one in rounds) for name in rounds[0]}
    alone = seconds.pop("alone")
    total = sum(seconds.values())
    rows = [
        [name, f"{value:.3f}", f"{100 * value / total:.1f} %"]
        for name, value in seconds.items()
    ]
    common.print_table(["step", "seconds", "share"], rows)
    n_words = sum(map(len, docs))
    print(
        f"{len(docs)} texts, {n_words} words, {n_words / total:.0f} words/s, "
        f"{1e3 * alone:.1f} ms for a text alone"
    )
    common.write_json(args.json, {**seconds, "alone": alone})


def measure(pipe: Any, docs: List[Doc]) -> Dict[str, float]:
    """Run the steps of `pipe` one after another, and then `pipe` on single texts."""
    model = pipe.model
    network, read = model.get_network()
    clock = time.process_time if network.device.type == "cpu" else time.perf_counter
    seconds: Dict[str, float] = defaultdict(float)
    encode = network.encoder.encode

    def measure_encoder(*args: Any) -> Any:
        begin = clock()
        vectors = encode(*args)
        if vectors.is_cuda:
            torch.cuda.synchronize()
        seconds["encode"] += clock() - begin
        return vectors

    network.encoder.encode = measure_encoder
    begin = clock()
    pieces = [read(doc, None, model.runtime) for doc in docs]
    tokenised = clock()
    links: List[Any] = [None] * len(docs)
    with torch.inference_mode():
        for group in group_documents(list(map(len, docs)), lambda _: MAX_SHARE):
            answers = network.predict([pieces[i] for i in group], model.runtime)
            for i, answer in zip(group, answers, strict=True):
                links[i] = answer
    network.encoder.encode = encode
    scored = clock()
    clusters = decode_docs(
        docs, links, pipe.rules, pipe.threshold, singletons=pipe.singletons
    )
    decoded = clock()
    for doc, found in zip(docs, clusters, strict=True):
        set_clusters(doc, found)
    written = clock()
    single = [doc.copy() for doc in docs[:N_ALONE]]
    copied = clock()
    for doc in single:
        pipe(doc)
    return {
        "tokenise": tokenised - begin,
        "encode": seconds["encode"],
        "score": scored - tokenised - seconds["encode"],
        "decode": decoded - scored,
        "write": written - decoded,
        "alone": (clock() - copied) / len(single),
    }


if __name__ == "__main__":
    common.run(main)
