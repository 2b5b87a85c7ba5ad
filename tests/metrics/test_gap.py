import pytest

from spacy_fastcoref.metrics.gap import (
    GapRow,
    predict_row,
    score_gap,
)

TEXT = "Ann Lee met Eve at noon when she left. He smiled."
ROW = GapRow(TEXT, (29, 32), ((0, 7), (12, 15)), (True, False))


NOTHING, A, B, BOTH = (False, False), (True, False), (False, True), (True, True)


@pytest.mark.parametrize(
    "clusters, strict, lenient",
    [
        ([], NOTHING, NOTHING),
        ([[(0, 7), (29, 32)]], A, A),
        ([[(12, 15), (29, 32)]], B, B),
        ([[(0, 7), (12, 15), (29, 32)]], BOTH, BOTH),
        # A mention that contains the name; one inside the name is never enough.
        ([[(0, 11), (29, 32)]], NOTHING, A),
        ([[(0, 3), (29, 32)]], NOTHING, NOTHING),
        # Much longer than the name, and around both.
        ([[(0, 49), (29, 32)]], NOTHING, NOTHING),
        ([[(0, 7), (39, 41)]], NOTHING, NOTHING),
        ([[[0, 7], [29, 32]]], A, A),
    ],
)
def test_predictions_of_clusters(clusters, strict, lenient):
    assert predict_row(ROW, clusters) == strict
    assert predict_row(ROW, clusters, lenient=True) == lenient


# What GAP's own scorer counted and printed for 454 rows of answers: for each gender
# what was said and right, said and wrong, not said and right; then recall, precision
# and F1.
OFFICIAL = {
    "feminine": (
        (73, 75, 131),
        (35.78431372549019, 49.32432432432432, 41.477272727272),
    ),
    "masculine": ((72, 98, 116), (38.297872340425, 42.35294117647059, 40.223463687150)),
}
OVERALL = (36.98979591836735, 45.59748427672956, 40.84507042253521)


def test_official_scorer():
    rows, predictions = [], []
    for gender, (cells, _) in OFFICIAL.items():
        pronoun = (29, 32) if gender == "feminine" else (39, 41)
        answers = ((True, True), (True, False), (False, True))
        for (said, right), n in zip(answers, cells, strict=True):
            rows += [ROW._replace(pronoun=pronoun, labels=(right, False))] * n
            predictions += [[[(0, 7), pronoun]] if said else []] * n
    scores = score_gap(rows, predictions)
    for name, expected in (
        ("gap", OVERALL),
        *((f"gap_{g}", OFFICIAL[g][1]) for g in OFFICIAL),
    ):
        for part, value in zip("rpf", expected, strict=True):
            assert 100 * scores[f"{name}_{part}"] == pytest.approx(value, abs=1e-6)
    assert round(scores["gap_bias"], 2) == 1.03


def test_score_gap():
    rows = [ROW, ROW._replace(pronoun=(39, 41), labels=(False, False))]
    scores = score_gap(rows, [[[(0, 7), (29, 32)]], []])
    assert scores["gap_f"] == 1 and scores["gap_bias"] is None
    # "Ann Lee met" is the name only by the lenient measure.
    scores = score_gap(rows, [[[(0, 11), (29, 32)]], []])
    assert scores["gap_f"] == 0 and scores["gap_lenient_f"] == 1
    with pytest.raises(ValueError):
        score_gap(rows, [[]])
