__title__ = "spacy-fastcoref"
__version__ = "0.1.0"
# The language of fastcoref's models, of a command without --lang, and of the corpora
# that have one language by definition.
DEFAULT_LANG = "en"
