"""Provide views of clusters: as NeuralCoref's Cluster, and as Coreferee's Chain."""

from functools import cached_property
from typing import Dict, Generic, Iterator, List, Optional, TypeVar, Union

from spacy.tokens import Doc, Span, Token

from ..types import Cluster
from .index import check_index, get_index

# What stands for a mention in a view.
Shown = TypeVar("Shown")


class _View(Generic[Shown]):
    """Show one cluster."""

    def __init__(self, doc: Doc, i: int, data: Cluster) -> None:
        self.doc = doc
        self.i = i
        self.data = data

    def _show(self, i: int) -> Shown:
        raise NotImplementedError

    @property
    def mentions(self) -> List[Shown]:
        """List the mentions in text order."""
        return [self._show(i) for i in range(len(self))]

    def __getitem__(self, i: Union[int, slice]) -> Union[Shown, List[Shown]]:
        return self.mentions[i] if isinstance(i, slice) else self._show(i)

    def __iter__(self) -> Iterator[Shown]:
        return iter(self.mentions)

    def __len__(self) -> int:
        return len(self.data.mentions)

    def __eq__(self, other) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        # After set_clusters, the same number can stand for another cluster.
        is_same = self.data.mentions == other.data.mentions
        return self.doc is other.doc and self.i == other.i and is_same

    def __hash__(self) -> int:
        return hash((id(self.doc), self.i))


class ClusterView(_View[Span]):
    """Show one cluster as spans.

    doc (Doc): The document.
    i (int): The cluster's number, in the order of first mentions.
    """

    def _show(self, i: int) -> Span:
        return Span(self.doc, *self.data.mentions[i])

    @property
    def main(self) -> Span:
        """Get the main mention, which is the most informative one.

        RETURNS (Span): The mention. Names are preferred to nouns, and nouns to
            pronouns.
        """
        return self._show(self.data.main)

    @property
    def antecedents(self) -> List[int]:
        """List the index of each mention's antecedent.

        RETURNS (List[int]): The indexes, -1 for none. Empty if they are not known.
        """
        return list(self.data.antecedents)

    @property
    def scores(self) -> List[float]:
        """List the log-odds of the link of each mention.

        RETURNS (List[float]): The log-odds; 0 for the first mention and for must-links.
            Empty if the scores are not known.
        """
        return list(self.data.scores)

    @property
    def probs(self) -> List[float]:
        """List the probability of the link of each mention.

        RETURNS (List[float]): The probabilities; for the first mention, that of having
            no antecedent; 1 for must-links. Empty if the probabilities are not known.
        """
        return list(self.data.probs)

    def __repr__(self) -> str:
        return f"{self.main.text}: {[mention.text for mention in self]}"


class Mention:
    """Show one mention as its head tokens.

    doc (Doc): The document.
    token_indexes (List[int]): The index of the head token, or those of all heads of a
        coordination.
    span (Span): The whole mention.
    """

    def __init__(self, doc: Doc, token_indexes: List[int], span: Span) -> None:
        self.doc = doc
        self.token_indexes = list(token_indexes)
        self.span = span

    @property
    def root_index(self) -> int:
        """Get the first of the head tokens."""
        return self.token_indexes[0]

    @property
    def pretty_representation(self) -> str:
        """Format the head tokens with their indexes, as in "Walker(1)"."""
        heads = [f"{self.doc[i].text}({i})" for i in self.token_indexes]
        return heads[0] if len(heads) == 1 else f"[{'; '.join(heads)}]"

    def __getitem__(self, i: int) -> int:
        return self.token_indexes[i]

    def __iter__(self) -> Iterator[int]:
        return iter(self.token_indexes)

    def __len__(self) -> int:
        return len(self.token_indexes)

    def __eq__(self, other) -> bool:
        if not isinstance(other, Mention):
            return NotImplemented
        return self.doc is other.doc and self.token_indexes == other.token_indexes

    def __hash__(self) -> int:
        return hash((id(self.doc), *self.token_indexes))

    def __repr__(self) -> str:
        return str(self.token_indexes)


class Chain(_View[Mention]):
    """Show one cluster as a chain of head tokens."""

    def _show(self, i: int) -> Mention:
        span = Span(self.doc, *self.data.mentions[i])
        return Mention(self.doc, self.data.heads[i], span)

    @property
    def index(self) -> int:
        """Get the chain's number in the document."""
        return self.i

    @property
    def most_specific_mention_index(self) -> int:
        """Get the index of the main mention."""
        return self.data.main

    @property
    def pretty_representation(self) -> str:
        """Format the chain, as in "0: Walker(1), She(5)"."""
        mentions = (mention.pretty_representation for mention in self)
        return f"{self.index}: {', '.join(mentions)}"

    def __repr__(self) -> str:
        return f"{self.index}: {', '.join(map(repr, self))}"


class ChainHolder:
    """Hold the chains of a Doc, or those in which a Token is the head of a mention.

    doc (Doc): The document.
    chains (Optional[List[Chain]]): The chains; None for all chains of the Doc, which
        are created at the first access.
    """

    def __init__(self, doc: Doc, chains: Optional[List[Chain]] = None) -> None:
        self.doc = doc
        if chains is not None:
            self.chains = chains

    @cached_property
    def chains(self) -> List[Chain]:
        """List the chains in the order of their first mentions."""
        stored = check_index(self.doc).clusters
        return [Chain(self.doc, i, one) for i, one in enumerate(stored)]

    @property
    def pretty_representation(self) -> str:
        """Format all chains in one line."""
        return "; ".join(chain.pretty_representation for chain in self)

    def print(self) -> None:
        """Print the chains, one per line, as Coreferee does."""
        for chain in self:
            print(chain.pretty_representation)

    def resolve(self, token: Union[Token, int]) -> Optional[List[Token]]:
        """Find the most specific tokens that a token refers to.

        Chains are followed: if the main mention of the chain of "they" is "he and his
        wife", and that of the chain of "he" is "Peter", "they" refers to "Peter" and
        "wife".

        token (Union[Token, int]): The head token of a mention, or its index.
        RETURNS (Optional[List[Token]]): The tokens in text order; None if the token is
            in no chain or is the most specific one itself.
        """
        first = token if isinstance(token, int) else token.i
        # Not check_index, which reads all groups and makes loops over tokens quadratic.
        index, found = get_index(self.doc), set()
        queue, visited = [first], set()
        while queue:
            i = queue.pop()
            for j in index.by_head.get(i, ()):
                cluster = index.clusters[j]
                main = cluster.heads[cluster.main]
                if [i] in cluster.heads and i not in main:
                    if j not in visited:
                        visited.add(j)
                        queue += main
                    break
            else:
                found.add(i)
        return None if found <= {first} else [self.doc[i] for i in sorted(found)]

    def __getitem__(self, i: Union[int, slice]) -> Union[Chain, List[Chain]]:
        return self.chains[i]

    def __iter__(self) -> Iterator[Chain]:
        return iter(self.chains)

    def __len__(self) -> int:
        return len(self.chains)

    def __repr__(self) -> str:
        return f"[{', '.join(map(repr, self))}]"


def get_clusters(doc: Doc) -> List[ClusterView]:
    """List the clusters of a Doc.

    doc (Doc): The document.
    RETURNS (List[ClusterView]): The clusters, in the order of first mentions.
    """
    stored = check_index(doc).clusters
    return [ClusterView(doc, i, cluster) for i, cluster in enumerate(stored)]


def get_token_chains(token: Token) -> ChainHolder:
    """Get the chains in which a Token is the head of a mention."""
    index = get_index(token.doc)
    found = index.by_head.get(token.i, ())
    chains = [Chain(token.doc, i, index.clusters[i]) for i in found]
    return ChainHolder(token.doc, chains)


def get_mention_scores(cluster: ClusterView, i: int) -> Dict[Span, float]:
    """Get the log-odds of a link of one mention to each antecedent that the model
    scored, best first, or else to the one that it is linked to."""
    stored = cluster.data
    found = stored.candidates[i] if stored.candidates else []
    scores = {cluster.doc[start:end]: score for start, end, score in found}
    if stored.scores and stored.antecedents and stored.antecedents[i] >= 0:
        scores.setdefault(cluster[stored.antecedents[i]], stored.scores[i])
    return scores
