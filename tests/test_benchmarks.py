"""The benchmarks run; what they measure is for people to read."""

import json
from pathlib import Path

from .conftest import run_python
from .training.corpus import make_rows, write_rows

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
GAP = (
    "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\n"
    "r1\tAnn said she left.\tshe\t9\tAnn\t0\tTRUE\tsaid\t4\tFALSE\n"
)


def test_accuracy(tmp_path):
    documents = write_rows(tmp_path / "dev.jsonl", make_rows(2))
    (tmp_path / "gap.tsv").write_text(GAP)
    scores = tmp_path / "scores.json"
    files = [str(documents), str(tmp_path / "gap.tsv")]
    script = str(BENCHMARKS / "accuracy.py")
    done = run_python(args=[script, "--json", str(scores), *files])
    assert "CoNLL" in done.stdout and "masculine" in done.stdout
    results = json.loads(scores.read_text())
    assert 0 < results[files[0]]["coref_f"] <= 1
    assert results[files[1]]["gap_f"] == 1
