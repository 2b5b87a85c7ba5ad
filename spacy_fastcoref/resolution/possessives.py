"""Which words stand before what they own."""

from enum import IntEnum

from spacy.tokens import Doc, Span, Token

from ..languages.kinds import is_acronym
from ..languages.lexicon import Lexicon, get_lexicon

_HYPHENS = frozenset("-‐‑")
_MARKUP = frozenset("*_`")
_OPENERS = frozenset("\"'“‘«([")


def is_possessive(mention: Span) -> bool:
    """Tell whether a mention stands before what it owns.

    mention (Span): The mention.
    RETURNS (bool): Whether it does: "Tom's" and "his", and "her" in "her book".
    """
    lexicon = get_lexicon(mention.doc.lang_)
    last = mention[-1]
    if len(mention) > 1:
        return last.lower_ in lexicon.clitics
    if last.lower_ not in lexicon.possessives:
        return False
    if last.lower_ not in lexicon.objects:
        return True
    if "Yes" in last.morph.get("Poss") or last.tag_.startswith("PRP$"):
        return True
    if last.pos or last.tag:
        return surely_precedes_noun(last)
    return precedes_noun(last)


def precedes_noun(token: Token) -> bool:
    """Guess, without tags, whether a word belongs to a phrase that goes on after it.

    token (Token): A pronoun, such as "her" or "his".
    RETURNS (bool): Whether it does ("her book"), or stands for itself ("saw her
        yesterday").
    """
    return _look_ahead(token) > _Noun.NONE


def surely_precedes_noun(token: Token) -> bool:
    """Tell whether a word belongs to a phrase that goes on, whatever a tagger says.

    token (Token): A pronoun, such as "her".
    RETURNS (bool): Whether words tell it that taggers take for the end of a phrase:
        "her in-laws", "her US tour", "hurt her back".
    """
    return _look_ahead(token) == _Noun.SURE


class _Noun(IntEnum):
    """Order how likely it is that a noun follows."""

    NONE = 0
    LIKELY = 1
    SURE = 2


def _look_ahead(token: Token) -> _Noun:
    doc, lexicon = token.doc, get_lexicon(token.doc.lang_)
    before = doc[token.i - 1].lower_ if token.i else ""
    is_giver = before in lexicon.givers
    found = _Noun.LIKELY
    # What "very" stands before is an adjective, and the noun comes after that.
    n_words = 1
    i = token.i + 1
    while i < len(doc) and n_words:
        after, stop = doc[i], _find_compound_end(doc, i)
        form = after.lower_
        following = doc[i + 1 : i + 2].text.lower()
        if _is_within_phrase(after):
            pass
        elif (i == token.i + 1 and _is_owned(after, before, lexicon)) or (
            following in lexicon.compounds.get(form, ()) and not is_giver
        ):
            return _Noun.SURE
        elif stop > i + 1 and _ends_phrase(after, lexicon):
            # "Her on-screen husband", but "her in-laws" and "her all-time best".
            found, i = _Noun.SURE, stop - 1
            is_noun = doc[i].lower_.endswith(lexicon.plural_endings)
            is_noun |= doc[stop : stop + 1].text.lower() in lexicon.owned
            n_words = 0 if is_noun else 1
        elif form in lexicon.degrees:
            n_words = 2
        elif form in lexicon.modifiers:
            n_words = 1
            if form in lexicon.time_starts and following in lexicon.time_words:
                return _Noun.NONE
        elif form in lexicon.inner_determiners and not is_giver:
            if _tells_time(doc[i + 1 : i + 4], lexicon):
                return _Noun.NONE
            found = _Noun.SURE
        elif doc[i - 1].lower_ in lexicon.degrees and _is_measure(doc, i + 1):
            # "Her more than 20-year career"
            n_words = 1
        elif is_acronym(after):
            found, n_words = _Noun.SURE, 1
        elif _ends_phrase(after, lexicon):
            return _Noun.NONE
        else:
            n_words -= 1
        i += 1
    if n_words:
        return _Noun.NONE
    # "Gave her in-depth advice"
    return min(found, _Noun.LIKELY) if is_giver else found


def _is_within_phrase(token: Token) -> bool:
    """Find a line break, a hyphen, and what marks words: "her *only* son"."""
    if token.is_space:
        # Not the end of a paragraph.
        return token.text.count("\n") < 2
    before = token.nbor(-1)
    follows_space = before.is_space or bool(before.whitespace_)
    precedes_space = bool(token.whitespace_)
    if token.text in _HYPHENS:
        return not (follows_space or precedes_space)
    if token.text in _MARKUP:
        return not (follows_space and precedes_space)
    is_opening = token.text in _OPENERS and follows_space and not precedes_space
    # A capital letter begins what is said: told her "Wait".
    return is_opening and not token.doc[token.i + 1 : token.i + 2].text[:1].isupper()


def _tells_time(words: Span, lexicon: Lexicon) -> bool:
    """Find the time of "called her one fine day" and "every two weeks"."""
    forms = [token.lower_ for token in words]
    forms += [form[:-1] for form in forms if form.endswith(lexicon.plural_endings)]
    return not lexicon.time_words.isdisjoint(forms)


def _find_compound_end(doc: Doc, start: int) -> int:
    """Find where what hyphens join ends: three tokens after the start of "in-laws"."""
    end = start + 1
    while end + 1 < len(doc) and doc[end].text in _HYPHENS:
        if any(token.whitespace_ for token in doc[end - 1 : end + 1]):
            break
        end += 2
    return end


def _is_measure(doc: Doc, start: int) -> bool:
    """Find "20-year" and "two-year", but neither "twenty-one" nor "20"."""
    end = _find_compound_end(doc, start)
    return end > start + 1 and doc[start].like_num and not doc[end - 1].like_num


def _is_owned(token: Token, before: str, lexicon: Lexicon) -> bool:
    """Find the "best" of "did her best", and "all" where it stands for itself."""
    if before not in lexicon.owned.get(token.lower_, ()):
        return False
    if token.lower_ not in lexicon.determiners or token.i + 1 == len(token.doc):
        return True
    # "Gave her all to us", but "gave her all the money", "all of it", "all he had".
    after = token.nbor()
    goes_on = lexicon.determiners | lexicon.pronouns | lexicon.relatives
    is_whole = after.lower_ not in goes_on | lexicon.partitives
    return is_whole and _ends_phrase(after, lexicon)


def _ends_phrase(token: Token, lexicon: Lexicon) -> bool:
    form = token.lower_
    return (
        not any(letter.isalnum() for letter in form)
        or form in lexicon.cutters
        or form in lexicon.determiners
        or form in lexicon.pronouns
        or form in lexicon.coordinators
        or form in lexicon.not_nouns
        or form in lexicon.clitics
    )
