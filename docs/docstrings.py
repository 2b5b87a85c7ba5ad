"""Read docstrings as spaCy writes them: an extension of griffe, for the reference."""

import re

import griffe

_FIELD = re.compile(r"(?:RETURNS|YIELDS|RAISES) \(|\*{0,2}\w[\w, *]* \(.+?\): ")
_HEADS = {"RETURNS": "Returns", "YIELDS": "Yields", "RAISES": "Raises"}


class Docstrings(griffe.Extension):
    """Turn lines such as "doc (Doc): The document." into the sections of Google."""

    def on_object(self, *, obj: griffe.Object, **kwargs: object) -> None:
        """Rewrite the docstring of a class or function."""
        if obj.docstring is not None:
            name = (
                "Attributes"
                if obj.is_class and "ATTRIBUTES" in obj.docstring.value
                else "Args"
            )
            obj.docstring.value = convert(obj.docstring.value, name)


def convert(text: str, name: str = "Args") -> str:
    """Convert a docstring.

    text (str): The docstring.
    name (str): The section of fields without a name of their own.
    RETURNS (str): The same, with sections.
    """
    lines, section = [], ""
    for line in text.splitlines():
        plain = line.strip()
        if plain.startswith("ATTRIBUTES"):
            continue
        if not line.startswith(" ") and _FIELD.match(plain):
            word = plain.split(" ", 1)[0]
            head = _HEADS.get(word, name)
            if head != section:
                lines += ["", f"{head}:"]
                section = head
            if word in _HEADS:
                plain = plain[len(word) + 1 :].replace("(", "", 1).replace("):", ":", 1)
            lines.append(f"    {plain}")
        elif section and plain:
            lines.append(f"        {plain}")
        else:
            section = section if not plain else ""
            lines.append(line)
    return "\n".join(lines)
