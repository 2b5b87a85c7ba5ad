"""The registered architectures, which make Thinc models."""

import sys
from typing import Any, Dict, List, Optional

from spacy import registry
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..errors import check_setting
from .checkpoints.sources import NewSource, TrainedSource
from .encoders.pieces import TokenVectorsBlock
from .ensemble import EnsembleModel
from .model import NetworkModel

# In a text of one or two sentences, top_lambda alone would prune too many mentions.
MIN_MENTIONS = 8


@registry.architectures("spacy_fastcoref.Pretrained.v1")
def Pretrained(
    name_or_path: Optional[str] = None,
    lang: Optional[str] = None,
    encoder: Optional[Any] = None,
) -> NetworkModel:
    """Make a trained model. Its weights are loaded at first use.

    name_or_path (Optional[str]): A folder with a model or with a pipeline that has
        one, or a name on the hub; None for the weights that ship with the package.
    lang (Optional[str]): The language of the weights; None for the language of the
        pipeline.
    encoder (Optional[Any]): An encoder block with the learning rates and dropout
        for further training; None for those of the model. Its `name` is not used.
    RETURNS (NetworkModel): The model.
    """
    return NetworkModel(TrainedSource(name_or_path, lang, encoder))


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
    mention_types: Optional[Any] = None,
    pronoun_head: Optional[Any] = None,
    start_from: Optional[str] = None,
) -> NetworkModel:
    """Make a model from blocks.

    encoder (Any): The block of the encoder, which turns word pieces into vectors.
    mention_scorer (Any): The block of the mention scorer, which scores spans.
    antecedent_scorer (Any): The block of the antecedent scorer, which scores pairs
        of mentions.
    top_lambda (float): The number of mentions to keep per word piece.
    min_mentions (int): The minimum number of mentions to keep. "Alice met Bob. She
        liked him." has four in eight words.
    max_span_length (int): The maximum length of a mention, in word pieces.
    max_segment_len (int): The maximum length of a segment, in word pieces. The
        encoder reads a document segment by segment.
    segment_overlap (int): The number of word pieces of context on each side of a
        segment. The vector of a word piece is taken from the segment in which it
        has the most context.
    word_features (Optional[Dict[str, Any]]): Blocks of layers whose vectors are
        added to the encoder's, by any name.
    refinement (Optional[Any]): The block that refines mention vectors by predicted
        antecedents, for a second-order model; None for a first-order model.
    mention_types (Optional[Any]): The block of the head that predicts entity types,
        such as spacy_fastcoref.TypeHead.v1; None for no entity types.
    pronoun_head (Optional[Any]): The block that guesses masked pronouns, for
        pretraining; None for no such task.
    start_from (Optional[str]): The folder or hub name of a trained model. Its
        encoder replaces `encoder`, and its other weights are used where names and
        shapes are the same. None for new weights.
    RETURNS (NetworkModel): The model.
    """
    settings = {
        "top_lambda": top_lambda,
        "min_mentions": min_mentions,
        "max_span_length": max_span_length,
        "max_segment_len": max_segment_len,
        "segment_overlap": segment_overlap,
        "mention_scorer": mention_scorer,
        "antecedent_scorer": antecedent_scorer,
        "word_features": word_features or {},
        "refinement": refinement,
        "mention_types": mention_types,
        "pronoun_head": pronoun_head,
    }
    return NetworkModel(NewSource(encoder, settings, start_from))


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
) -> NetworkModel:
    """Make a model that uses the token vectors of another layer.

    tok2vec (Model[List[Doc], List[Floats2d]]): The layer that computes the vectors:
        a listener, to share the pipeline's transformer or tok2vec, or a layer that
        belongs to this model.
    mention_scorer (Any): The block of the mention scorer, which scores spans.
    antecedent_scorer (Any): The block of the antecedent scorer, which scores pairs
        of mentions.
    top_lambda (float): The number of mentions to keep per token.
    min_mentions (int): The minimum number of mentions to keep.
    max_span_length (int): The maximum length of a mention, in tokens.
    word_features (Optional[Dict[str, Any]]): Blocks of layers whose vectors are
        added to the tokens', by any name.
    learn_rate (float): The factor of the optimizer's learning rate for the scorers.
        Choose it above 1 if that rate is small for the sake of a trained
        transformer.
    RETURNS (NetworkModel): The model.
    """
    settings = {
        "top_lambda": top_lambda,
        "min_mentions": min_mentions,
        "max_span_length": max_span_length,
        "mention_scorer": mention_scorer,
        "antecedent_scorer": antecedent_scorer,
        "word_features": word_features or {},
        # Documents are not cut into segments.
        "max_segment_len": sys.maxsize,
    }
    encoder = TokenVectorsBlock(scorer_learn_rate=learn_rate)
    return NetworkModel(NewSource(encoder, settings), tok2vec)


@registry.architectures("spacy_fastcoref.Ensemble.v1")
def Ensemble(
    # Any, not Model: confection checks the type before it has made the models.
    models: Dict[str, Any],
) -> EnsembleModel:
    """Combine several trained models by the mean of their scores.

    An ensemble is as slow as all of its models together, and cannot be trained. Its
    purpose is to be the teacher in distillation: it makes fewer errors than its
    models if these make different ones.

    models (Dict[str, Any]): The models by name, at least two, such as
        spacy_fastcoref.Pretrained.v1. Each has an encoder of its own and is saved
        in a folder of its name.
    RETURNS (EnsembleModel): The model.
    RAISES (ValueError): There are fewer than two models, a name is not an
        identifier, or a model has no encoder or is an ensemble.
    """
    expected = "a model with its own encoder, such as Pretrained.v1, named by a word"
    for name, model in models.items():
        has_encoder = isinstance(model, NetworkModel) and model.tok2vec is None
        is_valid = name.isidentifier() and has_encoder
        check_setting("models", name, is_valid, expected)
    check_setting("models", [*models], len(models) > 1, "two models or more")
    return EnsembleModel({**models})
