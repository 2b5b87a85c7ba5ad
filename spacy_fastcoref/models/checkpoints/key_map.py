"""Map fastcoref's weight names to ours and back."""

from typing import Dict, Iterable, Tuple

from torch import Tensor

Pairs = Tuple[Tuple[str, str], ...]

# Pairs of our prefix and fastcoref's. The first match counts, in both directions.
# {encoder} is the prefix that transformers gives to this kind of encoder.
_COMMON_KEYS = (
    ("mention_scorer.start_mlp.", "start_mention_mlp."),
    ("mention_scorer.end_mlp.", "end_mention_mlp."),
    ("mention_scorer.start_score.", "mention_start_classifier."),
    ("mention_scorer.end_score.", "mention_end_classifier."),
    ("mention_scorer.span_score.", "mention_s2e_classifier."),
    ("encoder.transformer.", "{encoder}."),
)
FCOREF_KEYS = (
    *_COMMON_KEYS,
    ("antecedent_scorer.start_mlp.", "start_coref_mlp."),
    ("antecedent_scorer.end_mlp.", "end_coref_mlp."),
    ("antecedent_scorer.start_to_start.", "antecedent_s2s_classifier."),
    ("antecedent_scorer.end_to_end.", "antecedent_e2e_classifier."),
    ("antecedent_scorer.start_to_end.", "antecedent_s2e_classifier."),
    ("antecedent_scorer.end_to_start.", "antecedent_e2s_classifier."),
)
LINGMESS_KEYS = (
    *_COMMON_KEYS,
    ("antecedent_scorer.start_mlp.", "coref_start_all_mlps."),
    ("antecedent_scorer.end_mlp.", "coref_end_all_mlps."),
    ("antecedent_scorer.start_to_start.weight", "antecedent_s2s_all_weights"),
    ("antecedent_scorer.end_to_end.weight", "antecedent_e2e_all_weights"),
    ("antecedent_scorer.start_to_end.weight", "antecedent_s2e_all_weights"),
    ("antecedent_scorer.end_to_start.weight", "antecedent_e2s_all_weights"),
    ("antecedent_scorer.start_to_start.bias", "antecedent_s2s_all_biases"),
    ("antecedent_scorer.end_to_end.bias", "antecedent_e2e_all_biases"),
    ("antecedent_scorer.start_to_end.bias", "antecedent_s2e_all_biases"),
    ("antecedent_scorer.end_to_start.bias", "antecedent_e2s_all_biases"),
)
# Prefixes of weights that some checkpoints have and we do not use: no scorer reads the
# pooler, and only old versions of transformers saved position_ids.
UNUSED = ("{encoder}.pooler.", "{encoder}.embeddings.position_ids")


def from_fastcoref_keys(
    tensors: Dict[str, Tensor], encoder: str, pairs: Pairs
) -> Dict[str, Tensor]:
    """Rename the tensors of a fastcoref checkpoint to our names.

    tensors (Dict[str, Tensor]): The tensors by fastcoref's names.
    encoder (str): The encoder's prefix in fastcoref, such as "roberta".
    pairs (Pairs): FCOREF_KEYS or LINGMESS_KEYS.
    RETURNS (Dict[str, Tensor]): The tensors by our names, without the unused ones. A
        name that matches no prefix stays as it is, and `build_network` reports it.
    """
    unused = tuple(prefix.format(encoder=encoder) for prefix in UNUSED)
    rules = [(theirs.format(encoder=encoder), ours) for ours, theirs in pairs]
    return {
        _rename(key, rules): tensor
        for key, tensor in tensors.items()
        if not key.startswith(unused)
    }


def to_fastcoref_keys(
    tensors: Dict[str, Tensor], encoder: str, pairs: Pairs
) -> Dict[str, Tensor]:
    """Rename our tensors to fastcoref's names.

    tensors (Dict[str, Tensor]): The tensors by our names.
    encoder (str): The encoder's prefix in fastcoref, such as "roberta".
    pairs (Pairs): FCOREF_KEYS or LINGMESS_KEYS.
    RETURNS (Dict[str, Tensor]): The tensors by fastcoref's names.
    """
    rules = [(ours, theirs.format(encoder=encoder)) for ours, theirs in pairs]
    return {_rename(key, rules): tensor for key, tensor in tensors.items()}


def _rename(key: str, rules: Iterable[Tuple[str, str]]) -> str:
    for old, new in rules:
        if key.startswith(old):
            return new + key[len(old) :]
    return key
