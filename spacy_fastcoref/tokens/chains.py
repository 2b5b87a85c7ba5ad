"""Views of clusters: Cluster, as in NeuralCoref, and Chain, as in Coreferee."""

from typing import Dict, Iterator, List, Optional, Set, Union

from spacy.tokens import Doc, Span, Token

from .index import Index, StoredCluster, check_index, get_index


class Cluster:
    """Show one cluster as spans.

    doc (Doc): The document.
    i (int): The cluster's number, in the order of first mentions.
    """

    def __init__(self, doc: Doc, i: int, stored: StoredCluster) -> None:
        self.doc = doc
        self.i = i
        self._stored = stored

    @property
    def mentions(self) -> List[Span]:
        """List the mentions.

        RETURNS (List[Span]): In text order.
        """
        return [Span(self.doc, *mention) for mention in self._stored.mentions]

    @property
    def main(self) -> Span:
        """Get the main mention, the most informative one.

        RETURNS (Span): A name rather than a noun, a noun rather than a pronoun.
        """
        return Span(self.doc, *self._stored.mentions[self._stored.main])

    @property
    def scores(self) -> List[float]:
        """List the log-odds of the link of each mention.

        RETURNS (List[float]): 0 for the first mention, and for links that the model did
            not make; empty if the scores are not known.
        """
        return list(self._stored.scores)

    @property
    def probs(self) -> List[float]:
        """List the probability of the link of each mention.

        RETURNS (List[float]): For the first mention the probability of no link; 1 for
            must-links; empty if the probabilities are not known.
        """
        return list(self._stored.probs)

    def __getitem__(self, i: Union[int, slice]) -> Union[Span, List[Span]]:
        if isinstance(i, slice):
            return self.mentions[i]
        return Span(self.doc, *self._stored.mentions[i])

    def __iter__(self) -> Iterator[Span]:
        return iter(self.mentions)

    def __len__(self) -> int:
        return len(self._stored.mentions)

    def __eq__(self, other) -> bool:
        if not isinstance(other, Cluster):
            return NotImplemented
        # The number alone may be that of another cluster by now.
        is_same = self._stored.mentions == other._stored.mentions
        return self.doc is other.doc and self.i == other.i and is_same

    def __hash__(self) -> int:
        return hash((id(self.doc), self.i))

    def __repr__(self) -> str:
        return f"{self.main.text}: {[mention.text for mention in self]}"


class Mention:
    """Show one mention as its head tokens.

    doc (Doc): The document.
    token_indexes (List[int]): The head, or the heads of a coordination.
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
        """Write the head tokens with their indexes, as in "Walker(1)"."""
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


class Chain:
    """Show one cluster as a chain of head tokens.

    doc (Doc): The document.
    index (int): The chain's number in the document.
    """

    def __init__(self, doc: Doc, index: int, stored: StoredCluster) -> None:
        self.doc = doc
        self.index = index
        self._stored = stored

    @property
    def mentions(self) -> List[Mention]:
        """List the mentions in text order."""
        return [self[i] for i in range(len(self))]

    @property
    def most_specific_mention_index(self) -> int:
        """Get the index of the main mention."""
        return self._stored.main

    @property
    def pretty_representation(self) -> str:
        """Write the chain as in "0: Walker(1), She(5)"."""
        mentions = (mention.pretty_representation for mention in self)
        return f"{self.index}: {', '.join(mentions)}"

    def __getitem__(self, i: Union[int, slice]) -> Union[Mention, List[Mention]]:
        if isinstance(i, slice):
            return self.mentions[i]
        start, end = self._stored.mentions[i]
        return Mention(self.doc, self._stored.heads[i], Span(self.doc, start, end))

    def __iter__(self) -> Iterator[Mention]:
        return iter(self.mentions)

    def __len__(self) -> int:
        return len(self._stored.mentions)

    def __eq__(self, other) -> bool:
        if not isinstance(other, Chain):
            return NotImplemented
        is_same = self._stored.mentions == other._stored.mentions
        return self.doc is other.doc and self.index == other.index and is_same

    def __hash__(self) -> int:
        return hash((id(self.doc), self.index))

    def __repr__(self) -> str:
        return f"{self.index}: {', '.join(map(repr, self))}"


class ChainHolder:
    """Hold the chains of a Doc, or those in which one Token heads a mention.

    doc (Doc): The document.
    chains (Optional[List[Chain]]): The chains; None for all chains of the Doc, which
        are then made when they are asked for.
    """

    def __init__(self, doc: Doc, chains: Optional[List[Chain]] = None) -> None:
        self.doc = doc
        self._chains = chains

    @property
    def chains(self) -> List[Chain]:
        """List the chains in the order of their first mentions."""
        if self._chains is None:
            stored = check_index(self.doc).clusters
            self._chains = [Chain(self.doc, i, one) for i, one in enumerate(stored)]
        return self._chains

    @property
    def pretty_representation(self) -> str:
        """Write all chains in one line."""
        return "; ".join(chain.pretty_representation for chain in self)

    def print(self) -> None:
        """Print the chains, one a line, for the console, as Coreferee does."""
        for chain in self:
            print(chain.pretty_representation)

    def resolve(self, token: Union[Token, int]) -> Optional[List[Token]]:
        """Find the tokens that say most specifically what a token refers to.

        Chains are followed: if "they" leads to "he and his wife" and "he" to "Peter",
        this gives "Peter" and "wife".

        token (Union[Token, int]): The head of a mention, or its index.
        RETURNS (Optional[List[Token]]): Tokens in text order; None if the token is
            in no chain or is the most specific one itself.
        """
        i = token if isinstance(token, int) else token.i
        # A loop over tokens stays linear: groups changed in place are noticed by the
        # Doc's other views.
        found = _resolve(get_index(self.doc), i)
        return None if found in ([], [i]) else [self.doc[j] for j in found]

    def __getitem__(self, i: Union[int, slice]) -> Union[Chain, List[Chain]]:
        return self.chains[i]

    def __iter__(self) -> Iterator[Chain]:
        return iter(self.chains)

    def __len__(self) -> int:
        return len(self.chains)

    def __repr__(self) -> str:
        return f"[{', '.join(map(repr, self))}]"


def _resolve(index: Index, token: int) -> List[int]:
    """Follow the chain that a token heads alone, then the chains of its main heads."""
    found: Set[int] = set()
    queue, done, path = [token], set(), []
    is_path = True
    while queue:
        # As long as there is one way on, all tokens on it lead to the same.
        is_path = is_path and len(queue) == 1
        token = queue.pop()
        if token in index.resolved:
            found.update(index.resolved[token])
            continue
        if is_path:
            path.append(token)
        followed = None
        for i in index.by_only_head.get(token, ()):
            cluster = index.clusters[i]
            if token not in cluster.heads[cluster.main]:
                followed = i
                break
        if followed is None:
            found.add(token)
        elif followed not in done:
            done.add(followed)
            queue += index.clusters[followed].heads[index.clusters[followed].main]
    tokens = sorted(found)
    index.resolved.update(dict.fromkeys(path, tokens))
    return tokens


def get_clusters(doc: Doc) -> List[Cluster]:
    """List the clusters of a Doc.

    doc (Doc): The document.
    RETURNS (List[Cluster]): In the order of first mentions.
    """
    stored = check_index(doc).clusters
    return [Cluster(doc, i, cluster) for i, cluster in enumerate(stored)]


def get_doc_chains(doc: Doc) -> ChainHolder:
    """Get all chains of a Doc.

    doc (Doc): The document.
    RETURNS (ChainHolder): The chains.
    """
    return ChainHolder(doc)


def get_token_chains(token: Token) -> ChainHolder:
    """Get the chains in which a Token heads a mention.

    token (Token): The token.
    RETURNS (ChainHolder): The chains.
    """
    index = get_index(token.doc)
    found = index.by_head.get(token.i, ())
    chains = [Chain(token.doc, i, index.clusters[i]) for i in found]
    return ChainHolder(token.doc, chains)


def get_link_scores(cluster: Cluster) -> Dict[Span, Dict[Span, float]]:
    """Get the scores of the antecedents of every mention in a cluster.

    cluster (Cluster): The cluster.
    RETURNS (Dict[Span, Dict[Span, float]]): For each mention what get_mention_scores
        returns, if there is anything.
    """
    scores = {cluster[i]: get_mention_scores(cluster, i) for i in range(len(cluster))}
    return {mention: links for mention, links in scores.items() if links}


def get_mention_scores(cluster: Cluster, i: int) -> Dict[Span, float]:
    """Get the scores of the antecedents of one mention.

    cluster (Cluster): The cluster.
    i (int): The mention's index.
    RETURNS (Dict[Span, float]): The log-odds of a link to each antecedent that the
        model scored, whether it was linked or not, best first; where these are not
        stored, that of the link.
    """
    stored = cluster._stored
    scores = {}
    if stored.candidates:
        scores = {
            cluster.doc[start:end]: score for start, end, score in stored.candidates[i]
        }
    if stored.scores and stored.antecedents and stored.antecedents[i] >= 0:
        scores.setdefault(cluster[stored.antecedents[i]], stored.scores[i])
    return scores
