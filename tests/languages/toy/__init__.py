"""A language of some twenty words, as another package would add one."""
