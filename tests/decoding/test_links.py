import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.decoding.decode import decode
from spacy_fastcoref.decoding.links import Links

from .test_decode import make_links, read


def test_weak_links_are_dropped():
    links = make_links([{}, {0: 1.0}, {1: -0.5, 0: 2.0}, {2: -3.0}])
    kept = links.drop_below(np.full(4, -0.5))
    assert kept.antecedents.tolist() == [[-1, -1], [0, -1], [0, 1], [-1, -1]]
    assert len(kept) == 4 and kept.scores[3].max() == -np.inf
    assert links.drop_below(np.array([9, 1.5, 1.5, 9])).antecedents.tolist() == [
        [-1],
        [-1],
        [0],
        [-1],
    ]
    assert links.drop_below(np.full(4, 9.0)).antecedents.shape == (4, 0)
    assert Links.empty().drop_below(np.zeros(0)).antecedents.shape == (0, 0)


def test_links_go_to_what_mentions_stand_for():
    links = make_links([{}, {0: 1.0}, {0: 2.0, 1: 3.0}, {0: 4.0, 2: 1.0}])
    passed = links.pass_on(np.array([2, -1, -1, -1]))
    # Not to what does not come before, nor what is the mention itself.
    assert passed.antecedents[1].tolist() == links.antecedents[1].tolist()
    assert passed.antecedents[2].tolist() == links.antecedents[2].tolist()
    assert passed.antecedents[3][:2].tolist() == [2, 2]
    assert passed.scores is links.scores and passed.find_score((3, 4), (2, 3)) == 4.0
    again = passed.pass_on(np.array([2, -1, -1, -1]))
    assert again.antecedents.tolist() == passed.antecedents.tolist()
    assert len(Links.empty().pass_on(np.zeros(0, dtype=int))) == 0


rows = st.lists(st.floats(-4, 4, width=32), max_size=6)


@given(st.lists(rows, max_size=12), st.floats(-3, 3))
def test_clusters_do_not_need_the_links_below_the_threshold(scores, threshold):
    links = make_links(
        [dict(enumerate(row[:i])) for i, row in enumerate(scores)] or [{}]
    )
    whole = decode(links, threshold=threshold)
    kept = decode(links.drop_below(np.full(len(links), threshold)), threshold=threshold)
    assert read(kept) == read(whole)
