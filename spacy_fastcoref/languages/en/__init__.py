"""Provide the word lists and rules of English."""
