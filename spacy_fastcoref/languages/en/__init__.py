"""English."""

LANG = "en"
