"""Build parsed Docs by hand."""

from spacy.tokens import Doc


def parse(vocab, text, **columns):
    """Build a Doc from words with their annotation.

    Each word is written as form/tag/label/head, with the head as a number or "-" for
    the root, such as "Ann/PROPN/nsubj/1 sang/VERB/ROOT/-".
    """
    rows = [word.split("/") for word in text.split()]
    words, pos, deps, heads = zip(*rows, strict=True)
    return Doc(
        vocab,
        words=words,
        pos=pos,
        deps=deps,
        heads=[i if head == "-" else int(head) for i, head in enumerate(heads)],
        **columns,
    )
