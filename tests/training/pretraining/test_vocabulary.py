"""Cut the vocabulary of a tiny encoder."""

import json

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import AutoModel, BertConfig

from spacy_fastcoref.models.encoders.pieces import PieceTokenizer
from spacy_fastcoref.training.pretraining.vocabulary import prune_encoder

from ...conftest import ENCODER, blank, make_tokenizer, run_spacy

NLP = blank("xx")
UNUSED = ["▁Haus", "▁kot", "▁ж", "日"]


def make_unigram():
    letters = [f"{mark}{c}" for c in "abcdefghijklmnopqrstuvwxyzéA.," for mark in "▁ "]
    names = ["<s>", "<pad>", "</s>", "<unk>", "▁"]
    names += [letter.strip() for letter in letters]
    names += ["▁dom", "▁domy", "▁ma", "ma", *UNUSED]
    vocab = [(name, -float(i)) for i, name in enumerate(names)]
    tokenizer = Tokenizer(models.Unigram(vocab, unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    return tokenizer, 1


@pytest.fixture(params=["unigram", "word_piece"])
def encoder(request, tmp_path):
    is_unigram = request.param == "unigram"
    tokenizer, padding = make_unigram() if is_unigram else (make_tokenizer(), 0)
    config = {k: v for k, v in ENCODER.items() if k != "model_type"}
    config.update(vocab_size=tokenizer.get_vocab_size(), pad_token_id=padding)
    torch.manual_seed(0)
    AutoModel.from_config(BertConfig(**config)).save_pretrained(tmp_path / "encoder")
    tokenizer.save(str(tmp_path / "encoder" / "tokenizer.json"))
    # Otherwise, transformers would guess it by the encoder.
    settings = {"tokenizer_class": "PreTrainedTokenizerFast"}
    (tmp_path / "encoder" / "tokenizer_config.json").write_text(json.dumps(settings))
    return tmp_path / "encoder"


def read(folder):
    serialized = (folder / "tokenizer.json").read_text("utf8")
    model = AutoModel.from_pretrained(folder, local_files_only=True).eval()
    return PieceTokenizer(serialized), model


def count(folder):
    return Tokenizer.from_file(str(folder / "tokenizer.json")).get_vocab_size()


def encode(folder, words):
    tokenizer, model = read(folder)
    with torch.no_grad():
        return model(
            torch.from_numpy(tokenizer.encode(words).ids)[None]
        ).last_hidden_state


def test_texts_keep_their_vectors(encoder, tmp_path):
    words = "ma domy , he said".split()
    texts = [NLP.make_doc(" ".join(words))]
    size = prune_encoder(str(encoder), tmp_path / "new", texts, count(encoder))
    assert size == count(tmp_path / "new") < count(encoder)
    before, after = (encode(folder, words) for folder in (encoder, tmp_path / "new"))
    assert torch.equal(before, after)
    config = json.loads((tmp_path / "new" / "config.json").read_text())
    assert config["vocab_size"] == size


def test_rare_words_are_spelt(encoder, tmp_path):
    """A word whose piece is gone is written in letters, and none is unknown."""
    words = ["domy", "house", "they"]
    texts = [NLP.make_doc("a")]
    with pytest.raises(ValueError, match="size") as error:
        prune_encoder(str(encoder), tmp_path / "new", texts, 10)
    assert not (tmp_path / "new").exists()
    smallest = int(str(error.value).split("at least ")[1].split(",")[0])
    prune_encoder(str(encoder), tmp_path / "new", texts, smallest)
    (old, _), (new, _) = read(encoder), read(tmp_path / "new")
    assert len(new.encode(words).ids) > len(old.encode(words).ids)
    unknown = [new.tokenizer.token_to_id(token) for token in ("<unk>", "[UNK]")]
    assert not set(new.encode(words).ids.tolist()) & set(unknown)


def test_the_command(encoder, tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("he said domy\n")
    (tmp_path / "b.txt").write_text("# a | x\n\n[a She] said [a she].\n")
    args = ["prune-vocabulary", encoder, tmp_path / "new", "-t", tmp_path / "texts"]
    args += ["--corpora", tmp_path / "b.txt", "--size", count(encoder) - 1]
    printed = run_spacy("coref", *args)
    assert f"{count(tmp_path / 'new')} word pieces" in " ".join(printed.split())


def test_other_kinds_of_tokenizers(encoder, tmp_path):
    path = encoder / "tokenizer.json"
    data = json.loads(path.read_text())
    bpe = {"type": "BPE", "vocab": {"a": 0}, "merges": []}
    path.write_text(json.dumps({**data, "model": bpe}))
    with pytest.raises(ValueError, match="BPE"):
        prune_encoder(str(encoder), tmp_path / "new", [NLP.make_doc("a")], 10)
