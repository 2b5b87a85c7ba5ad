"""Serve coreference over HTTP, with a page to look at it and to correct it."""
