"""Measure a GPU: speed, memory, and whether it finds the clusters that a CPU finds.

python benchmarks/gpu.py FILE …

Files that end in .jsonl have documents, other files have a text on each line, and may
be compressed as .gz. The first --docs documents of at most --words words run through
`nlp.pipe` in each precision, and then the first --novel words as one document. The
clusters of the CPU in float32 count as right. With --peer, a folder of a checkpoint
that both packages load, the documents run through that checkpoint too: in fastcoref
where it is installed, which pins an old transformers, and else in this package. So the
script runs once in an environment of each. --device cpu tries the script out.
"""

import importlib.util
import itertools
import resource
import time
from functools import partial
from typing import Any, Dict, List

import common
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc

PRECISIONS = ("float32", "bfloat16", "float16")
# The number of documents whose clusters are compared with those of the CPU.
N_COMPARED = 40


def main() -> None:
    numbers = {"docs": 2000, "words": 450, "novel": 200_000}
    parser = common.Parser(__doc__, "peer", files=common.input_file, **numbers)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--precisions", nargs="*", default=PRECISIONS)
    args = parser.parse_args()
    pieces = common.read_pieces(spacy.blank("en"), args.files, args.words)
    docs = list(itertools.islice(itertools.cycle(pieces), args.docs))
    words = itertools.chain.from_iterable(itertools.cycle(pieces))
    novel = list(itertools.islice(words, args.novel))
    compared = docs[:N_COMPARED]
    right = predict(make_pipeline("cpu", "float32"), compared)
    rows: List[Dict[str, Any]] = []
    for precision in args.precisions:
        nlp = make_pipeline(args.device, precision)
        # The first pass loads the weights and chooses kernels.
        found = predict(nlp, compared)
        row: Dict[str, Any] = {"what": precision}
        f_score = common.score_clusters(zip(right, found, strict=True))
        row["F1 against the CPU"] = round(100 * f_score, 2)
        for name, texts in (("documents", docs), ("novel", [novel])):
            row |= measure(name, texts, partial(predict, nlp))
        rows.append(row)
        del nlp
    if args.peer and importlib.util.find_spec("fastcoref"):
        import fastcoref

        model = fastcoref.FCoref(
            args.peer, args.device, nlp=spacy.blank("en"), enable_progress_bar=False
        )
        run = partial(model.predict, is_split_into_words=True)
        run(compared)
        rows.append({"what": "fastcoref", **measure("documents", docs, run)})
    elif args.peer:
        nlp = make_pipeline(args.device, "auto", model_path=args.peer, rules=None)
        run = partial(predict, nlp)
        run(compared)
        rows.append({"what": "the peer's", **measure("documents", docs, run)})
    names = list(max(rows, key=len))
    common.print_table(names, [[row.get(name, "") for name in names] for row in rows])
    on_gpu = args.device != "cpu"
    print(torch.cuda.get_device_name(args.device) if on_gpu else "CPU")
    common.write_json(args.json, {row.pop("what"): row for row in rows})


def make_pipeline(device: str, precision: str, **settings: Any) -> Language:
    nlp = common.load_pipeline(None, precision, device=device, **settings)
    nlp.max_length = 10**9
    return nlp


def predict(nlp: Language, texts: List[List[str]]) -> List[Any]:
    """Find the clusters of texts, as character offsets."""
    docs = [Doc(nlp.vocab, words=words) for words in texts]
    return [doc._.coref_clusters for doc in nlp.pipe(docs)]


def measure(name: str, texts: List[List[str]], run: Any) -> Dict[str, Any]:
    """Measure the speed of a function on texts, and the peak of the device's memory."""
    on_gpu = torch.cuda.is_available()
    if on_gpu:
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
    begin = time.perf_counter()
    try:
        run(texts)
    except RuntimeError as error:
        # Too little memory for a single segment: the other rows still count.
        return {f"{name}, words/s": str(error).splitlines()[0], f"{name}, MiB": ""}
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    if on_gpu:
        peak = torch.cuda.max_memory_allocated() / 2**20
    n_words = sum(map(len, texts))
    return {f"{name}, words/s": round(n_words / seconds), f"{name}, MiB": round(peak)}


if __name__ == "__main__":
    common.run(main)
