"""A pipeline for tests on a cluster."""

from spacy_fastcoref import set_clusters

from ..conftest import blank


def make_nlp(act=None):
    """Make a pipeline without a model, which does what a function says.

    Nested functions get to the actors with what they use, and modules of tests do not.
    """

    def link_equal_words(doc):
        if act is not None:
            act(doc.text)
        places = {}
        for token in doc:
            places.setdefault(token.lower_, []).append(doc[token.i : token.i + 1])
        set_clusters(doc, [spans for spans in places.values() if spans[1:]])
        return doc

    nlp = blank("en")
    nlp.add_pipe("fastcoref")
    nlp._components[0] = ("fastcoref", link_equal_words)
    return nlp
