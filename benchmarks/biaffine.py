"""A tagger, morphologizer and dependency parser over a pretrained encoder.

The encoder's layers are mixed by learned weights, and a word is the mean of its pieces.
Linear layers predict the part of speech, the tag, each morphological feature on its own
and the edit that makes the lemma of a word. Heads and labels are predicted by biaffine
layers (Dozat & Manning, 2017), and the best tree with one root is found by the
algorithm of Chu, Liu and Edmonds. One model serves several languages, which it is told.
"""

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Dict, Iterator, List, Sequence, Tuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from transformers import AutoConfig, AutoModel, AutoTokenizer

# Targets that don't count.
IGNORED = -100
# The value of a feature or a tag that a word doesn't have.
NOTHING = ""
_N_ARC, _N_LABEL = 384, 128
_ROOT = "root"


@dataclass
class Sentence:
    """Hold a sentence, and its annotation if it has any.

    lang (str): The language.
    words (List[str]): The words.
    values (List[Dict[str, str]]): The value of each classification for each word, such
        as {"pos": "NOUN", "Case": "Nom"}.
    heads (List[int]): The number of each word's head, from 1; 0 for the root.
    labels (List[str]): The dependency label of each word.
    """

    lang: str
    words: List[str]
    values: List[Dict[str, str]] = field(default_factory=list)
    heads: List[int] = field(default_factory=list)
    labels: List[str] = field(default_factory=list)


@dataclass
class Inventory:
    """Hold what a model can predict.

    langs (List[str]): The languages.
    labels (List[str]): The dependency labels.
    values (Dict[str, List[str]]): The values of each classification.
    """

    langs: List[str]
    labels: List[str]
    values: Dict[str, List[str]]

    @classmethod
    def collect(cls, sentences: Sequence[Sentence]) -> "Inventory":
        """Collect what occurs in a treebank.

        sentences (Sequence[Sentence]): The sentences.
        RETURNS (Inventory): The inventory.
        """
        langs = sorted({one.lang for one in sentences})
        labels = sorted({label for one in sentences for label in one.labels})
        counts: Dict[str, Counter] = {}
        for one in sentences:
            for values in one.values:
                for name, value in values.items():
                    counts.setdefault(name, Counter())[value] += 1
        # An edit that occurs once is a word of its own.
        found = {
            name: sorted(v for v, n in count.items() if n > 1 or name != "edit")
            for name, count in sorted(counts.items())
        }
        for name in found.keys() - {"pos", "edit"}:
            found[name].insert(0, NOTHING)
        return cls(langs, labels, found)

    def index(self, one: Sentence) -> List[List[int]]:
        """Find the numbers of a sentence's annotation.

        one (Sentence): The sentence.
        RETURNS (List[List[int]]): For each word the number of its head, of its label
            and of the value of each classification; IGNORED for one that is unknown.
        """
        columns = [one.heads, _find_all(one.labels, self.labels)]
        for name, values in self.values.items():
            found = [word.get(name, NOTHING) for word in one.values]
            columns.append(_find_all(found, values))
        return [list(row) for row in zip(*columns, strict=True)]


class Parser(nn.Module):
    """Predict the annotation of sentences.

    encoder (nn.Module): The encoder.
    tokenizer (Any): Its tokenizer.
    inventory (Inventory): What to predict.
    dropout (float): The dropout of the layers above the encoder.
    masked (float): The share of the pieces that are hidden in training.
    """

    def __init__(self, encoder, tokenizer, inventory, dropout=0.33, masked=0.1):
        super().__init__()
        self.encoder, self.tokenizer, self.inventory = encoder, tokenizer, inventory
        self.masked = masked
        width = encoder.config.hidden_size
        self.mix = nn.Parameter(torch.zeros(encoder.config.num_hidden_layers + 1))
        self.langs = nn.Embedding(len(inventory.langs), width)
        nn.init.zeros_(self.langs.weight)
        self.root = nn.Parameter(torch.zeros(width))
        self.dropout = nn.Dropout(dropout)
        sizes = [len(values) for values in inventory.values.values()]
        self.classes = nn.Linear(width, sum(sizes))
        # The first half of each is for dependents, the second half for heads.
        self.arcs = nn.Linear(width, 2 * _N_ARC)
        self.labels = nn.Linear(width, 2 * _N_LABEL)
        self.arc_weight = nn.Parameter(torch.zeros(_N_ARC + 1, _N_ARC))
        n_labels = len(inventory.labels)
        self.label_weight = nn.Parameter(
            torch.zeros(n_labels, _N_LABEL + 1, _N_LABEL + 1)
        )

    def encode(self, sentences: Sequence[Sentence]) -> Tuple[torch.Tensor, ...]:
        """Encode the words of sentences.

        sentences (Sequence[Sentence]): The sentences.
        RETURNS (Tuple[torch.Tensor, torch.Tensor]): The root and the words, of shape
            (n_sentences, 1 + n_words, width), and which of them exist.
        """
        device = self.root.device
        batch = self.tokenizer(
            [[even_case(word) for word in one.words] for one in sentences],
            is_split_into_words=True,
            padding=True,
            truncation=True,
            max_length=min(512, self.encoder.config.max_position_embeddings),
            return_tensors="pt",
        )
        n_words = max(len(one.words) for one in sentences)
        # Pieces that belong to no word have a column of their own, which is dropped.
        index = torch.tensor(
            [
                [n_words if word is None else word for word in batch.word_ids(i)]
                for i in range(len(sentences))
            ]
        )
        ids = batch["input_ids"]
        if self.training:
            is_hidden = (torch.rand(ids.shape) < self.masked) & (index < n_words)
            ids = ids.masked_fill(is_hidden, self.tokenizer.mask_token_id)
        index = index.to(device)
        mask = batch["attention_mask"].to(device)
        layers = self.encoder(
            input_ids=ids.to(device), attention_mask=mask, output_hidden_states=True
        ).hidden_states
        weights = self.mix.softmax(0)
        mixed = sum(w * layer for w, layer in zip(weights, layers, strict=True))
        member = F.one_hot(index, n_words + 1)[:, :, :n_words].to(mixed.dtype)
        counts = member.sum(1).clamp(min=1)
        words = member.transpose(1, 2) @ mixed / counts[:, :, None]
        langs = [self.inventory.langs.index(one.lang) for one in sentences]
        words = words + self.langs(torch.tensor(langs, device=device))[:, None]
        root = self.root.expand(len(sentences), 1, -1).to(words.dtype)
        exists = torch.tensor(
            [[i <= len(one.words) for i in range(n_words + 1)] for one in sentences]
        )
        return torch.cat((root, words), 1), exists.to(device)

    def forward(self, sentences: Sequence[Sentence]) -> Tuple[torch.Tensor, ...]:
        """Score everything that can be predicted.

        sentences (Sequence[Sentence]): The sentences.
        RETURNS (Tuple[torch.Tensor, torch.Tensor, torch.Tensor]): The scores of the
            classes of words; of each head, of shape (n_sentences, 1 + n_words,
            1 + n_words); and the vectors from which labels are scored.
        """
        words, exists = self.encode(sentences)
        words = self.dropout(words)
        classes = self.classes(words[:, 1:]).float()
        arcs = self.dropout(F.leaky_relu(self.arcs(words), 0.1))
        below, above = arcs.split(_N_ARC, -1)
        scores = (_add_one(below) @ self.arc_weight @ above.transpose(1, 2)).float()
        scores = scores.masked_fill(~exists[:, None], -1e9)
        itself = torch.eye(scores.shape[1], dtype=torch.bool, device=scores.device)
        scores = scores.masked_fill(itself, -1e9)
        labels = self.dropout(F.leaky_relu(self.labels(words), 0.1))
        return classes, scores, labels

    def score_labels(self, vectors: torch.Tensor, heads: torch.Tensor) -> torch.Tensor:
        """Score the labels of words.

        vectors (torch.Tensor): The vectors of the root and the words.
        heads (torch.Tensor): The head of each word, shape (n_sentences, n_words).
        RETURNS (torch.Tensor): Shape (n_sentences, n_words, n_labels).
        """
        below, above = vectors.split(_N_LABEL, -1)
        index = heads[:, :, None].expand(-1, -1, _N_LABEL)
        pairs = _add_one(below[:, 1:]), _add_one(above.gather(1, index))
        return torch.einsum("bni,lij,bnj->bnl", pairs[0], self.label_weight, pairs[1])

    def get_loss(self, pairs: Sequence[Tuple[Sentence, List]]) -> torch.Tensor:
        """Compute the loss of annotated sentences.

        pairs (Sequence[Tuple[Sentence, List[List[int]]]]): The sentences, with what
            `Inventory.index` returns for each.
        RETURNS (torch.Tensor): The sum of the mean losses of heads, of labels and of
            the classifications.
        """
        classes, arcs, vectors = self([one for one, _ in pairs])
        size, n_columns = classes.shape[1], len(self.inventory.values) + 2
        nothing = [IGNORED] * n_columns
        rows = [[*row, *[nothing] * (size - len(row))] for _, row in pairs]
        heads, labels, *others = torch.tensor(rows).to(classes.device).unbind(-1)
        loss = _get_loss(arcs[:, 1:], heads)
        loss = loss + _get_loss(self.score_labels(vectors, heads.clamp(min=0)), labels)
        for (_, scores), targets in zip(self.split(classes), others, strict=True):
            loss = loss + _get_loss(scores, targets)
        return loss

    def split(self, classes: torch.Tensor) -> Iterator[Tuple[str, torch.Tensor]]:
        """Split the scores of classes by what they classify.

        classes (torch.Tensor): The scores, as `forward` returns them.
        YIELDS (Tuple[str, torch.Tensor]): The name of each classification, and scores.
        """
        values = self.inventory.values
        sizes = [len(values[name]) for name in values]
        yield from zip(values, classes.split(sizes, -1), strict=True)

    @torch.inference_mode()
    def predict(self, sentences: Sequence[Sentence]) -> List[Sentence]:
        """Predict the annotation of sentences.

        sentences (Sequence[Sentence]): The sentences; what is annotated is not read.
        RETURNS (List[Sentence]): The sentences with their annotation.
        """
        self.eval()
        classes, arcs, vectors = self(sentences)
        tables = arcs.log_softmax(-1).cpu().numpy().astype(np.float64)
        trees = [
            find_tree(table[: len(one.words) + 1, : len(one.words) + 1])
            for table, one in zip(tables, sentences, strict=True)
        ]
        heads = torch.zeros(classes.shape[:2], dtype=torch.long)
        for row, tree in zip(heads, trees, strict=True):
            row[: len(tree) - 1] = torch.from_numpy(tree[1:])
        heads = heads.to(classes.device)
        scores = self.score_labels(vectors, heads).float()
        if _ROOT in self.inventory.labels:
            scores[:, :, self.inventory.labels.index(_ROOT)] = -1e9
        best = scores.argmax(-1).tolist()
        kinds = {name: s.argmax(-1).tolist() for name, s in self.split(classes)}
        return [
            self._make_sentence(one, i, trees[i], best[i], kinds)
            for i, one in enumerate(sentences)
        ]

    def _make_sentence(self, one, i, tree, best, kinds) -> Sentence:
        names = self.inventory.values
        values = [
            {name: names[name][kinds[name][i][j]] for name in kinds}
            for j in range(len(one.words))
        ]
        heads = tree[1:].tolist()
        labels = [
            self.inventory.labels[best[j]] if head else _ROOT
            for j, head in enumerate(heads)
        ]
        return Sentence(one.lang, one.words, values, heads, labels)

    def save(self, folder: Path) -> None:
        """Save the model.

        folder (Path): The folder; it is made if there is none.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.encoder.config.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        inventory = json.dumps(asdict(self.inventory), ensure_ascii=False)
        (folder / "inventory.json").write_text(inventory, encoding="utf8")
        torch.save(self.state_dict(), folder / "parser.pt")


def load_parser(folder: Path) -> Parser:
    """Load a model that was saved.

    folder (Path): The folder.
    RETURNS (Parser): The model.
    """
    inventory = json.loads((folder / "inventory.json").read_text(encoding="utf8"))
    encoder = AutoModel.from_config(AutoConfig.from_pretrained(folder))
    tokenizer = AutoTokenizer.from_pretrained(folder)
    parser = Parser(encoder, tokenizer, Inventory(**inventory))
    parser.load_state_dict(torch.load(folder / "parser.pt", weights_only=True))
    return parser


def even_case(word: str) -> str:
    """Write a long word in capitals like a name: "GRÄFIN" as "Gräfin".

    word (str): The word.
    RETURNS (str): The word; acronyms and other words as they are.
    """
    return word.capitalize() if len(word) > 4 and word.isupper() else word


def find_tree(scores: np.ndarray) -> np.ndarray:
    """Find the best tree in which one word hangs on the root.

    scores (numpy.ndarray): The score of each head (column) for each word (row), the
        root being the first.
    RETURNS (numpy.ndarray): The head of each word; that of the root is the root.
    """
    tree = _find_arborescence(scores)
    roots = np.flatnonzero(tree[1:] == 0) + 1
    if len(roots) == 1:
        return tree
    # Scores of trees are compared by the true scores, so the others are only lowered.
    trees = []
    for root in roots:
        lowered = scores.copy()
        lowered[:, 0] = -1e12
        lowered[root, 0] = scores[root, 0]
        trees.append(_find_arborescence(lowered))
    words = np.arange(1, len(scores))
    return max(trees, key=lambda one: scores[words, one[1:]].sum())


def _find_arborescence(scores: np.ndarray) -> np.ndarray:
    """Find the best tree, with any number of words on the root (Chu, Liu, Edmonds)."""
    heads = scores.argmax(1)
    heads[0] = 0
    cycle = _find_cycle(heads)
    if not cycle:
        return heads
    # Make the cycle a single node, the last one, and find the tree of the others.
    rest = [i for i in range(len(scores)) if i not in cycle]
    n_rest = len(rest)
    smaller = np.full((n_rest + 1, n_rest + 1), -np.inf)
    smaller[:-1, :-1] = scores[np.ix_(rest, rest)]
    entering = scores[np.ix_(cycle, rest)] - scores[cycle, heads[cycle]][:, None]
    leaving = scores[np.ix_(rest, cycle)]
    smaller[-1, :-1], smaller[:-1, -1] = entering.max(0), leaving.max(1)
    tree = _find_arborescence(smaller)
    for i in range(1, n_rest):
        is_below = tree[i] == n_rest
        heads[rest[i]] = cycle[leaving[i].argmax()] if is_below else rest[tree[i]]
    heads[cycle[entering[:, tree[-1]].argmax()]] = rest[tree[-1]]
    return heads


def _find_cycle(heads: np.ndarray) -> List[int]:
    """Find a cycle; an empty list if there is none."""
    done = {0}
    for start in range(1, len(heads)):
        path: List[int] = []
        while start not in done:
            done.add(start)
            path.append(start)
            start = int(heads[start])
        if start in path:
            return path[path.index(start) :]
    return []


def _add_one(vectors: torch.Tensor) -> torch.Tensor:
    """Append a constant to vectors, so that a product has linear parts."""
    return F.pad(vectors, (0, 1), value=1.0)


def _find_all(values: Sequence[str], names: List[str]) -> List[int]:
    return [names.index(value) if value in names else IGNORED for value in values]


def _get_loss(scores: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Compute the mean cross entropy of the targets that count."""
    total = F.cross_entropy(
        scores.flatten(0, 1).float(), targets.flatten(), reduction="sum"
    )
    return total / (targets != IGNORED).sum().clamp(min=1)
