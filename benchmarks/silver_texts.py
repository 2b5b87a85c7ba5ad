"""Choose plain text that a teacher is to annotate.

python benchmarks/silver_texts.py DATA TEXT OUTPUT.jsonl

DATA has litbank/train.jsonl, ontogum/dev.jsonl, gap/gap-development.tsv and the like,
TEXT novels.txt.gz, openstax.txt.gz and onestopenglish.txt.gz, in which a line "=== DOC
NAME" is above each document. Chosen are passages of the novels whose beginnings
LitBank's training set has, of textbooks where pronouns are most, of news, and of
Wikipedia as GAP and ELEVANT have it; what shares eight words with a dev set is left
out. They are in an order by chance, so that the first ones are as good a choice.
"""

import argparse
import csv
import gzip
import json
import random
import re
from pathlib import Path
from typing import Iterator, List, Tuple

from wasabi import msg

N_WORDS = 8
PRONOUN = re.compile(r"\b(?:s?he|him|her|his|hers|himself|herself)\b", re.IGNORECASE)


def main() -> None:
    """Choose the passages and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("text", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--novel-words", type=int, default=6500, help="of each novel")
    parser.add_argument("--book-words", type=int, default=330_000, help="of textbooks")
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    known = set(list_sequences_of_dev_sets(args.data))
    chosen = [
        *choose_novels(args.data, args.text, args.novel_words, rng),
        *choose_books(args.text, args.book_words),
        *read_news(args.text),
        *read_wikipedia(args.data),
    ]
    passages = [text for text in chosen if not known & set(list_sequences(text))]
    rng.shuffle(passages)
    with args.output.open("w", encoding="utf8") as file:
        for text in passages:
            file.write(json.dumps({"text": text}) + "\n")
    n_words = sum(len(text.split()) for text in passages)
    msg.good(f"{len(passages)} passages, {n_words} words, in {args.output}")


def choose_novels(
    data: Path, text: Path, n_words: int, rng: random.Random
) -> Iterator[str]:
    """Choose passages of novels in which people are spoken of.

    data (Path): The folder of labelled data.
    text (Path): The folder of plain text.
    n_words (int): How much to take of each novel.
    rng (random.Random): Chooses.
    YIELDS (str): The passages.
    """
    names = {row["doc_key"] for row in read_rows(data / "litbank" / "train.jsonl")}
    for name, novel in read_documents(text / "novels.txt.gz"):
        if name.removesuffix(".txt") not in names:
            continue
        paragraphs = re.split(r"\n\s*\n", novel)
        passages = [
            passage
            for passage in join(paragraphs, rng.choice([350, 700, 1100]))
            if 120 < len(passage.split()) < 1500
            and "Gutenberg" not in passage
            and len(PRONOUN.findall(passage)) >= 6
        ]
        rng.shuffle(passages)
        n_taken = 0
        for passage in passages:
            if n_taken > n_words:
                break
            n_taken += len(passage.split())
            yield passage


def choose_books(text: Path, n_words: int) -> Iterator[str]:
    """Choose the passages of textbooks with the most pronouns.

    text (Path): The folder of plain text.
    n_words (int): How much to take.
    YIELDS (str): The passages.
    """
    passages = [
        (len(PRONOUN.findall(passage)) / len(passage.split()), passage)
        for _, book in read_documents(text / "openstax.txt.gz")
        for passage in join(book.split("\n"), 400)
        if 80 < len(passage.split()) < 700 and "OpenStax" not in passage
    ]
    n_taken = 0
    for _, passage in sorted(passages, reverse=True):
        if n_taken > n_words:
            break
        n_taken += len(passage.split())
        yield passage


def read_news(text: Path) -> List[str]:
    """Read the news.

    text (Path): The folder of plain text.
    RETURNS (List[str]): Its passages.
    """
    news = read_documents(text / "onestopenglish.txt.gz")
    passages = [one for _, article in news for one in join(article.split("\n"), 500)]
    return [passage for passage in passages if len(passage.split()) > 60]


def read_wikipedia(data: Path) -> List[str]:
    """Read texts of Wikipedia and news that are labelled in part.

    data (Path): The folder of labelled data.
    RETURNS (List[str]): The texts, long ones as passages.
    """
    texts = [row["Text"] for row in read_gap(data / "gap" / "gap-development.tsv")]
    for name in ("wiki", "news"):
        path = data / "entity-coref" / f"{name}-fair-v2.benchmark.jsonl"
        for row in read_rows(path):
            passages = join(row["text"].split("\n"), 500)
            texts += [one for one in passages if len(one.split()) > 30]
    return texts


def list_sequences_of_dev_sets(data: Path) -> Iterator[int]:
    """List what no passage is to have.

    data (Path): The folder of labelled data.
    YIELDS (int): Sequences of words, as list_sequences has them.
    """
    for name in ("ontogum", "litbank"):
        for row in read_rows(data / name / "dev.jsonl"):
            words = [word for sentence in row["sentences"] for word in sentence]
            yield from list_sequences(" ".join(words))
    for row in read_gap(data / "gap" / "gap-validation.tsv"):
        yield from list_sequences(row["Text"])


def list_sequences(text: str) -> Iterator[int]:
    """List the sequences of eight words in a text.

    text (str): The text.
    YIELDS (int): The hash of each, whatever stands between the words.
    """
    words = [re.sub(r"\W", "", word).lower() for word in text.split()]
    words = [word for word in words if word]
    for i in range(len(words) - N_WORDS + 1):
        yield hash(tuple(words[i : i + N_WORDS]))


def join(paragraphs: List[str], n_words: int) -> Iterator[str]:
    """Join paragraphs to passages.

    paragraphs (List[str]): The paragraphs.
    n_words (int): The most words in a passage of more than one.
    YIELDS (str): The passages, each in one line.
    """
    passage: List[str] = []
    for paragraph in paragraphs:
        words = paragraph.split()
        if passage and len(passage) + len(words) > n_words:
            yield " ".join(passage)
            passage = []
        passage = [*passage, *words]
    if passage:
        yield " ".join(passage)


def read_documents(path: Path) -> Iterator[Tuple[str, str]]:
    """Read a file of documents.

    path (Path): The file.
    YIELDS (Tuple[str, str]): Each document's name and text.
    """
    text = gzip.decompress(path.read_bytes()).decode("utf8")
    for document in text.split("=== DOC ")[1:]:
        name, _, content = document.partition("\n")
        yield name.strip(), content


def read_rows(path: Path) -> Iterator[dict]:
    """Read jsonlines.

    path (Path): The file.
    YIELDS (dict): The rows.
    """
    with path.open(encoding="utf8") as file:
        yield from map(json.loads, file)


def read_gap(path: Path) -> Iterator[dict]:
    """Read GAP's rows.

    path (Path): The file.
    YIELDS (dict): The rows.
    """
    with path.open(encoding="utf8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


if __name__ == "__main__":
    main()
