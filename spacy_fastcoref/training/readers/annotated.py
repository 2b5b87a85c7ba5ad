"""Provide a reader that annotates a corpus by a pipeline, once."""

from typing import Any, Iterator, List, Optional

from spacy import registry, util
from spacy.language import Language
from spacy.training import Example

from .reading import Corpus


@registry.readers("spacy_fastcoref.AnnotatedCorpus.v1")
def make_annotated_corpus(corpus: Any, pipeline: str) -> Corpus:
    """Make a reader of a corpus whose documents a pipeline has tagged and parsed.

    The documents are annotated when they are read for the first time, and kept, so that
    further epochs cost no time for it. Only for corpora that are the same in each
    epoch: put augmenters and mixtures around it.

    corpus (Callable[[Language], Iterable[Example]]): The reader of the corpus.
    pipeline (str): The name or folder of the pipeline.
    RETURNS (Corpus): The reader.
    """
    return _AnnotatedCorpus(corpus, pipeline)


class _AnnotatedCorpus:
    def __init__(self, corpus: Corpus, pipeline: str) -> None:
        self.corpus = corpus
        self.pipeline = pipeline
        self.examples: Optional[List[Example]] = None
        self.vocab: Optional[Any] = None

    def __call__(self, nlp: Language) -> Iterator[Example]:
        if self.examples is None or self.vocab is not nlp.vocab:
            self.examples = self._annotate(nlp)
            self.vocab = nlp.vocab
        for eg in self.examples:
            # Evaluation writes into the predicted Doc.
            yield Example(eg.predicted.copy(), eg.reference)

    def _annotate(self, nlp: Language) -> List[Example]:
        annotator = util.load_model(self.pipeline, vocab=nlp.vocab)
        examples = list(self.corpus(nlp))
        docs = annotator.pipe(eg.predicted for eg in examples)
        return [
            Example(doc, eg.reference) for doc, eg in zip(docs, examples, strict=True)
        ]
