"""Train a tagger and parser on a treebank, and annotate texts by it.

python benchmarks/parse.py train --encoder FOLDER --treebank LANG=FILE.conllu …
    --output FOLDER [--epochs N] [--batch N] [--device NAME] [--seed N]
python benchmarks/parse.py annotate --model FOLDER --lang LANG --output FOLDER
    [--words N] [--device NAME] INPUT …
python benchmarks/parse.py score --lang LANG [--match NAME] [--singletons] [--wrong N]
    FILE.spacy …

For languages that have no pipeline at hand, such as German and Polish. `train`
fine-tunes all of a pretrained encoder but its embeddings, on treebanks of Universal
Dependencies, one model for all of their languages. It holds every 20th sentence out and
scores it: UPOS, features (all features of a word), lemmas, and UAS and LAS without
punctuation.
`annotate` writes a .spacy file for each input, a file of any format with clusters or a
folder of .txt files with mentions in brackets. Its name is the end of the input's path:
written-de-dev.spacy for written/de/dev.jsonl. `score` measures the nearest antecedent
(spacy_fastcoref.NearestAntecedent.v1) on the annotation of such files.
"""

import argparse
import random
import time
from itertools import islice
from pathlib import Path
from typing import Dict, Iterator, List, Sequence, Tuple

import numpy as np
import spacy
import torch
from biaffine import Inventory, Parser, Sentence, load_parser
from common import Parser as Arguments
from common import input_file, positive, print_table, run, write_points
from sentences import split_sentences
from spacy.attrs import DEP, HEAD, LEMMA, MORPH, POS, TAG
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from transformers import AutoModel, AutoTokenizer
from treebank import apply_edit, read_treebank, write_features

from spacy_fastcoref.cli.evaluate import describe_link
from spacy_fastcoref.formats.docbin import keep_user_data
from spacy_fastcoref.formats.gold import read_gold
from spacy_fastcoref.training.evaluation import evaluate

NEAREST = {"@architectures": "spacy_fastcoref.NearestAntecedent.v1"}
_DEV_EVERY = 20
_RATES = {"encoder": 1e-4, "others": 1e-3}


def main() -> None:
    """Run one of the commands."""
    parser = Arguments(__doc__)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("train", description="Train a model.")
    command.add_argument("--encoder", type=Path, required=True)
    command.add_argument("--treebank", type=_treebank, nargs="+", required=True)
    command.add_argument("--output", type=Path, required=True)
    command.add_argument("--epochs", type=positive, default=30)
    command.add_argument("--batch", type=positive, default=32)
    command.add_argument("--seed", type=int, default=0)
    command.set_defaults(run=train)
    _add_device(command)
    command = commands.add_parser("annotate", description="Annotate texts.")
    command.add_argument("inputs", type=Path, nargs="+")
    command.add_argument("--model", type=Path, required=True)
    command.add_argument("--lang", required=True)
    command.add_argument("--output", type=Path, required=True)
    command.add_argument("--words", type=positive)
    command.add_argument("--batch", type=positive, default=64)
    command.set_defaults(run=annotate)
    _add_device(command)
    command = commands.add_parser("score", description="Score nearest antecedents.")
    command.add_argument("inputs", type=input_file(".spacy"), nargs="+")
    command.add_argument("--lang", required=True)
    command.add_argument("--match", default="exact")
    command.add_argument("--singletons", action="store_true")
    command.add_argument("--wrong", type=int, default=0)
    command.set_defaults(run=score)
    args = parser.parse_args()
    args.run(args)


def _add_device(command: argparse.ArgumentParser) -> None:
    command.add_argument("--device", default="cpu", choices=("cpu", "cuda"))


def _treebank(value: str) -> Tuple[str, Path]:
    lang, _, path = value.partition("=")
    if not path:
        raise argparse.ArgumentTypeError(f"{value!r} is not LANG=FILE.conllu")
    return lang, input_file(".conllu")(path)


def train(args: argparse.Namespace) -> None:
    """Train a model, score it and save it.

    args (argparse.Namespace): The arguments.
    """
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    training: List[Sentence] = []
    held_out: Dict[str, List[Sentence]] = {}
    for lang, path in args.treebank:
        found = read_treebank(path, lang)
        held_out.setdefault(lang, []).extend(found[::_DEV_EVERY])
        training += (one for i, one in enumerate(found) if i % _DEV_EVERY)
    encoder = AutoModel.from_pretrained(args.encoder, dtype=torch.float32)
    encoder.get_input_embeddings().requires_grad_(False)
    tokenizer = AutoTokenizer.from_pretrained(args.encoder)
    parser = Parser(encoder, tokenizer, Inventory.collect(training)).to(args.device)
    begin = time.perf_counter()
    fit(parser, training, args.epochs, args.batch, args.device)
    print(f"{time.perf_counter() - begin:.0f} s for {args.epochs} epochs")
    rows = []
    for lang, gold in held_out.items():
        found = list(predict_all(parser, gold, 64, args.device))
        rows.append([lang, *map(write_points, compare(gold, found))])
    names = ["held out", "UPOS", "features", "lemmas", "UAS", "LAS"]
    print_table(names, rows)
    parser.save(args.output)


def fit(
    parser: Parser, sentences: List[Sentence], n_epochs: int, size: int, device: str
) -> None:
    """Train a model.

    parser (Parser): The model.
    sentences (List[Sentence]): The treebank.
    n_epochs (int): How often each sentence is seen.
    size (int): The number of sentences in a batch.
    device (str): "cpu" or "cuda".
    """
    inner = {id(one) for one in parser.encoder.parameters()}
    groups: Dict[str, list] = {name: [] for name in _RATES}
    for weight in parser.parameters():
        if weight.requires_grad:
            groups["encoder" if id(weight) in inner else "others"].append(weight)
    optimizer = torch.optim.AdamW(
        [{"params": groups[name], "lr": rate} for name, rate in _RATES.items()],
        betas=(0.9, 0.95),
    )
    pairs = [(one, parser.inventory.index(one)) for one in sentences]
    n_steps = n_epochs * -(-len(sentences) // size)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda i: min((i + 1) / (0.1 * n_steps), 1 - i / n_steps, 1)
    )
    for epoch in range(n_epochs):
        parser.train()
        total = 0.0
        for batch in _make_batches(pairs, size):
            with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):
                loss = parser.get_loss(batch)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parser.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            total += loss.item() * len(batch)
        print(f"epoch {epoch + 1}: loss {total / len(sentences):.3f}", flush=True)


def _make_batches(pairs: list, size: int) -> Iterator[list]:
    """Make batches of sentences of about the same length, in random order."""
    ordered = sorted(pairs, key=lambda pair: len(pair[1]) + random.uniform(-3, 3))
    starts = list(range(0, len(ordered), size))
    random.shuffle(starts)
    yield from (ordered[start : start + size] for start in starts)


def predict_all(
    parser: Parser, sentences: Sequence[Sentence], size: int, device: str
) -> Iterator[Sentence]:
    """Annotate sentences in batches, the longest first to keep batches full.

    parser (Parser): The model.
    sentences (Sequence[Sentence]): The sentences.
    size (int): The number of sentences in a batch.
    device (str): "cpu" or "cuda".
    YIELDS (Sentence): The annotated sentences, in order.
    """
    order = sorted(range(len(sentences)), key=lambda i: -len(sentences[i].words))
    found: Dict[int, Sentence] = {}
    for begin in range(0, len(order), size):
        part = order[begin : begin + size]
        with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):
            predicted = parser.predict([sentences[i] for i in part])
        found.update(zip(part, predicted, strict=True))
    yield from (found[i] for i in range(len(sentences)))


def compare(gold: Sequence[Sentence], found: Sequence[Sentence]) -> List[float]:
    """Score annotation.

    gold, found (Sequence[Sentence]): The true and the predicted sentences.
    RETURNS (List[float]): The shares of words with the right part of speech, features,
        lemma, head, and head and label; the last two without punctuation.
    """
    rows, arcs = [], []
    for one, other in zip(gold, found, strict=True):
        for i, (true, ours) in enumerate(zip(one.values, other.values, strict=True)):
            feats = write_features(true) == write_features(ours)
            lemmas = [apply_edit(v.get("edit", ""), one.words[i]) for v in (true, ours)]
            rows.append((true["pos"] == ours["pos"], feats, lemmas[0] == lemmas[1]))
            if true["pos"] != "PUNCT":
                head = one.heads[i] == other.heads[i]
                arcs.append((head, head and one.labels[i] == other.labels[i]))
    return [*np.mean(rows, 0).tolist(), *np.mean(arcs, 0).tolist()]


def annotate(args: argparse.Namespace) -> None:
    """Annotate files.

    args (argparse.Namespace): The arguments.
    """
    parser = load_parser(args.model).to(args.device)
    if args.lang not in parser.inventory.langs:
        raise ValueError(f"the model knows {parser.inventory.langs}, not {args.lang!r}")
    nlp = spacy.blank(args.lang)
    args.output.mkdir(parents=True, exist_ok=True)
    for path in args.inputs:
        files = sorted(path.glob("*.txt")) if path.is_dir() else [path]
        if not files:
            raise ValueError(f"there are no .txt files in {path}")
        pairs = list(_read_docs(files, nlp, args.words))
        docs = [doc for _, doc in pairs]
        # Texts have no sentences of their own.
        is_split = files[0].suffix != ".txt"
        starts = [(doc, s) for doc in docs for s in split_sentences(doc, is_split)]
        begin = time.perf_counter()
        plain = [Sentence(args.lang, [doc[i].text for i in s]) for doc, s in starts]
        found = predict_all(parser, plain, args.batch, args.device)
        parts: Dict[int, list] = {id(doc): [] for doc in docs}
        for (doc, tokens), one in zip(starts, found, strict=True):
            parts[id(doc)].append((tokens, one))
        seconds = time.perf_counter() - begin
        docbin = DocBin(store_user_data=True)
        for key, doc in pairs:
            set_annotation(doc, parts[id(doc)])
            doc.user_data = keep_user_data(doc, key)
            docbin.add(doc)
        target = args.output / f"{'-'.join(path.with_suffix('').parts[-3:])}.spacy"
        docbin.to_disk(target)
        n_words = sum(map(len, docs))
        print(f"{target}: {len(docs)} documents, {n_words} words, {seconds:.0f} s")


def _read_docs(files, nlp, n_words) -> Iterator[Tuple[str, Doc]]:
    """Read documents, until they have so many words."""
    total = 0
    for key, eg in read_gold(files, nlp):
        if n_words is not None and total >= n_words:
            return
        total += len(eg.reference)
        yield key, eg.reference


def set_annotation(doc: Doc, parts: List[Tuple[List[int], Sentence]]) -> None:
    """Set the annotation of a document.

    doc (Doc): The document, which keeps its clusters.
    parts (List[Tuple[List[int], Sentence]]): The tokens of each sentence, and the
        annotation.
    """
    attrs = [HEAD, DEP, POS, TAG, MORPH, LEMMA]
    table = np.zeros((len(doc), len(attrs)), dtype="uint64")
    add = doc.vocab.strings.add
    for tokens, one in parts:
        for i, values, head, label in zip(
            tokens, one.values, one.heads, one.labels, strict=True
        ):
            distance = tokens[head - 1] - i if head else 0
            table[i] = [
                np.int64(distance).astype("uint64"),
                add(label if head else "ROOT"),
                add(values["pos"]),
                add(values.get("tag", "")),
                doc.vocab.morphology.add(write_features(values)),
                add(apply_edit(values["edit"], doc[i].text)),
            ]
    for token in islice(doc, 1, None):
        if token.is_space:
            # White space belongs to the word before it.
            table[token.i] = [np.int64(-1).astype("uint64"), add("dep"), 0, 0, 0, 0]
            table[token.i, 2] = add("SPACE")
    doc.from_array(attrs, table)


def score(args: argparse.Namespace) -> None:
    """Score the nearest antecedents of annotated files.

    args (argparse.Namespace): The arguments.
    """
    nlp = spacy.blank(args.lang)
    nlp.add_pipe("fastcoref", config={"model": NEAREST})
    rows = []
    for path in args.inputs:
        docs = list(DocBin().from_disk(path).get_docs(nlp.vocab))
        examples = [(str(i), Example(doc.copy(), doc)) for i, doc in enumerate(docs)]
        found = evaluate(nlp, examples, match=args.match, singletons=args.singletons)
        scores = found.scores
        points = map(write_points, (scores["anaphors"], scores["coref_f"]))
        rows.append([path.stem, found.n_anaphors, *points])
        for link in found.wrong_links[: args.wrong]:
            print(describe_link(link))
    print_table(["file", "anaphors", "accuracy", "CoNLL"], rows)


if __name__ == "__main__":
    run(main)
