"""The lexicon, the word lists and the rules of French."""
