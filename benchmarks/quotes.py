"""Measure who is found to say the quotations of data/quotes, by kinds of quotation.

A cluster stands for the person whose name most of its mentions have; README.md in that
folder says how the files are written.
"""

import re
from collections import Counter, namedtuple
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

import common

from spacy_fastcoref.quotes.component import QuoteView, get_quotes

KINDS = ("explicit", "anaphoric", "implicit")

# What a reader wrote of a quotation, and the character that it begins at.
Line = namedtuple("Line", "start kind speaker addressee cue")


def read_passages(path: Path) -> Iterator[Tuple[str, List[Line], Dict[str, str]]]:
    """Read the passages of a file, each with its quotations, and who is called what."""
    parts = re.split(r"(?m)^# [^|\n]+ \| .*\n", path.read_text(encoding="utf8"))
    for part in parts[1:]:
        text, _, table = part.partition("\n--\n")
        lines, place, people = [], 0, {}
        for row in table.strip("\n").split("\n"):
            words, *columns = row.split("\t")
            if words[0] == "=":
                people.update((other, words[1:]) for other in columns)
                continue
            pattern = r"\s+".join(map(re.escape, words.split()))
            opened = rf"(?:^|[\W_]\s*)({pattern})"
            match = re.compile(opened).search(text, place)
            if match is None:
                raise ValueError(f"{path}: {words!r} is not in the passage")
            lines.append(Line(match.start(1), *columns))
            place = match.end()
        people.update((line.speaker, line.speaker) for line in lines)
        yield text, lines, people


def name_person(quote: QuoteView, people: Dict[str, str]) -> str:
    if quote.speaker is None:
        return ""
    counts: Counter = Counter()
    for mention in quote.cluster or [quote.speaker]:
        text = " ".join(mention.text.split())
        said = mention.doc.spans["quotes"]
        # Only the "I" outside of quotations is the narrator's.
        if text == "I" and any(q.start <= mention.start < q.end for q in said):
            continue
        names = [
            name
            for name in people
            if re.search(rf"(?i)(?<!\w){re.escape(name)}(?!\w|['’]s\s)", text)
        ]
        # "Darcy" of "Mr. Darcy"
        names = names or [n for n in people if text.istitle() and text in n.split()]
        counts.update(people[name] for name in sorted(names, key=len)[-1:])
    return max(counts, key=lambda name: (counts[name], len(name)), default="")


def main() -> None:
    args = common.Parser(__doc__, "lang", files=common.input_file).parse_args()
    nlp = common.load_pipeline(None, "float32", args.lang or "en")
    nlp.add_pipe("coref_quotes")
    counts: Dict[str, Counter] = {kind: Counter() for kind in (*KINDS, "all")}
    for path in args.files:
        texts, *gold = zip(*read_passages(path), strict=True)
        for doc, lines, people in zip(nlp.pipe(texts), *gold, strict=True):
            found = {quote.span.start_char: quote for quote in get_quotes(doc)}
            for line in lines:
                places = [
                    i for i in range(line.start - 3, line.start + 4) if i in found
                ]
                quote = found[places[0]] if places else None
                is_found = quote is not None
                is_right = is_found and name_person(quote, people) == line.speaker
                for kind in (line.kind, "all"):
                    counts[kind].update(all=1, found=is_found, right=is_right)
    rows = []
    for kind, one in counts.items():
        if one["all"]:
            shares = one["found"] / one["all"], one["right"] / one["all"]
            rows.append((kind, one["all"], *map(common.write_points, shares)))
    common.print_table(("kind", "quotations", "found", "speaker"), rows)
    common.write_json(args.json, {kind: dict(one) for kind, one in counts.items()})


if __name__ == "__main__":
    common.run(main)
