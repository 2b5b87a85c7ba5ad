"""The registered Thinc models."""

from dataclasses import replace
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from spacy import registry
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..errors import Errors
from ..types import Links
from .checkpoints.sources import NewSource, TokenSource, TrainedSource
from .ensemble_shim import EnsembleShim
from .shim import CorefShim
from .thinc_model import DROPOUT, ShimModel, call_tok2vec, compute_vectors

# So that the share top_lambda does not prune mentions of texts of one or two sentences.
MIN_MENTIONS = 8


@registry.architectures("spacy_fastcoref.Pretrained.v1")
def Pretrained(
    name_or_path: Optional[str] = None,
    lang: Optional[str] = None,
    encoder: Optional[Any] = None,
) -> ShimModel:
    """Make a trained model, whose weights are loaded at first use.

    name_or_path (Optional[str]): A folder of a model or of a pipeline with one, or a
        name on the hub; None for the weights that ship.
    lang (Optional[str]): The language whose weights to take; None for that of the
        pipeline.
    encoder (Optional[Any]): The encoder's block, if it is to be trained on at other
        rates than those that the model was trained with; its `name` is not used.
    RETURNS (ShimModel): The model.
    """
    return build_model(TrainedSource(name_or_path, lang, encoder))


@registry.architectures("spacy_fastcoref.CorefModel.v1")
def CorefModel(
    encoder: Any,
    mention_scorer: Any,
    antecedent_scorer: Any,
    top_lambda: float = 0.3,
    min_mentions: int = MIN_MENTIONS,
    max_span_length: int = 30,
    max_segment_len: int = 512,
    segment_overlap: int = 0,
    word_features: Optional[Dict[str, Any]] = None,
    refinement: Optional[Any] = None,
    pronoun_head: Optional[Any] = None,
    start_from: Optional[str] = None,
) -> ShimModel:
    """Make a model from blocks.

    encoder (Any): The block that turns word pieces into vectors.
    mention_scorer (Any): The block that scores spans.
    antecedent_scorer (Any): The block that scores pairs of mentions.
    top_lambda (float): The number of mentions to keep per word piece.
    min_mentions (int): The number kept at least: "Alice met Bob. She liked him." has
        four in eight words.
    max_span_length (int): The longest mention, in word pieces.
    max_segment_len (int): The most word pieces that the encoder sees at once.
    segment_overlap (int): The word pieces of context that a segment of a long
        document has on each side, in training as in use: each piece takes the vector
        of the segment where it has most.
    word_features (Optional[Dict[str, Any]]): Blocks, by any name, whose vectors are
        added to the encoder's.
    refinement (Optional[Any]): The block that lets mentions know of their antecedents
        before these are scored for good; None for first-order models.
    pronoun_head (Optional[Any]): The block that guesses masked pronouns, for
        pretraining; None for no such task.
    start_from (Optional[str]): The folder or hub name of a trained model, such as a
        pretrained one, whose weights are taken wherever they fit, and its encoder
        instead of the encoder block's; None to start anew.
    RETURNS (ShimModel): The model.
    """
    return build_model(
        NewSource(
            encoder,
            mention_scorer,
            antecedent_scorer,
            top_lambda,
            min_mentions,
            max_span_length,
            max_segment_len,
            segment_overlap,
            word_features or {},
            refinement,
            pronoun_head,
            start_from,
        )
    )


@registry.architectures("spacy_fastcoref.Tok2VecCoref.v1")
def Tok2VecCoref(
    tok2vec: Model[List[Doc], List[Floats2d]],
    mention_scorer: Any,
    antecedent_scorer: Any,
    top_lambda: float = 0.4,
    min_mentions: int = MIN_MENTIONS,
    max_span_length: int = 30,
    word_features: Optional[Dict[str, Any]] = None,
    learn_rate: float = 1.0,
) -> ShimModel:
    """Make a model on the vectors of a pipeline's own tokens.

    tok2vec (Model[List[Doc], List[Floats2d]]): What makes the vectors: a listener, so
        that one transformer or tok2vec serves the whole pipeline, or a layer of its
        own.
    mention_scorer (Any): The block that scores spans.
    antecedent_scorer (Any): The block that scores pairs of mentions.
    top_lambda (float): The number of mentions to keep per token.
    min_mentions (int): The minimum number of mentions to keep.
    max_span_length (int): The longest mention, in tokens.
    word_features (Optional[Dict[str, Any]]): Blocks, by any name, whose vectors are
        added to the tokens'.
    learn_rate (float): In training, the scorers' share of the optimizer's rate: above 1
        where that is small for the sake of a trained transformer.
    RETURNS (ShimModel): The model.
    """
    source = TokenSource(
        mention_scorer,
        antecedent_scorer,
        top_lambda,
        min_mentions,
        max_span_length,
        word_features or {},
        learn_rate,
    )
    return ShimModel(
        "coref",
        forward_tok2vec,
        shim=CorefShim(source),
        init=init_tok2vec,
        tok2vec=tok2vec,
    )


@registry.architectures("spacy_fastcoref.Ensemble.v1")
def Ensemble(
    # Not Model: confection checks this before it has made the models.
    models: Dict[str, Any],
) -> ShimModel:
    """Combine several trained models by the mean of their scores.

    It takes as long as all of them, and is not trained. It is made to be a teacher that
    errs less where its models err otherwise.

    models (Dict[str, Any]): Two models at least by name, such as
        spacy_fastcoref.Pretrained.v1, each with an encoder of its own. They are saved
        in folders of these names.
    RETURNS (ShimModel): The model.
    RAISES (ValueError): There are fewer, a name is no word, or a model is of another
        kind.
    """
    members = {}
    for name, model in models.items():
        has_encoder = isinstance(model, ShimModel) and model.tok2vec is None
        is_single = has_encoder and isinstance(model.shim, CorefShim)
        if not name.isidentifier() or not is_single:
            raise ValueError(Errors.FC101.format(name=name))
        members[name] = model.shim
    if len(members) < 2:
        raise ValueError(Errors.FC102.format(names=[*members]))
    return ShimModel("coref_ensemble", forward, shim=EnsembleShim(members), init=init)


def build_model(source: Any) -> ShimModel:
    """Make the Thinc model of a source of weights.

    source (Any): Has `load` and `path`, see checkpoints.sources.
    RETURNS (ShimModel): The model.
    """
    return ShimModel("coref", forward, shim=CorefShim(source), init=init)


def forward(
    model: ShimModel, docs: Sequence[Doc], is_train: bool
) -> Tuple[List[Links], Callable]:
    """Run the network on Docs.

    model (ShimModel): The model.
    docs (Sequence[Doc]): The documents.
    is_train (bool): Whether to return TrainScores, for a loss, in place of Links.
    RETURNS (Tuple[List[Links], Callable]): The output and its callback.
    """
    return model.shim(docs, is_train, drop=model.attrs[DROPOUT])


def init(model: ShimModel, X: Any = None, Y: Any = None) -> None:
    """Load the weights; those that are there stay, unless training changed them."""
    model.shim.initialize()


def forward_tok2vec(
    model: ShimModel, docs: Sequence[Doc], is_train: bool
) -> Tuple[List[Links], Callable]:
    """Run the network on the token vectors of Docs.

    model (ShimModel): The model.
    docs (Sequence[Doc]): The documents.
    is_train (bool): Whether to return TrainScores, for a loss, in place of Links.
    RETURNS (Tuple[List[Links], Callable]): The output and its callback.
    RAISES (ValueError): There are no vectors.
    """
    if not is_train:
        vectors = compute_vectors(model.tok2vec, docs)
        return model.shim(docs, is_train, vectors)
    vectors, backprop_vectors = call_tok2vec(model.tok2vec, docs, is_train)
    scores, backprop = model.shim(docs, is_train, vectors, drop=model.attrs[DROPOUT])

    def backprop_all(gradients: Sequence[Any]) -> List[Doc]:
        backprop_vectors(backprop(gradients))
        return []

    return scores, backprop_all


def init_tok2vec(model: ShimModel, X: Any = None, Y: Any = None) -> None:
    """Make the weights, once the width of the vectors is known."""
    tok2vec = model.tok2vec
    tok2vec.initialize(X=X)
    if tok2vec.has_dim("nO"):
        width = tok2vec.get_dim("nO")
    else:
        width = tok2vec.predict(X)[0].shape[1]
    model.shim.source = replace(model.shim.source, width=width)
    model.shim.initialize()
