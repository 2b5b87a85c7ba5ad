"""Read texts whose mentions are linked to names: ELEVANT's and grounded pronouns."""

import json
import re
from collections import Counter
from functools import partial
from typing import Any, Collection, Dict, Iterator, List, Sequence, Set

from spacy import registry
from spacy.language import Language
from spacy.training import Example

from ...formats.parsing import parse_json, parse_lines
from ...types import Offsets
from ..word_lists import read_personal_pronouns
from .partial import LabelledMention, find_phrase, make_partial_examples
from .reading import Corpus, FileCorpus, Paths, Record

# The IDs of entities in Wikidata. Other labels are dates and quantities.
_ENTITY = re.compile(r"Q\d+")
# The label of entities that are not in Wikidata.
_UNKNOWN = "<NIL>"
_ANNOTATORS = ("a1", "a2")
_NO_REFERENT = "$no_ref$"
# The last word of each paragraph of QuAC, which is the answer to some questions.
_NO_ANSWER = "CANNOTANSWER"


@registry.readers("spacy_fastcoref.ElevantCorpus.v1")
def make_elevant_corpus(path: Paths, on_error: str = "raise", limit: int = 0) -> Corpus:
    """Make a reader of ELEVANT's benchmarks (Bast et al. 2023).

    The examples are partly labelled. See make_jsonl_corpus for the other settings.

    path (Paths): A file or several files.
    RETURNS (Corpus): The reader.
    RAISES (ValueError): A setting is not valid.
    """
    return FileCorpus(path, _read_articles, on_error, limit)


@registry.readers("spacy_fastcoref.GroundedCorpus.v1")
def make_grounded_corpus(
    path: Paths, on_error: str = "raise", limit: int = 0
) -> Corpus:
    """Make a reader of texts in which pronouns are linked to names.

    The examples are partly labelled. See make_jsonl_corpus for the other settings.

    path (Paths): A file or several files, in the format of Aralikatte & Søgaard (2020).
    RETURNS (Corpus): The reader.
    RAISES (ValueError): A setting is not valid.
    """
    return FileCorpus(path, _read_texts, on_error, limit)


def _read_articles(path: str, nlp: Language) -> Iterator[Record]:
    return parse_lines(path, partial(_parse_article, nlp), "an article of ELEVANT")


def _parse_article(nlp: Language, line: str, number: int) -> List[Example]:
    article = json.loads(line)
    begin, end = article["evaluation_span"]
    # Only this part of the text is labelled. In it, all names and all mentions of named
    # entities are labelled, so the first name of an entity has no antecedent.
    text = article["text"][begin:end]
    labels = [
        {**label, "span": tuple(offset - begin for offset in label["span"])}
        for label in article["labels"]
        if label["entity_id"] == _UNKNOWN or _ENTITY.fullmatch(label["entity_id"])
    ]
    labels.sort(key=lambda label: (label["span"][0], -label["span"][1]))
    return make_partial_examples(nlp, text, [*_make_mentions(labels)])


def _make_mentions(labels: List[Dict[str, Any]]) -> Iterator[LabelledMention]:
    """Make mentions of labels, which are sorted with outer spans before inner ones."""
    # An entity without a pronoun or description can be a concept, whose mentions don't
    # always corefer, such as two mentions of "actress".
    individuals = {label["entity_id"] for label in labels if label["coref"]}
    n_labels = Counter(label["span"] for label in labels)
    ends: Dict[str, int] = {}
    for label in labels:
        name, (start, end) = label["entity_id"], label["span"]
        is_known, is_first = name != _UNKNOWN, name not in ends
        # A label inside a mention of the same entity is part of that mention, such as
        # "Louis" in "Louis, Landgrave of Hesse".
        is_inside = is_known and not is_first and end <= ends[name]
        ends[name] = max(end, ends.get(name, end))
        # Two labels of the same words are alternatives, of which either can be wrong.
        if is_inside or n_labels[label["span"]] > 1:
            continue
        yield LabelledMention(
            start,
            end,
            name if is_known and name in individuals else None,
            is_certain=is_known and is_first and not label["coref"],
        )


def _read_texts(path: str, nlp: Language) -> Iterator[Record]:
    # The annotators also labelled relative pronouns and demonstratives.
    pronouns = read_personal_pronouns(nlp.lang, "GroundedCorpus.v1")
    parse = partial(_parse_text, nlp, pronouns)
    return parse_json(path, parse, "a text with grounded pronouns")


def _parse_text(
    nlp: Language, pronouns: Collection[str], data: Dict[str, Any]
) -> List[Example]:
    """Parse a text with the personal pronouns and their names."""
    text = data["paragraph"].removesuffix(_NO_ANSWER)
    annotations = [data[name]["para_ann"] for name in _ANNOTATORS if name in data]
    referents = {
        (start, end): name
        for (start, end), name in _find_referents(text, annotations).items()
        if text[start:end].lower() in pronouns
    }
    mentions = [LabelledMention(*span, name) for span, name in referents.items()]
    for name in dict.fromkeys(referents.values()):
        span = find_phrase(text, name, ignore_case=True)
        if span is not None:
            mentions.append(LabelledMention(*span, name))
    return make_partial_examples(nlp, text, mentions)


def _find_referents(
    text: str, annotations: Sequence[Sequence[Sequence[str]]]
) -> Dict[Offsets, str]:
    """Find the words for which all annotators gave one and the same name."""
    given: Dict[Offsets, List[Set[str]]] = {}
    for rows in annotations:
        found: Dict[Offsets, Set[str]] = {}
        for start, word, name in rows:
            span = int(start), int(start) + len(word)
            if text[slice(*span)].lower() != word.lower():
                raise ValueError(f"{word!r} at {start} is {text[slice(*span)]!r}")
            found.setdefault(span, set()).add(name)
        for span, names in found.items():
            given.setdefault(span, []).append(names)
    return {
        span: name
        for span, (names, *others) in given.items()
        # Several names can be one entity or a group. A word that an annotator didn't
        # label can refer to something else.
        if len(names) == 1 and len(others) == len(annotations) - 1
        for name in names - {_NO_REFERENT}
        if all(other == names for other in others)
    }
