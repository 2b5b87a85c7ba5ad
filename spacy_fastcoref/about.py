__title__ = "spacy-fastcoref"
__version__ = "0.1.0"
