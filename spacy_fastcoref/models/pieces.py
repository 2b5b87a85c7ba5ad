"""Words -> word pieces."""

import json
from typing import Sequence

from tokenizers import Tokenizer

from ..batching import Pieces


class PieceTokenizer:
    """Cut words into the pieces that an encoder was trained on.

    serialized (str): The contents of a tokenizer.json.
    """

    def __init__(self, serialized: str) -> None:
        self.tokenizer = Tokenizer.from_str(serialized)
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        # A text that says "[CLS]" means these letters, not the special token.
        self.tokenizer.encode_special_tokens = True

    def encode(self, words: Sequence[str]) -> Pieces:
        """Cut one document into pieces, special tokens at its ends.

        words (Sequence[str]): The document's tokens.
        RETURNS (Pieces): Its pieces. White space makes no words.
        """
        # encode, not encode_batch: its threads would not survive a later fork.
        encoding = self.tokenizer.encode(list(words), is_pretokenized=True)
        word_ids = [
            -1 if i is None or words[i].isspace() else i for i in encoding.word_ids
        ]
        return Pieces.from_words(encoding.ids, word_ids)


def serialize_tokenizer(tokenizer) -> str:
    """Write a tokenizer of transformers as a tokenizer.json.

    tokenizer (PreTrainedTokenizerFast): The tokenizer.
    RETURNS (str): The contents of its tokenizer.json, without the settings for
        truncation and padding, which are ours to make.
    """
    data = json.loads(tokenizer.backend_tokenizer.to_str())
    data["truncation"] = data["padding"] = None
    return json.dumps(data, ensure_ascii=False)
