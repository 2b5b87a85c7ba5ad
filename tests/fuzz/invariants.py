"""What holds for every Doc, whatever is in it."""

import math

import numpy as np
from spacy.tokens import DocBin

from spacy_fastcoref.errors import is_ours
from spacy_fastcoref.resolution.resolve import MAX_NESTED, resolve
from spacy_fastcoref.span_keys import PREFIX


def read_groups(doc):
    """Read all groups of a Doc, with NaN as something that is the same as itself."""
    return {
        key: (
            [(span.start, span.end, span.label_) for span in group],
            repr(group.attrs),
        )
        for key, group in doc.spans.items()
    }


def read_clusters(doc):
    found = read_groups(doc)
    return {key: value for key, value in found.items() if key.startswith(f"{PREFIX}_")}


def check_views(doc):
    """Ask every view of a Doc; none of them raises, and they agree."""
    text, clusters = doc.text, doc._.coref_clusters
    chains = doc._.coref_chains
    assert doc._.has_coref == bool(clusters)
    assert len(chains) == len(clusters)
    repr(chains), chains.pretty_representation
    for i, (cluster, chain) in enumerate(zip(clusters, chains, strict=True)):
        assert len(cluster) == len(chain)
        for (start, end), mention in zip(cluster, chain, strict=True):
            span = mention.span
            assert (span.start_char, span.end_char) == (start, end)
            assert doc[span.start : span.end].text == text[start:end]
            assert all(span.start <= head < span.end for head in mention)
            assert span._.is_coref and isinstance(span._.coref_scores, dict)
            assert i in [one.i for one in span[0]._.coref_clusters]
        found = chain[0].span._.coref_cluster
        assert found.main in found and repr(found) and found == found
        assert chain[chain.most_specific_mention_index]
    assert isinstance(doc._.coref_scores, dict)
    for token in doc:
        assert token._.in_coref == bool(token._.coref_clusters)
        assert len(token._.coref_chains) <= len(token._.coref_clusters)
        resolved = chains.resolve(token)
        assert resolved is None or all(one.doc is doc for one in resolved)
    # What is remembered of one token is no other answer for the next.
    again = [*map(doc._.coref_chains.resolve, reversed(doc))]
    assert repr(again[::-1]) == repr([*map(chains.resolve, doc)])
    check_resolved(doc)


def check_resolved(doc):
    text, resolved = doc.text, resolve(doc)
    assert doc._.resolved_text == doc._.coref_resolved == resolved.text
    at = last = 0
    for change in resolved.replacements:
        # In order, and all between two of them is as it was.
        assert at <= change.start <= change.end and last <= change.source_start
        kept = text[last : change.source_start]
        assert resolved.text[at : change.start] == kept
        at, last = change.end, change.source_end
    assert resolved.text[at:] == text[last:]
    for change in resolved.replacements[:20]:
        found = resolved.to_source(change.start, change.end)
        assert found == (change.source_start, change.source_end)
    # What replaces a mention is a main mention, with some others inside of it.
    longest = max((len(t.text) + 1 for t in doc), default=0) * 64 + 16
    bound = len(text) + len(resolved.replacements) * (MAX_NESTED + 1) * longest
    assert len(resolved.text) <= bound


def check_round_trip(doc):
    data = DocBin(store_user_data=True, docs=[doc]).to_bytes()
    (again,) = DocBin(store_user_data=True).from_bytes(data).get_docs(doc.vocab)
    assert again.text == doc.text
    assert read_groups(again) == read_groups(doc)
    assert again._.coref_clusters == doc._.coref_clusters
    assert again._.resolved_text == doc._.resolved_text
    assert repr(again._.coref_chains) == repr(doc._.coref_chains)


def annotate(component, doc):
    """Tell whether there is an answer: users' groups may contradict each other."""
    try:
        component(doc)
    except ValueError as error:
        assert is_ours(error), error
        assert not doc._.has_coref
        return False
    return True


def check_component(component, doc):
    """Run a component on a Doc twice, and check all that holds of its answer."""
    text, words = doc.text, [token.text for token in doc]
    theirs = {k: v for k, v in read_groups(doc).items() if not is_cluster(k)}
    is_answered = annotate(component, doc)
    assert doc.text == text and [token.text for token in doc] == words
    # What is not ours stays.
    found = read_groups(doc)
    assert {k: v for k, v in found.items() if not is_cluster(k)} == theirs
    seen = [span[:2] for key in found if is_cluster(key) for span in found[key][0]]
    assert len(seen) == len(set(seen))
    assert all(0 <= start < end <= len(doc) for start, end in seen)
    check_views(doc)
    check_round_trip(doc)
    check_probs(doc)
    if is_answered:
        component(doc)
        assert read_groups(doc) == found
        check_explanations(component, doc)


def check_probs(doc):
    """The probabilities of a mention's antecedents and of none sum to at most 1."""
    for group in (doc.spans[key] for key in doc.spans if is_cluster(key)):
        if not {"antecedents", "scores", "probs", "candidates"} <= group.attrs.keys():
            continue
        lists = (
            group.attrs[key] for key in ("antecedents", "scores", "probs", "candidates")
        )
        for antecedent, score, prob, candidates in zip(*lists, strict=True):
            assert 0 <= prob <= 1 + 1e-6
            # Must-links are certain, whatever the model says.
            if prob == 1 and antecedent >= 0:
                continue
            none = prob if antecedent < 0 else prob * math.exp(-score)
            scores = [candidate[2] for candidate in candidates]
            assert none * (1 + sum(map(math.exp, scores))) <= 1 + 1e-4


def check_explanations(component, doc):
    explained = component.explain_all(doc)
    mentions = [(one.mention.start, one.mention.end) for one in explained]
    assert mentions == sorted(set(mentions))
    chosen = {}
    for place, one in zip(mentions, explained, strict=True):
        assert sum(candidate.is_chosen for candidate in one.candidates) <= 1
        for candidate in one.candidates:
            assert (candidate.mention.start, candidate.mention.end) < place
            assert candidate.verdict in ("allowed", "doubtful", "forbidden")
            assert not math.isinf(candidate.score)
            if candidate.is_chosen:
                chosen[place] = candidate.mention.start, candidate.mention.end
    # What is stored is what is said to be chosen.
    linked = {}
    for group in (doc.spans[key] for key in doc.spans if is_cluster(key)):
        spans = [(span.start, span.end) for span in group]
        antecedents = group.attrs["antecedents"]
        pairs = zip(spans, antecedents, strict=True)
        linked.update({span: spans[i] for span, i in pairs if i >= 0})
    assert linked == chosen
    if mentions:
        assert str(explained[-1])
        component.explain(doc, mentions[-1])


def is_cluster(key):
    return (
        key.startswith(f"{PREFIX}_")
        and key[len(PREFIX) + 1 :].isdigit()
        and (key[len(PREFIX) + 1] != "0")
    )


def check_links(alone, together):
    """Check that a model answers a text alone as among others, but for rounding."""
    lists = alone, together
    rows = [{tuple(m): i for i, m in enumerate(one.mentions.tolist())} for one in lists]
    # At the edge of what is pruned, rounding decides.
    common = sorted(rows[0].keys() & rows[1].keys())
    left, right = ([found[m] for m in common] for found in rows)
    np.testing.assert_allclose(
        alone.mention_scores[left], together.mention_scores[right], atol=1e-3
    )
    for one, found in zip(lists, rows, strict=True):
        least = one.mention_scores.min(initial=np.inf) + 1e-3
        rest = [i for mention, i in found.items() if mention not in set(common)]
        assert all(one.mention_scores[i] <= least for i in rest)
    for mention, i, j in zip(common, left, right, strict=True):
        for earlier in alone.antecedents[i][alone.antecedents[i] >= 0].tolist():
            span = tuple(alone.mentions[earlier].tolist())
            scores = (one.find_score(mention, span) for one in lists)
            scores = list(scores)
            if scores[1] is not None:
                assert abs(scores[0] - scores[1]) <= 1e-3, (mention, span, i, j)
