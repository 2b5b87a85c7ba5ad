"""Rank the antecedents of mentions that grammar finds, with Thinc, without torch."""
