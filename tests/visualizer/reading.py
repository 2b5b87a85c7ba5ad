"""Read pictures back with a parser of HTML."""

from html.parser import HTMLParser

VOID = {"meta", "br", "col"}
# What takes no end tag in HTML has no text either.
HIDDEN = {"style", "title"}


class Node:
    """An element: its tag, attributes, parent and children, which may be text."""

    def __init__(self, tag, attrs, parent):
        self.tag, self.attrs, self.parent = tag, attrs, parent
        self.children = []

    @property
    def classes(self):
        return self.attrs.get("class", "").split()

    @property
    def text(self):
        parts = (c if isinstance(c, str) else c.text for c in self.children)
        return "".join(parts)

    @property
    def source(self):
        """The text without the numbers of clusters."""
        parts = (
            c if isinstance(c, str) else "" if c.tag == "sub" else c.source
            for c in self.children
        )
        return "".join(parts)

    def find_all(self, tag=None, name=None):
        for child in self.children:
            if not isinstance(child, str):
                if tag in (None, child.tag) and name in (None, *child.classes):
                    yield child
                yield from child.find_all(tag, name)

    def find(self, tag=None, name=None):
        return next(self.find_all(tag, name))


class _Parser(HTMLParser):
    """Build a tree, and refuse tags that are not nested."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.node = self.root = Node("", {}, None)

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs), attrs
        node = Node(tag, dict(attrs), self.node)
        self.node.children.append(node)
        if tag not in VOID:
            self.node = node

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert tag == self.node.tag, f"</{tag}> ends <{self.node.tag}>"
        self.node = self.node.parent

    def handle_data(self, data):
        self.node.children.append(data)

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")


def parse(markup):
    """Parse HTML or SVG.

    markup (str): The markup.
    RETURNS (Node): The root.
    """
    parser = _Parser()
    parser.feed(markup)
    parser.close()
    assert parser.node is parser.root, f"<{parser.node.tag}> is not closed"
    return parser.root


def get_luminance(color):
    """The relative luminance of a colour, as WCAG 2 defines it."""
    values = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def get_contrast(one, other):
    """The contrast of two colours, as WCAG 2 defines it: from 1 to 21."""
    darker, lighter = sorted(map(get_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)
