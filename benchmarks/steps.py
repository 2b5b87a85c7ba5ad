"""Measure how long each step takes: tokenise, encode, score, decode, write.

python benchmarks/steps.py [--model PATH] [--device DEVICE] [--threads N] [--no-rules]
    [--json FILE] FILE …

Files that end in .jsonl have documents, other files have a text on each line. Both are
cut into documents of at most 450 words. On a CPU, the component processes groups of
documents in parallel, with one thread for each group. This benchmark processes one
group after another.
"""

import time
from typing import Any, Dict, List

import common
import spacy
import torch
from spacy.tokens import Doc

from spacy_fastcoref.clusters.store import set_clusters
from spacy_fastcoref.models.batching import group_documents
from spacy_fastcoref.models.encoders.encoder import Transformer
from spacy_fastcoref.models.shim import read_doc
from spacy_fastcoref.models.workers import MAX_SHARE

WORDS = 450


def main() -> None:
    """Measure the steps and print a table."""
    parser = common.Parser(__doc__)
    parser.add_argument("files", nargs="+", type=common.input_file())
    parser.add_argument("--model")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=common.positive, default=1)
    parser.add_argument("--no-rules", action="store_true")
    args = parser.parse_args()
    nlp = spacy.blank("en")
    config: Dict[str, Any] = {
        "model_path": args.model,
        "device": args.device,
        "n_threads": args.threads,
    }
    if args.no_rules:
        config["rules"] = None
    nlp.add_pipe("fastcoref", config=config)
    pieces = common.read_pieces(nlp, args.files, WORDS)
    docs = [Doc(nlp.vocab, words=words) for words in pieces]
    # The first pass compiles kernels for the shapes of these documents.
    list(nlp.get_pipe("fastcoref").pipe([doc.copy() for doc in docs]))
    seconds = measure(nlp.get_pipe("fastcoref"), docs)
    total = sum(seconds.values())
    rows = [
        [name, f"{value:.2f}", f"{100 * value / total:.1f} %"]
        for name, value in seconds.items()
    ]
    common.print_table(["step", "seconds", "share"], rows)
    n_words = sum(map(len, docs))
    print(f"{len(docs)} documents, {n_words} words, {n_words / total:.0f} words/s")
    common.write_json(args.json, seconds)


def measure(pipe: Any, docs: List[Doc]) -> Dict[str, float]:
    """Run the steps of `pipe` one after another."""
    shim = pipe.model.shim
    network, tokenizer = shim.get_network()
    timer = EncoderTimer(network.encoder)
    begin = time.perf_counter()
    pieces = [
        read_doc(
            tokenizer.encode([token.text for token in doc]),
            doc,
            network.readers,
            shim.runtime,
        )
        for doc in docs
    ]
    tokenised = time.perf_counter()
    links: List[Any] = [None] * len(docs)
    with torch.inference_mode():
        for group in group_documents(list(map(len, docs)), lambda _: MAX_SHARE):
            answers = network.predict([pieces[i] for i in group], shim.runtime)
            for i, answer in zip(group, answers, strict=True):
                links[i] = answer
    scored = time.perf_counter()
    clusters = [pipe.decode(*pair) for pair in zip(docs, links, strict=True)]
    decoded = time.perf_counter()
    for doc, found in zip(docs, clusters, strict=True):
        set_clusters(doc, found)
    written = time.perf_counter()
    return {
        "tokenise": tokenised - begin,
        "encode": timer.seconds,
        "score": scored - tokenised - timer.seconds,
        "decode": decoded - scored,
        "write": written - decoded,
    }


class EncoderTimer:
    """Add up the time of an encoder's forward passes."""

    def __init__(self, encoder: Transformer) -> None:
        self.seconds = 0.0
        self.begin = 0.0
        encoder.transformer.register_forward_pre_hook(self.start)
        encoder.transformer.register_forward_hook(self.stop)

    def start(self, *_: Any) -> None:
        """Start the clock before a pass."""
        self.begin = time.perf_counter()

    def stop(self, transformer: torch.nn.Module, *_: Any) -> None:
        """Stop the clock after a pass."""
        if next(transformer.parameters()).is_cuda:
            torch.cuda.synchronize()
        self.seconds += time.perf_counter() - self.begin


if __name__ == "__main__":
    common.run(main)
