"""Cut the vocabulary of an encoder down to the word pieces of some languages.

Most weights of a multilingual encoder are vectors of word pieces of languages that a
model is not trained for.
"""

import json
import shutil
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Iterable, List

import torch
from spacy.tokens import Doc
from torch import nn
from transformers import AutoModel
from transformers.utils import logging

from ...errors import check_known, check_setting
from ...files import replace_folder
from ...grammar.word_index import list_words
from ...models.checkpoints.fastcoref_format import read_tokenizer
from ...models.checkpoints.sources import find_folder
from ...models.encoders.pieces import PieceTokenizer
from ...models.folders import TOKENIZER, name_folder_in_errors

# Marks of a tokenizer before or within a piece, which aren't part of the word.
_MARKS = "▁#"
_TOKENIZER_CONFIG = "tokenizer_config.json"
_SCRIPTS = ("LATIN", "DIGIT")


def _choose_pieces(serialized: str, counts: Counter, size: int) -> List[int]:
    """Choose the word pieces of a smaller vocabulary."""
    data = json.loads(serialized)
    model = data["model"]
    kind, vocab = model.get("type"), model.get("vocab")
    check_known("way to prune a tokenizer of the kind", kind, ("Unigram", "WordPiece"))
    is_unigram = kind == "Unigram"
    pieces = [p for p, _ in vocab] if is_unigram else sorted(vocab, key=vocab.get)
    kept = {token["id"] for token in data["added_tokens"]}
    kept.add(model["unk_id"] if is_unigram else pieces.index(model["unk_token"]))
    for i, piece in enumerate(pieces):
        letter = piece.strip(_MARKS) or piece
        is_letter = len(letter) == 1
        name = unicodedata.name(letter, "") if is_letter else ""
        is_usual = letter.isascii() or name.startswith(_SCRIPTS)
        if is_letter and (i in counts or is_usual):
            kept.add(i)
    expected = f"at least {len(kept)}, the number of single characters"
    check_setting("size", size, len(kept) <= size, expected)
    for i, _ in counts.most_common():
        if len(kept) == size:
            break
        kept.add(i)
    return sorted(kept)


def _prune_tokenizer(serialized: str, kept: List[int]) -> str:
    data = json.loads(serialized)
    numbers = {old: new for new, old in enumerate(kept)}
    model = data["model"]
    if model["type"] == "Unigram":
        model["unk_id"] = numbers[model["unk_id"]]
        # Some added tokens are behind the vocabulary.
        model["vocab"] = [model["vocab"][i] for i in kept if i < len(model["vocab"])]
    else:
        vocab = model["vocab"].items()
        model["vocab"] = {p: numbers[i] for p, i in vocab if i in numbers}
    for token in data["added_tokens"]:
        token["id"] = numbers[token["id"]]
    # The special tokens that are added to a text.
    processor = data.get("post_processor") or {}
    for one in (processor, *processor.get("processors", ())):
        for token in one.get("special_tokens", {}).values():
            token["ids"] = [numbers[i] for i in token["ids"]]
        for key in {"sep", "cls"} & one.keys():
            one[key][1] = numbers[one[key][1]]
    return json.dumps(data, ensure_ascii=False)


def prune_encoder(name: str, output: Path, docs: Iterable[Doc], size: int) -> int:
    """Write an encoder with at most `size` word pieces that occur in the texts, or are
    single characters; return how many."""
    path = find_folder(name)
    logging.disable_progress_bar()
    with name_folder_in_errors(path):
        encoder = AutoModel.from_pretrained(
            path, local_files_only=True, trust_remote_code=False
        )
        serialized = read_tokenizer(str(path), encoder.config)
    tokenizer = PieceTokenizer(serialized, str(path))
    counts: Counter = Counter()
    for doc in docs:
        counts.update(tokenizer.encode(list_words(doc)).ids.tolist())
    kept = _choose_pieces(serialized, counts, size)
    vectors = encoder.get_input_embeddings().weight.data[torch.tensor(kept)]
    padding = kept.index(encoder.config.pad_token_id)
    encoder.set_input_embeddings(
        nn.Embedding.from_pretrained(vectors, freeze=False, padding_idx=padding)
    )
    encoder.config.vocab_size = len(kept)
    encoder.config.pad_token_id = padding
    with replace_folder(output) as folder:
        encoder.save_pretrained(folder)
        (folder / TOKENIZER).write_text(_prune_tokenizer(serialized, kept), "utf8")
        if (path / _TOKENIZER_CONFIG).is_file():
            # It names the class of the tokenizer.
            shutil.copy(path / _TOKENIZER_CONFIG, folder)
    return len(kept)
