from dataclasses import replace

import numpy as np

from spacy_fastcoref.decoding.constraints import Constraints
from spacy_fastcoref.types import ALLOWED, FORBIDDEN, RuleOutput

from ..grammar.links import decode
from .test_decode import make_links, read

MAN, WOMAN = np.uint64(1), np.uint64(2)


def judge(links, must_links, agreement=None):
    """Make the output of rules with must-links only."""
    verdicts = np.full(links.scores.shape, ALLOWED)
    return RuleOutput(verdicts, agreement, must_links=np.array(must_links))


def test_first_mention_gets_the_antecedent_of_the_deciding_mention():
    """Resolve 'Tom, Ann, "I … I," said Tom', in which the model links "I" to "Ann"."""
    links = make_links([{}, {}, {1: 4.0}, {2: 5.0, 1: 1.0}, {0: 3.0, 2: -2.0}])
    assert read(decode(links)) == [[0, 4], [1, 2, 3]]
    (cluster,) = decode(links, judge(links, [-1, -1, 4, 4, -1]))
    assert read([cluster]) == [[0, 2, 3, 4]]
    assert cluster.scores[1] == 3.0
    assert cluster.antecedents == [-1, 0, 1, 2]
    assert cluster.scores[2:] == [5.0, 0.0] and cluster.probs[2:] == [1.0, 1.0]


def test_deciding_mention_comes_first():
    links = make_links([{}, {0: 2.0}, {}, {2: 1.0}])
    assert read(decode(links, judge(links, [-1, -1, 1, -1]))) == [[0, 1, 2, 3]]


def test_mentions_that_do_not_agree_are_not_joined():
    links = make_links([{}, {}, {0: 1.0}])
    agreement = np.array([MAN | WOMAN, MAN, WOMAN])
    assert read(decode(links, judge(links, [-1, 2, -1], agreement))) == [[0, 2]]


def test_joined_mentions_agree_together():
    """Don't link a "she" between them to the first, since the last is a man."""
    links = make_links([{}, {0: 5.0}, {0: 5.0}])
    agreement = np.array([MAN | WOMAN, WOMAN, MAN])
    found = decode(links, judge(links, [2, -1, -1], agreement))
    assert read(found) == [[0, 2]]


def test_conflicts_of_joined_mentions():
    links = make_links([{}, {0: 5.0}, {}])
    rule_output = replace(judge(links, [2, -1, -1]), conflicts=np.array([[1, 2]]))
    assert read(decode(links, rule_output)) == [[0, 2]]


def test_user_constraints_take_precedence():
    links = make_links([{}, {}, {}])
    constraints = Constraints.none(links)
    constraints.apart[[1, 2]] = 1
    assert decode(links, judge(links, [-1, 2, -1]), constraints) == []


def test_verdicts_on_the_deciding_mention_hold_for_all():
    links = make_links([{}, {}, {0: 3.0}])
    rule_output = judge(links, [-1, 2, -1])
    rule_output.verdicts[2, 0] = FORBIDDEN
    assert read(decode(links, rule_output)) == [[1, 2]]
