"""Make a small LingMess checkpoint on Longformer, for benchmarks/peer.py --lingmess.

python benchmarks/longformer.py PIPELINE FOLDER

PIPELINE is one that configs/en_lingmess.cfg has trained from a BERT such as MiniLM. Its
attention gets a window and its positions are repeated, as Longformer was made of
RoBERTa (Beltagy et al. 2020, section 5), so that in a text of one segment all pieces
that are near each other are seen as before.
"""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Dict

import spacy
import torch
from torch import Tensor
from wasabi import msg

from spacy_fastcoref.models.fastcoref_format import write_fastcoref

WINDOW = 512
N_PIECES = 4096
POSITIONS = "encoder.transformer.embeddings.position_embeddings.weight"


def main() -> None:
    """Turn a pipeline's BERT into a Longformer and write fastcoref's folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pipeline")
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    checkpoint = spacy.load(args.pipeline).get_pipe("fastcoref").model.shims[0].load()
    bert = checkpoint.config["encoder_config"]
    # As in RoBERTa, the first piece's position comes after that of padding.
    first = bert["pad_token_id"] + 1
    longformer = {
        **bert,
        "model_type": "longformer",
        "attention_window": [WINDOW] * bert["num_hidden_layers"],
        "max_position_embeddings": N_PIECES + first,
        "sep_token_id": bert.get("sep_token_id"),
    }
    config = {
        **checkpoint.config,
        "encoder_config": longformer,
        "max_segment_len": N_PIECES,
    }
    tensors = convert(checkpoint.tensors, first)
    write_fastcoref(replace(checkpoint, config=config, tensors=tensors), args.folder)
    msg.good(f"Written to {args.folder}")


def convert(tensors: Dict[str, Tensor], first: int) -> Dict[str, Tensor]:
    """Add what Longformer has and BERT has not."""
    converted = dict(tensors)
    index = (torch.arange(N_PIECES + first) - first) % len(tensors[POSITIONS])
    converted[POSITIONS] = tensors[POSITIONS][index]
    for key, tensor in tensors.items():
        for name in ("query", "key", "value"):
            if f".attention.self.{name}." in key:
                converted[key.replace(name, f"{name}_global")] = tensor.clone()
    return converted


if __name__ == "__main__":
    main()
