"""Write clusters as a table, the mention that describes each best first."""

from collections import Counter

from ..types import Cluster
from .escaping import escape, shorten
from .options import Options
from .passage import Passage
from .spans import get_direction, get_language, write_number, write_tag


def render_chains(passage: Passage, options: Options) -> str:
    """Write the main mention of each cluster, its other mentions and their number.

    passage (Passage): What is drawn.
    options (Options): Not used.
    RETURNS (str): The HTML, without a style sheet.
    """
    rows = "".join(
        _write_row(passage, number, cluster) for number, cluster in passage.clusters
    )
    if not rows:
        return '<p class="coref-muted">No clusters</p>'
    return (
        f'<table class="coref-table"{get_direction(passage)}>'
        "<caption>Clusters</caption><thead><tr>"
        '<th scope="col">Main mention</th><th scope="col">Other mentions</th>'
        '<th scope="col" class="coref-size">Mentions</th></tr></thead>'
        f"<tbody{get_language(passage)}>{rows}</tbody></table>"
    )


def _write_row(passage: Passage, number: int, cluster: Cluster) -> str:
    texts = [shorten(passage.get_text(*mention)) for mention in cluster.mentions]
    main = texts.pop(cluster.main)
    # Mentions of the same text once, in the order of the first of them.
    others = "".join(
        f"<li>{escape(text)}{_write_times(n_times)}</li>"
        for text, n_times in Counter(texts).items()
    )
    return (
        f'<tr><th scope="row">{write_tag(number)}{escape(main)}'
        f"{write_number(number)}</mark></th>"
        f'<td><ul class="coref-others">{others}</ul></td>'
        f'<td class="coref-size">{len(cluster.mentions)}</td></tr>'
    )


def _write_times(n_times: int) -> str:
    return f' <span class="coref-count">×{n_times}</span>' if n_times > 1 else ""
