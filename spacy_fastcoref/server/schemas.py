"""Define what the server takes and returns; the OpenAPI schema is made from this."""

from itertools import chain
from typing import Annotated, Dict, List, Literal, Optional, Tuple, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    model_validator,
)

from ..formats.parsing import check_text
from ..resolution.resolve import DEFAULT_POLICY

MAX_DOCUMENTS = 256
MAX_NAMES = 1000


def _check(text: str) -> str:
    # Escapes of JSON can be halves of characters, which spaCy can't encode.
    check_text(text)
    return text


_Text = Annotated[str, AfterValidator(_check)]
_T = TypeVar("_T")
# A list of a million wrong values is one error, and not a million.
_Many = Annotated[List[_T], Field(fail_fast=True)]
_Index = Annotated[int, Field(ge=0, strict=True)]
Offsets = Tuple[_Index, _Index]
_Name = Annotated[_Text, Field(max_length=MAX_NAMES)]


class Strict(BaseModel):
    """Take the fields that are named, and no others."""

    model_config = ConfigDict(extra="forbid")


class Turn(Strict):
    """What one speaker says without a break."""

    start: _Index = Field(description="The first character")
    end: _Index = Field(description="The character after the last")
    speaker: Annotated[_Name, Field(min_length=1)]


class Corrections(Strict):
    """What a reader knows better than the model.

    A mention is a pair of offsets: of characters in a text, of tokens in a document
    of tokens; the end is exclusive.
    """

    together: _Many[_Many[Offsets]] = Field(
        [], description="Groups of mentions that are in one cluster (must-links)"
    )
    apart: _Many[_Many[Offsets]] = Field(
        [],
        description="Groups of mentions of which no two are in one cluster "
        "(cannot-links)",
    )
    add: _Many[Offsets] = Field([], description="Mentions that the model does not find")
    drop: _Many[Offsets] = Field([], description="Spans that are no mentions")


# The fields of each kind of document, first that which it needs.
_KINDS = (
    ("text", "turns", "corrections"),
    ("tokens", "spaces", "speakers", "corrections"),
    ("documents",),
)


class Document(Strict):
    """A document, as a text or as tokens."""

    text: _Text = Field(None)
    turns: _Many[Turn] = Field([], description="Who says what, in a text")
    tokens: _Many[Annotated[_Text, Field(min_length=1)]] = Field(None)
    spaces: Optional[_Many[StrictBool]] = Field(
        None, description="Whether a space follows each token; by default, each"
    )
    speakers: Optional[_Many[Optional[_Name]]] = Field(
        None, description="The speaker of each token; null for none"
    )
    corrections: Optional[Corrections] = None

    @model_validator(mode="after")
    def check_kind(self) -> "Document":
        """Check that there is one kind of document, with the fields of this kind."""
        given = self.model_fields_set.intersection(chain(*_KINDS))
        if not any(kind[0] in given and given <= {*kind} for kind in _KINDS):
            raise ValueError(
                "a text, with turns, or tokens, with spaces and speakers, is required"
            )
        return self


class RuleChoice(Strict):
    """Which rules of grammar apply."""

    enabled: StrictBool = True
    disabled: Optional[List[_Name]] = Field(
        None,
        max_length=MAX_NAMES,
        description="The names of the rules to leave out; by default, those that the "
        "pipeline leaves out",
    )


# The parts of an answer that are made only if they are asked for.
Part = Literal["resolved", "explanations", "tokens"]


class Options(Strict):
    """How documents are resolved."""

    pipeline: Optional[_Name] = Field(
        None, description="The name of the pipeline; by default, the first"
    )
    rules: RuleChoice = RuleChoice()
    policy: _Name = Field(
        DEFAULT_POLICY,
        description="The registered name of the policy for resolved text",
    )
    include: List[Part] = Field(
        [], max_length=3, description="What is wanted beside the clusters"
    )


class OneDocument(Options, Document):
    """One document to resolve."""


class CorefRequest(OneDocument):
    """One document to resolve, or many."""

    documents: List[Document] = Field(None, max_length=MAX_DOCUMENTS)


class Mention(BaseModel):
    """A mention with its link."""

    text: str
    chars: Offsets = Field(description="Character offsets, the end exclusive")
    tokens: Offsets = Field(description="Token offsets, the end exclusive")
    antecedent: Optional[int] = Field(
        description="The index of the mention of this cluster that it continues"
    )
    score: Optional[float] = Field(description="The log-odds of the link")


class Cluster(BaseModel):
    """The mentions that refer to the same person or thing, in text order."""

    main: int = Field(description="The index of the most informative mention")
    mentions: List[Mention]


class Candidate(BaseModel):
    """A candidate antecedent, its score, and the verdict of the grammar."""

    chars: Offsets
    score: Optional[float] = Field(description="Log-odds; null if they are not known")
    verdict: str = Field(description="allowed, doubtful or forbidden")
    reasons: List[str]
    rules: List[str] = Field(description="The names of the rules, one a reason")
    chosen: bool


class Explanation(BaseModel):
    """The candidate antecedents of one mention, best first."""

    chars: Offsets
    candidates: List[Candidate]


class ResolvedText(BaseModel):
    """The text with mentions replaced by main mentions."""

    text: str
    replacements: List[Tuple[int, int, int, int]] = Field(
        description="Start and end in the resolved text; start and end in the original"
    )


class ResolvedDocument(BaseModel):
    """A document with its clusters; offsets are those of code points in its text."""

    text: str
    clusters: List[Cluster]
    tokens: Optional[List[Offsets]] = None
    resolved: Optional[ResolvedText] = None
    explanations: Optional[List[Explanation]] = None
    warnings: List[str] = Field(
        [], description="What makes the clusters doubtful, such as another language"
    )


class CorefAnswer(BaseModel):
    """The documents of a request, in its order."""

    pipeline: str
    documents: List[ResolvedDocument]


class PipelineInfo(BaseModel):
    """A pipeline that can be asked for."""

    name: str
    lang: str
    components: List[str]
    rules: Dict[str, bool] = Field(
        description="The rules that can be left out, and whether they apply by default"
    )
    reasons: Dict[str, str] = Field(description="What each rule does, in a sentence")


class ServerInfo(BaseModel):
    """What the server offers, and its limits."""

    version: str
    pipelines: List[PipelineInfo]
    policies: List[str]
    max_bytes: int
    timeout: float


class Place(BaseModel):
    """One thing that is wrong with a request."""

    place: str = Field(description='Where it is, such as "documents.0.text"')
    message: str


class Problem(BaseModel):
    """Why there is no answer."""

    detail: str
    places: List[Place] = []
