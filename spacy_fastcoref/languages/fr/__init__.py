"""Provide the word lists and rules of French."""

LANG = "fr"
