"""One cluster for all tests: to start it takes seconds, and each actor some more."""

import os

import pytest
import spacy

from spacy_fastcoref import set_clusters


@pytest.fixture(scope="session")
def cluster():
    """Start a cluster of several nodes on this machine."""
    # Ray would ask services that are not there, and log each failure.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    pytest.importorskip("ray.data")
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 2, "object_store_memory": 80 * 1024**2},
    )
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def make_nlp(act=None):
    """Make a pipeline without a model, which does what a function says.

    Nested functions get to the actors with what they use, and modules of tests do not.

    act (Optional[Callable[[str], None]]): Is called with each text.
    """

    def link_equal_words(doc):
        if act is not None:
            act(doc.text)
        places = {}
        for token in doc:
            places.setdefault(token.lower_, []).append(doc[token.i : token.i + 1])
        set_clusters(doc, [spans for spans in places.values() if spans[1:]])
        return doc

    nlp = spacy.blank("en")
    nlp.add_pipe("fastcoref")
    nlp._components[0] = ("fastcoref", link_equal_words)
    return nlp
