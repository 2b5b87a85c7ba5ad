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

# Of a share of their pieces, texts of two sentences would keep fewer than they have.
MIN_MENTIONS = 8


@registry.architectures("spacy_fastcoref.Pretrained.v1")
def Pretrained(
    name_or_path: Optional[str] = None,
    lang: Optional[str] = None,
    encoder: Optional[Any] = None,
) -> Model[List[Doc], List[Links]]:
    """Make a trained model, whose weights are loaded when they are first needed.

    name_or_path (Optional[str]): A folder of a model or of a pipeline with one, or a
        name on the hub; None for the weights that ship.
    lang (Optional[str]): The language whose weights to take; None for that of the
        pipeline.
    encoder (Optional[Any]): The encoder's block, if it is to be trained on at other
        rates than those that the model was trained with; its `name` is not used.
    RETURNS (Model[List[Doc], List[Links]]): The model.
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
) -> Model[List[Doc], List[Links]]:
    """Make a model from blocks.

    encoder (Any): The block that turns word pieces into vectors.
    mention_scorer (Any): The block that scores spans.
    antecedent_scorer (Any): The block that scores pairs of mentions.
    top_lambda (float): The number of mentions kept a word piece.
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
    RETURNS (Model[List[Doc], List[Links]]): The model.
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
) -> Model[List[Doc], List[Links]]:
    """Make a model on the vectors of a pipeline's own tokens.

    tok2vec (Model[List[Doc], List[Floats2d]]): What makes the vectors: a listener, so
        that one transformer or tok2vec serves the whole pipeline, or a layer of its
        own.
    mention_scorer (Any): The block that scores spans.
    antecedent_scorer (Any): The block that scores pairs of mentions.
    top_lambda (float): The number of mentions kept a token.
    min_mentions (int): The number kept at least.
    max_span_length (int): The longest mention, in tokens.
    word_features (Optional[Dict[str, Any]]): Blocks, by any name, whose vectors are
        added to the tokens'.
    learn_rate (float): In training, the scorers' share of the optimizer's rate: above 1
        where that is small for the sake of a trained transformer.
    RETURNS (Model[List[Doc], List[Links]]): The model.
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
    return Model(
        "coref",
        forward_tok2vec,
        init=init_tok2vec,
        layers=[tok2vec],
        shims=[CorefShim(source)],
        refs={"tok2vec": tok2vec},
    )


@registry.architectures("spacy_fastcoref.Ensemble.v1")
def Ensemble(
    # Not Model: confection checks this before it has made the models.
    models: Dict[str, Any],
) -> Model[List[Doc], List[Links]]:
    """Make several trained models answer as one: by the mean of their scores.

    It takes as long as all of them, and is not trained. It is made to be a teacher that
    errs less where its models err otherwise.

    models (Dict[str, Any]): Two models at least by name, such as
        spacy_fastcoref.Pretrained.v1, each with an encoder of its own. They are saved
        in folders of these names.
    RETURNS (Model[List[Doc], List[Links]]): The model.
    RAISES (ValueError): There are fewer, a name is no word, or a model is of another
        kind.
    """
    members = {}
    for name, model in models.items():
        shim = None if model.layers or not model.shims else model.shims[0]
        if not name.isidentifier() or not isinstance(shim, CorefShim):
            raise ValueError(Errors.FC101.format(name=name))
        members[name] = shim
    if len(members) < 2:
        raise ValueError(Errors.FC102.format(names=[*members]))
    return Model("coref_ensemble", forward, init=init, shims=[EnsembleShim(members)])


def build_model(source: Any) -> Model[List[Doc], List[Links]]:
    """Wrap a source of weights as a Thinc model.

    source (Any): Has `load` and `path`.
    RETURNS (Model[List[Doc], List[Links]]): The model.
    """
    return Model("coref", forward, init=init, shims=[CorefShim(source)])


def forward(
    model: Model, docs: Sequence[Doc], is_train: bool
) -> Tuple[List[Links], Callable]:
    """Call the network; module-level, so that models can be pickled."""
    return model.shims[0](docs, is_train)


def init(model: Model, X: Any = None, Y: Any = None) -> None:
    """Load the weights; what is there already stays, but for what was learned."""
    model.shims[0].initialize()


def forward_tok2vec(
    model: Model, docs: Sequence[Doc], is_train: bool
) -> Tuple[List[Links], Callable]:
    """Call the network with the vectors of the tokens.

    RAISES (ValueError): There are none.
    """
    try:
        vectors, backprop_vectors = model.get_ref("tok2vec")(docs, is_train)
    except ValueError as error:
        # spaCy's messages do not say which component wants what.
        raise ValueError(Errors.FC007.format(reason=error)) from error
    for doc, array in zip(docs, vectors, strict=True):
        # What a listener gives if nothing came before it.
        if not is_train and len(doc) and not array.any():
            raise ValueError(Errors.FC007.format(reason="all vectors are zero"))
    answers, backprop = model.shims[0](docs, is_train, vectors)

    def backprop_all(gradients: Sequence[Any]) -> List[Doc]:
        backprop_vectors(backprop(gradients))
        return []

    return answers, backprop_all


def init_tok2vec(model: Model, X: Any = None, Y: Any = None) -> None:
    """Make the weights, once the width of the vectors is known."""
    tok2vec = model.get_ref("tok2vec")
    tok2vec.initialize(X=X)
    if tok2vec.has_dim("nO"):
        width = tok2vec.get_dim("nO")
    else:
        width = tok2vec.predict(X)[0].shape[1]
    shim = model.shims[0]
    shim.source = replace(shim.source, width=width)
    shim.initialize()
