"""The registered Thinc models."""

from typing import Any, Callable, List, Optional, Sequence, Tuple

from spacy import registry
from spacy.tokens import Doc
from thinc.api import Model

from ..decoding.links import Links
from .shim import CorefShim
from .sources import NewSource, TrainedSource


@registry.architectures("spacy_fastcoref.Pretrained.v1")
def Pretrained(
    name_or_path: Optional[str] = None, lang: Optional[str] = None
) -> Model[List[Doc], List[Links]]:
    """Make a trained model, whose weights are loaded when they are first needed.

    name_or_path (Optional[str]): A folder, or a name on the hub; None for the
        weights that ship.
    lang (Optional[str]): The language whose weights to take; None for that of the
        pipeline.
    RETURNS (Model[List[Doc], List[Links]]): The model.
    """
    return build_model(TrainedSource(name_or_path, lang))


@registry.architectures("spacy_fastcoref.CorefModel.v1")
def CorefModel(
    encoder: Any,
    mention_scorer: Any,
    antecedent_scorer: Any,
    top_lambda: float = 0.3,
    max_span_length: int = 30,
    max_segment_len: int = 512,
) -> Model[List[Doc], List[Links]]:
    """Make a model from blocks.

    encoder (Any): The block that turns word pieces into vectors.
    mention_scorer (Any): The block that scores spans.
    antecedent_scorer (Any): The block that scores pairs of mentions.
    top_lambda (float): The number of mentions kept a word piece.
    max_span_length (int): The longest mention, in word pieces.
    max_segment_len (int): The most word pieces that the encoder sees at once.
    RETURNS (Model[List[Doc], List[Links]]): The model.
    """
    return build_model(
        NewSource(
            encoder,
            mention_scorer,
            antecedent_scorer,
            top_lambda,
            max_span_length,
            max_segment_len,
        )
    )


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
    """Load the weights; what is there already stays."""
    model.shims[0].load()
