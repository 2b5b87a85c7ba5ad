"""What users write, for mypy: no public name is Any. `make lint` checks it."""

from typing import List, Optional, Tuple

from spacy.tokens import Doc, Span
from typing_extensions import assert_type

from spacy_fastcoref import (
    CorefResult,
    FCoref,
    ResolvedText,
    find_anaphors,
    find_mentions,
    from_docs,
    get_clusters,
    judge,
    render,
    resolve,
    resolve_text,
    set_clusters,
)
from spacy_fastcoref.clusters.chains import ClusterView
from spacy_fastcoref.types import CorefModel, Links

from .conftest import blank

doc = blank("en")("Ann said she left.")
assert_type(set_clusters(doc, [[(0, 1), (2, 3)]]), None)
assert_type(get_clusters(doc), List[ClusterView])
assert_type(get_clusters(doc)[0].main, Span)
assert_type(resolve_text(doc), str)
assert_type(resolve(doc), ResolvedText)
assert_type(resolve(doc).text, str)
assert_type(render(doc), Optional[str])
assert_type(from_docs([doc]), Optional[Doc])
assert_type(find_anaphors(doc), List[Span])
assert_type(find_mentions(doc)[0].members, Tuple[Span, ...])
assert_type(judge(doc, doc[2:3], doc[0:1]).reasons, List[str])


def predict(predictor: FCoref, model: CorefModel) -> None:
    """Use the predictor, and a model by its protocol.

    predictor (FCoref): The predictor.
    model (CorefModel): The model.
    """
    result = predictor.predict("Ann said she left.")
    if isinstance(result, CorefResult):
        assert_type(result.get_logit((9, 12), (0, 3)), float)
    assert_type(model.predict([doc]), List[Links])
