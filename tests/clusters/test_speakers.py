from spacy.tokens import Doc, Span

from spacy_fastcoref.grammar.speech import number_speakers


def test_speakers_are_numbered_by_their_first_turn(en_vocab):
    doc = Doc(en_vocab, words="I saw you . I left .".split())
    assert number_speakers(doc).tolist() == [0] * 7
    turns = [(0, 2, "Ann"), (2, 4, "Bob"), (5, 6, "Ann")]
    doc.spans["speakers"] = [Span(doc, *turn) for turn in turns]
    assert number_speakers(doc).tolist() == [1, 1, 2, 2, 0, 1, 0]


def test_turns_without_a_label_have_no_speaker(en_vocab):
    doc = Doc(en_vocab, words="I saw you . I left .".split())
    doc.spans["speakers"] = [doc[0:4], Span(doc, 4, 5, "Ann"), doc[5:7]]
    assert number_speakers(doc).tolist() == [0, 0, 0, 0, 1, 0, 0]
