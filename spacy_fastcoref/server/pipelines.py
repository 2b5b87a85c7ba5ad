"""Resolve documents with one of the server's pipelines."""

import contextlib
from typing import Any, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Sequence

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import Errors
from ..factories import get_component, list_components
from ..grammar.auto import AutoRules
from ..grammar.rules import Rules
from .documents import AnyDocument, correct, make_doc
from .problems import ProblemError


class RuleChoice(NamedTuple):
    """Choose the rules of a request.

    enabled (bool): Whether rules apply at all.
    disabled (Optional[FrozenSet[str]]): The names of the rules that don't; None for
        those that the pipeline disables.
    """

    enabled: bool = True
    disabled: Optional[FrozenSet[str]] = None


class Pipeline:
    """Resolve documents, and explain what is found.

    Nothing here may be called by two threads at the same time.

    name (str): The name that clients choose the pipeline by.
    nlp (Language): The pipeline. The last of its coreference components is used.
    RAISES (ValueError): The pipeline has no such component.
    """

    def __init__(self, name: str, nlp: Language) -> None:
        components = list_components(nlp.pipe_factories)
        if not components:
            raise ValueError(Errors.FC095.format(names=[name]))
        self.name = name
        self.nlp = nlp
        self.component = get_component(nlp, components[-1])

    def list_rules(self) -> Dict[str, bool]:
        """List the rules that can be disabled."""
        rules = self._get_rules()
        if not isinstance(rules, Rules):
            return {}
        return {name: name not in rules.disabled for name in rules.list_names()}

    def describe_rules(self) -> Dict[str, str]:
        """Describe the rules that can be disabled."""
        rules = self._get_rules()
        return rules.describe_names() if isinstance(rules, Rules) else {}

    def _get_rules(self) -> Any:
        rules = self.component.rules
        return rules.find(self.nlp.lang) if isinstance(rules, AutoRules) else rules

    @contextlib.contextmanager
    def use_rules(self, choice: RuleChoice) -> Iterator[None]:
        """Use other rules within the context."""
        before = self.component.rules
        self.component.rules = self._choose_rules(choice)
        try:
            yield
        finally:
            self.component.rules = before

    def _choose_rules(self, choice: RuleChoice) -> Any:
        if not choice.enabled:
            return None
        if choice.disabled is None:
            return self.component.rules
        rules = self._get_rules()
        try:
            if isinstance(rules, Rules):
                return rules.copy_without(choice.disabled)
            if choice.disabled:
                raise ValueError(Errors.FC212.format(name=self.name))
        except ValueError as error:
            raise ProblemError.at("rules.disabled", str(error)) from error
        return self.component.rules

    def resolve(self, documents: Sequence[AnyDocument]) -> Iterator[Doc]:
        """Resolve documents in one batch, with the corrections of each.

        documents (Sequence[Union[TextDocument, TokenDocument]]): The documents.
        YIELDS (Doc): The Doc of each, in order.
        RAISES (ValueError): A document has offsets outside of it, or its corrections
            contradict each other.
        """
        docs: List[Doc] = [make_doc(self.nlp, self.name, one) for one in documents]
        stream = self.nlp.pipe(docs, batch_size=max(1, len(docs)))
        for doc, document in zip(stream, documents, strict=True):
            correct(doc, document, self.component)
            yield doc
