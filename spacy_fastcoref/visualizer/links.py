"""Collect the links of mentions, with scores and the verdicts of rules."""

import math
from dataclasses import dataclass, field
from typing import Any, Iterator, List, Optional, Tuple

from .escaping import escape
from .passage import Passage
from .spans import get_direction, get_language, write_mention

Offsets = Tuple[int, int]
# A longer table is folded up.
LONG_TABLE = 30


@dataclass
class Link:
    """Hold a link that was made, or one that rules kept from being made.

    mention (Tuple[int, int]): The mention's first token, and the one after its last.
    antecedent (Tuple[int, int]): The same of its antecedent.
    score (Optional[float]): The log-odds of the link; None if it is not known.
    verdict (str): What rules say: "allowed", "doubtful" or "forbidden"; "" if nobody
        asked them.
    rules (List[str]): The names of rules that object, or that make the link.
    reasons (List[str]): What these say.
    is_chosen (bool): Whether the link was made.
    """

    mention: Offsets
    antecedent: Offsets
    score: Optional[float]
    verdict: str = ""
    rules: List[str] = field(default_factory=list)
    reasons: List[str] = field(default_factory=list)
    is_chosen: bool = True


def find_links(passage: Passage, component: Any) -> List[Link]:
    """Find the links inside a passage.

    passage (Passage): What is drawn.
    component (Optional[FastCoref]): The component that made the clusters, to list as
        well the links that its model prefers and its rules object to, and what rules
        say about all of them; None for the links that are stored.
    RETURNS (List[Link]): The links, in the order of their mentions, and of one mention
        the one that was made first.
    """
    source = _read_links(passage) if component is None else _explain(passage, component)
    first, last = passage.start, passage.end
    links = [
        link
        for link in source
        if all(first <= a and z <= last for a, z in (link.mention, link.antecedent))
    ]
    return sorted(links, key=lambda link: (link.mention, not link.is_chosen))


def _read_links(passage: Passage) -> Iterator[Link]:
    for _, cluster in passage.clusters:
        for i, antecedent in enumerate(cluster.antecedents):
            if antecedent >= 0:
                score = cluster.scores[i] if cluster.scores else None
                yield Link(cluster.mentions[i], cluster.mentions[antecedent], score)


def _explain(passage: Passage, component: Any) -> Iterator[Link]:
    known = {mention[:2] for mention in passage.mentions}
    for explanation in component.explain_all(passage.doc):
        mention = (explanation.mention.start, explanation.mention.end)
        if passage.is_partial and mention not in known:
            continue
        # What a link has to score to be preferred to the one that was made, if any. The
        # score of a pair that the model did not score is NaN.
        made = (one.score for one in explanation.candidates if one.is_chosen)
        best = max(made, default=explanation.threshold)
        best = max(best, explanation.threshold)
        for one in explanation.candidates:
            is_opposed = one.rules or one.verdict != "allowed"
            if one.is_chosen or (is_opposed and one.score > best):
                yield Link(
                    mention,
                    (one.mention.start, one.mention.end),
                    None if math.isnan(one.score) else one.score,
                    one.verdict,
                    one.rules,
                    one.reasons,
                    one.is_chosen,
                )


def render_table(passage: Passage, links: List[Link]) -> str:
    """Write links as a table."""
    numbers = {
        (mention.start, mention.end): mention.number for mention in passage.mentions
    }
    is_scored = any(link.score is not None for link in links)
    is_judged = any(link.verdict for link in links)
    names = ["Mention", "Antecedent"]
    names += ["Score"] if is_scored else []
    names += ["Linked", "Verdict", "Reasons"] if is_judged else []
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    rows = []
    for link in links:
        cells = [
            write_mention(passage, numbers.get(link.antecedent, 0), link.antecedent)
        ]
        if is_scored:
            cells.append(format_score(link.score))
        if is_judged:
            cells.append("yes" if link.is_chosen else "no")
            cells += [link.verdict, escape("; ".join(link.reasons))]
        mention = write_mention(passage, numbers.get(link.mention, 0), link.mention)
        rows.append(
            f'<tr><th scope="row">{mention}</th>'
            f"{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        )
    table = (
        '<div class="coref-scroll" tabindex="0" role="region" aria-label="Table of '
        f'links"><table class="coref-table"{get_direction(passage)}>'
        f"<thead><tr>{head}</tr></thead><tbody{get_language(passage)}>"
        f"{''.join(rows)}</tbody></table></div>"
    )
    is_open = "" if len(links) > LONG_TABLE else " open"
    summary = f"<summary>Links: {len(links)}</summary>"
    return f'<details class="coref-links"{is_open}>{summary}{table}</details>'


def format_score(score: Optional[float]) -> str:
    """Format a score as it is printed by `explain`."""
    return "" if score is None else f"{score:.1f}".replace("-", "−")
