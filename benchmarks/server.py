"""Measure the server: its latency and its throughput.

    python benchmarks/server.py --seconds 60 text.txt

The text is cut into documents of --words words. All numbers are of one run on one
machine: the latency is the median of a document sent over HTTP against the median of
nlp(text), the throughput that of --clients clients at once against nlp.pipe.
"""

import json
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from statistics import median
from typing import Any, Dict, List, Optional

import common
import uvicorn

from spacy_fastcoref.server.app import make_app
from spacy_fastcoref.server.run import TimedProtocol, listen


def main() -> None:
    parser = common.Parser(__doc__, "model", words=400, clients=16, rounds=20)
    parser.add_argument("--seconds", type=float, default=10, help="of throughput")
    parser.add_argument("text", type=common.input_file)
    args = parser.parse_args()
    nlp = common.load_pipeline(args.model)
    pieces = common.read_pieces(nlp, [args.text], args.words)
    texts = [" ".join(words) for words in pieces]
    nlp(texts[0])
    results: Dict[str, Any] = {"documents": len(texts), "words each": args.words}
    alone = measure_seconds(nlp, texts, args.rounds)
    speed = measure_pipe(nlp, texts, args.seconds)
    taken = listen("127.0.0.1", 0)
    url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    app = make_app({"en": nlp})
    server = uvicorn.Server(uvicorn.Config(app, http=TimedProtocol, log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        served = measure_seconds(lambda text: post(url, text), texts, args.rounds)
        results["latency / nlp(text)"] = round(served / alone, 2)
        found, n_errors = measure_clients(url, texts, args.clients, args.seconds)
        results["throughput / nlp.pipe"] = round(found / speed, 2)
        results["errors"] = n_errors
    finally:
        server.should_exit = True
        thread.join()
    common.print_table(("measure", "value"), list(results.items()))
    common.write_json(args.json, results)


def post(url: str, text: str) -> bytes:
    body = json.dumps({"text": text}).encode("utf8")
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(f"{url}/coref", body, headers)
    with urllib.request.urlopen(request, timeout=300) as answer:
        return answer.read()


def measure_seconds(resolve: Any, texts: List[str], n_rounds: int) -> float:
    """Measure the median time of one document."""
    found = []
    for text in islice(cycle(texts), n_rounds):
        begin = time.perf_counter()
        resolve(text)
        found.append(time.perf_counter() - begin)
    return median(found)


def measure_pipe(nlp: Any, texts: List[str], seconds: float) -> float:
    begin = time.perf_counter()
    n_docs = 0
    stream = cycle(texts)
    while time.perf_counter() < begin + seconds:
        n_docs += sum(1 for _ in nlp.pipe(islice(stream, nlp.batch_size)))
    return n_docs / (time.perf_counter() - begin)


def measure_clients(url: str, texts: List[str], n_clients: int, seconds: float) -> Any:
    """Measure the texts a second of many clients at once, and count errors."""
    begin = time.perf_counter()

    def ask(first: int) -> List[Optional[float]]:
        ends: List[Optional[float]] = []
        stream = islice(cycle(texts), first, None)
        while time.perf_counter() < begin + seconds:
            try:
                post(url, next(stream))
                ends.append(time.perf_counter())
            except OSError:
                ends.append(None)
        return ends

    with ThreadPoolExecutor(n_clients) as pool:
        ends = [end for found in pool.map(ask, range(n_clients)) for end in found]
    good = [end for end in ends if end is not None]
    return len(good) / (max(good, default=begin) - begin or 1), len(ends) - len(good)


if __name__ == "__main__":
    common.run(main)
