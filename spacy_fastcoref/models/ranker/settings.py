"""The settings of a ranker, which its folder keeps."""

from dataclasses import dataclass, field, fields
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ...errors import Errors
from ..blocks import describe_block, make_block
from .candidates import Limits
from .feature_table import ANNOTATION

_WORDS = "words"


@dataclass
class Settings:
    """Hold the blocks and sizes of a ranker.

    words (Dict[str, Any]): The blocks of the layers that compute vectors of words, by
        any name.
    hidden (Sequence[int]): The widths of the hidden layers.
    dropout (float): The dropout rate of the hidden layers.
    ensemble (int): The number of networks whose scores are averaged.
    max_sentences, max_dist, max_dist_match (int): See Limits.
    is_ordered (bool): Whether doubtful candidates come after all of those that the
        rules allow.
    annotation (Sequence[str]): What is read of words: "tag", "pos", "dep", "entity" and
        "morph", or some of them.
    """

    words: Dict[str, Any]
    hidden: Sequence[int] = (128, 64, 32)
    dropout: float = 0.2
    ensemble: int = 1
    max_sentences: int = 5
    max_dist: int = 50
    max_dist_match: int = 500
    is_ordered: bool = True
    annotation: Sequence[str] = ANNOTATION

    def __post_init__(self) -> None:
        for name, value, is_valid, expected in self._list_checks():
            if not is_valid:
                raise ValueError(
                    Errors.FC076.format(name=name, value=value, expected=expected)
                )

    def _list_checks(self) -> List[Tuple[str, Any, bool, str]]:
        counts = "ensemble max_sentences max_dist max_dist_match".split()
        hidden, dropout, read = self.hidden, self.dropout, self.annotation
        are_widths = bool(hidden) and all(_is_count(width) for width in hidden)
        is_rate = isinstance(dropout, (int, float)) and 0 <= dropout < 1
        return [
            *(
                (name, getattr(self, name), _is_count(getattr(self, name)), "1 or more")
                for name in counts
            ),
            ("words", self.words, bool(self.words), "at least one layer"),
            ("hidden", hidden, are_widths, "a list of widths of 1 or more"),
            ("dropout", dropout, is_rate, "a number from 0 to below 1"),
            ("annotation", read, set(read) <= set(ANNOTATION), f"some of {ANNOTATION}"),
        ]

    @property
    def word_width(self) -> int:
        """The width of the vectors of words, from all blocks together."""
        return sum(block.width for block in self.words.values())

    def count_layers(self) -> int:
        """Count the layers that the settings describe.

        RETURNS (int): The number of layers with weights, at least.
        """
        values = [
            value for block in self.words.values() for value in vars(block).values()
        ]
        n_words = sum(
            len(value) for value in values if isinstance(value, (list, tuple))
        )
        # Each network has four layers for its inputs, and two of each further width.
        return len(self.words) + n_words + self.ensemble * (4 + 2 * len(self.hidden))

    def to_config(self) -> Dict[str, Any]:
        """Write the settings as plain values.

        RETURNS (Dict[str, Any]): The settings, which can be written as JSON.
        """
        blocks = {name: describe_block(block) for name, block in self.words.items()}
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        lists = {name: list(plain[name]) for name in ("hidden", "annotation")}
        return {**plain, **lists, _WORDS: blocks}

    @classmethod
    def from_config(cls, config: Dict[str, Any], path: str) -> "Settings":
        """Read settings, and accept registered blocks and plain values only.

        config (Dict[str, Any]): What to_config wrote.
        path (str): The file, for error messages.
        RETURNS (Settings): The settings.
        RAISES (ValueError): A setting is unknown or not valid.
        """
        known = {field.name for field in fields(cls)}
        blocks = config.get(_WORDS)
        if set(config) != known or not isinstance(blocks, dict):
            reason = f"its settings are {sorted(config)}, and not {sorted(known)}"
            raise ValueError(Errors.FC011.format(path=path, reason=reason))
        words = {name: make_block(block, path) for name, block in blocks.items()}
        return cls(**{**config, _WORDS: words})


@dataclass
class Overrides:
    """Hold NeuralCoref's settings, which a component gives and the weights do not.

    max_dist, max_dist_match (Optional[int]): These limits; None for those of training.
    blacklist (bool): Whether pronouns of the first and second person are left out.
    conv_dict (Dict[str, Any]): The words that stand for rare words.
    """

    max_dist: Optional[int] = None
    max_dist_match: Optional[int] = None
    blacklist: bool = False
    conv_dict: Dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.conv_dict = {word.lower(): kinds for word, kinds in self.conv_dict.items()}

    def make_limits(self, settings: Settings) -> Limits:
        """Tell how far back antecedents are searched for.

        settings (Settings): The settings of training.
        RETURNS (Limits): The limits.
        """
        return Limits(
            settings.max_sentences,
            self.max_dist or settings.max_dist,
            self.max_dist_match or settings.max_dist_match,
            self.blacklist,
        )


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
