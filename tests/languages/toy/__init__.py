"""Provide a toy language of about twenty words, as another package would."""
