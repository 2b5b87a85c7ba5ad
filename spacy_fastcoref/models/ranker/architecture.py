"""The registered architecture of the ranker."""

from typing import Any, Dict, Optional, Sequence

from spacy import registry

from .losses import Loss, make_three_phases
from .model import RankerModel
from .storage import Settings
from .words import HashWords


@registry.architectures("spacy_fastcoref.Ranker.v1")
def Ranker(
    name: Optional[str] = None,
    words: Optional[Dict[str, Any]] = None,
    hidden: Sequence[int] = Settings.hidden,
    dropout: float = Settings.dropout,
    ensemble: int = Settings.ensemble,
    max_sentences: int = Settings.max_sentences,
    max_dist: int = Settings.max_dist,
    max_dist_match: int = Settings.max_dist_match,
    ordered: bool = Settings.is_ordered,
    annotation: Sequence[str] = Settings.annotation,
    loss: Optional[Loss] = None,
) -> RankerModel:
    """Make a model that ranks the antecedents of mentions that grammar finds.

    It has the two networks of NeuralCoref, with the features of NeuralCoref and
    Coreferee. It reads the tags and the parse of the pipeline, and does not import
    PyTorch.

    name (Optional[str]): The name of weights that ship with the package, such as "en".
        They have settings of their own, which replace the ones below. The component's
        setting `model_path` is the folder of other weights. None for new weights.
    words (Optional[Dict[str, Any]]): Blocks of the layers that compute vectors of
        words, by any name; None for hash embeddings alone.
    hidden (Sequence[int]): The widths of the hidden layers.
    dropout (float): The dropout rate of the hidden layers. `nlp.update(drop=...)`
        replaces it.
    ensemble (int): The number of networks whose scores are averaged, as in Coreferee.
    max_sentences (int): How many sentences back pronouns have candidates.
    max_dist (int): How many mentions back other mentions have candidates.
    max_dist_match (int): How many mentions back they have candidates that share a word
        with them.
    ordered (bool): Whether doubtful candidates come after all of those that the rules
        allow, as in Coreferee.
    annotation (Sequence[str]): What is read of words: "tag", "pos", "dep", "entity" and
        "morph", or some of them. Tags and dependency labels differ between the
        pipelines of a language. Syntactic roles, which do not, are always read.
    loss (Optional[Callable]): The loss of training; None for three phases.
    RETURNS (RankerModel): The model.
    RAISES (ValueError): A setting is not valid.
    """
    settings = Settings(
        {"hash": HashWords()} if words is None else words,
        list(hidden),
        dropout,
        ensemble,
        max_sentences,
        max_dist,
        max_dist_match,
        ordered,
        list(annotation),
    )
    return RankerModel(settings, make_three_phases() if loss is None else loss, name)
