from spacy_fastcoref.visualizer.layout import lay_out
from spacy_fastcoref.visualizer.passage import read_passage

from .docs import make_doc


def read_from_left(text, *clusters, width=80):
    """The words of a picture from left to right, and its layout."""
    passage = read_passage(make_doc(text, *clusters, lang="xx"))
    is_right_to_left = passage.is_right_to_left
    layout = lay_out(passage, width)
    words = sorted(layout.words, key=lambda word: word.x, reverse=is_right_to_left)
    return [word.text for word in words], layout


def test_a_name_in_a_text_from_right_to_left():
    words, _ = read_from_left("קובי פגש את Ann Lee , 30 , בתל אביב")
    assert words == "אביב בתל , Ann Lee , 30 את פגש קובי".split()


def test_numbers_go_on_in_the_direction_of_words():
    words, _ = read_from_left("קובי פגש את Ann in 2024 בתל אביב")
    assert words == "אביב בתל Ann in 2024 את פגש קובי".split()
