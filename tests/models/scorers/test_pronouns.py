"""Test masked words and the pronoun head."""

import json

import pytest
import torch
from spacy.tokens import Doc, Span
from spacy.training import Example
from thinc.api import Adam

from spacy_fastcoref.models.blocks import describe_block
from spacy_fastcoref.models.encoders.pieces import PieceTokenizer
from spacy_fastcoref.models.scorers.heads import PronounHeadBlock
from spacy_fastcoref.pipeline.gold import AlignedGold as Gold

from ...conftest import blank, make_network, make_nlp, make_tokenizer
from ..learning.test_loss import compute_loss, make_scores

HEAD = {
    "pronoun_head": describe_block(
        PronounHeadBlock(hidden_size=16, dropout=0.0, pronouns=["he", "she", "they"])
    )
}
MASK_ID = 4


def make_doc(words, masked=()):
    doc = Doc(blank("en").vocab, words=words)
    if masked:
        doc.spans["coref_masked"] = [Span(doc, i, i + 1) for i in masked]
    return doc


def test_masked_word_has_one_mask_piece():
    tokenizer = PieceTokenizer(make_tokenizer().to_str())
    words = ["[MASK]", "said", "[MASK]", "ran", "[MASK]"]
    pieces = tokenizer.encode(words, [0, 4])
    assert pieces.tokens.tolist() == [0, 1, 2, 3, 4]
    ids = [
        pieces.ids[a : z + 1].tolist()
        for a, z in zip(pieces.first, pieces.last, strict=True)
    ]
    assert ids[0] == ids[4] == [MASK_ID]
    # Without a mask, "[MASK]" is split into pieces like other words.
    plain = tokenizer.encode(words)
    assert len(ids[2]) > 1 and MASK_ID not in ids[2] and MASK_ID not in plain.ids
    assert ids[3] == plain.ids[plain.first[3] : plain.last[3] + 1].tolist()


def test_tokenizer_without_mask_token():
    data = json.loads(make_tokenizer().to_str().replace("[MASK]", "[OTHER]"))
    tokenizer = PieceTokenizer(json.dumps(data))
    assert len(tokenizer.encode(["she", "ran"]).tokens) == 2
    with pytest.raises(ValueError, match="FC072.*no piece"):
        tokenizer.encode(["she", "ran"], [0])


def test_masked_words_do_not_affect_scores(tiny_nlp):
    pipe = tiny_nlp.get_pipe("fastcoref")
    words = "she said that [MASK] ran".split()
    masked = pipe.predict([make_doc(words, [3])])[0]
    other = pipe.predict([make_doc([*words[:3], "q", "ran"], [3])])[0]
    plain = pipe.predict([make_doc(words)])[0]
    assert masked.mention_scores.tolist() == other.mention_scores.tolist()
    assert masked.mention_scores.tolist() != plain.mention_scores.tolist()


def test_pronoun_loss():
    scores = make_scores()
    scores.pronouns = torch.randn(3, 2, generator=torch.Generator().manual_seed(0))
    scores.pronoun_names = ("he", "she")
    # The pronouns are at the second and third mention; (1, 2) is not a mention.
    pronouns = {(0, 4): "she", (4, 5): "he", (1, 2): "he"}
    expected = -scores.pronouns.log_softmax(1)[[1, 2], [1, 0]].sum()
    found = compute_loss(scores, Gold(pronouns=pronouns), antecedent_weight=0.0)
    torch.testing.assert_close(found, expected)
    with pytest.raises(ValueError, match="FC024.*'it'.*he, she"):
        compute_loss(scores, Gold(pronouns={(0, 4): "it"}))


def make_example(words, pronouns):
    predicted, reference = (make_doc(words, [*pronouns]) for _ in range(2))
    reference.spans["coref_annotated"] = [Span(reference, i, i + 1) for i in pronouns]
    reference.spans["coref_pronouns"] = [
        Span(reference, i, i + 1, label=pronoun) for i, pronoun in pronouns.items()
    ]
    return Example(predicted, reference)


EXAMPLES = [
    ("anna said that [MASK] ran", "she"),
    ("boris said that [MASK] ran", "he"),
    ("cats said that [MASK] ran", "they"),
]


def test_pronouns_are_learned(tmp_path):
    nlp = make_nlp(tmp_path / "model", make_network(**HEAD), **HEAD)
    pipe = nlp.get_pipe("fastcoref")
    examples = [make_example(text.split(), {3: word}) for text, word in EXAMPLES]
    optimizer = Adam(0.005)
    losses = [pipe.update(examples, sgd=optimizer)["fastcoref"] for _ in range(40)]
    assert losses[0] == pytest.approx(1.1, abs=0.4) and losses[-1] < 0.3
    learner, _ = pipe.model.get_learner()
    network = learner.network
    # The antecedent scorer does not learn from masked pronouns.
    assert network.antecedent_scorer.start_mlp.dense.weight.grad is None
    before = make_network(**HEAD).antecedent_scorer.state_dict()
    after = network.antecedent_scorer.state_dict()
    assert torch.equal(before["start_mlp.dense.bias"], after["start_mlp.dense.bias"])
    (scores, *_), _ = pipe.model.begin_update([eg.predicted for eg in examples[:1]])
    assert scores.pronouns.shape == (len(scores.starts), 3)


def test_model_without_pronoun_head(tiny_nlp, tmp_path):
    assert not any("pronoun" in key for key in make_network().state_dict())
    pipe = tiny_nlp.get_pipe("fastcoref")
    with pytest.raises(ValueError, match="FC024.*'she'"):
        pipe.update([make_example("anna said that [MASK] ran".split(), {3: "she"})])
