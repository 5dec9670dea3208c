"""What people write about an analysis: annotations, each at its place, and cases that bundle sessions.

The quoted text itself is not kept: a place is found again by keyed digests of it.
"""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["session", "turn", "divergence", "span"]
Side = Literal["before", "after"]
Unit = Literal["byte", "token id"]


@dataclass(frozen=True, slots=True)
class Quote:
    """A piece of a prompt that can be found again without being kept.

    ``start`` and ``length`` are bytes of the decoded prompt or, where tokens have no known text, of its token ids, four
    to each.  It was the occurrence ``ordinal`` (0-based) of ``occurrences``.  ``digest`` proves it, ``checksum`` finds
    it fast; ``before`` and ``after`` are digests of what stood on either side.  All four are keyed.
    """

    unit: Unit
    start: int
    length: int
    ordinal: int
    occurrences: int
    checksum: int
    digest: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Anchor:
    """What an annotation is about.

    ``request_id`` and ``turn`` (1-based) are None for a whole session.  ``path`` is the message field, ``char_start``
    and ``char_stop`` the characters of it, None where the analysis did not tell.  ``quote`` is the text, ``core`` its
    longest piece without markup of a chat template, which survives another one.  ``token_start`` and ``token_stop`` are
    where it stood when it was written.
    """

    kind: Kind
    request_id: str | None = None
    turn: int | None = None
    path: str | None = None
    char_start: int | None = None
    char_stop: int | None = None
    quote: Quote | None = None
    core: Quote | None = None
    token_start: int | None = None
    token_stop: int | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where an annotation stands in the present analysis: a turn and, of its prompt, tokens ``[start, stop)``.

    ``moved``: what it was about is no longer there; ``partly``: of what it quotes only the longest piece is.
    """

    turn: int | None
    start: int | None = None
    stop: int | None = None
    moved: bool = False
    partly: bool = False


@dataclass(frozen=True, slots=True)
class Version:
    """One state of an annotation, numbered from 1; ``text`` is Markdown, None where it was deleted.

    ``at`` is in seconds since the epoch.
    """

    number: int
    author: str
    at: float
    text: str | None


@dataclass(frozen=True, slots=True)
class Annotation:
    """An annotation with every state it ever had, oldest first."""

    key: int
    session_key: int
    anchor: Anchor
    versions: tuple[Version, ...]

    @property
    def author(self) -> str:
        """Who wrote it first."""
        return self.versions[0].author

    @property
    def made_at(self) -> float:
        """When it was written first, in seconds since the epoch."""
        return self.versions[0].at

    @property
    def last(self) -> Version:
        """Its present state."""
        return self.versions[-1]

    @property
    def is_deleted(self) -> bool:
        """Whether its present state is that it was deleted."""
        return self.last.text is None

    @property
    def text(self) -> str:
        """What it says, or said until it was deleted."""
        return next((one.text for one in reversed(self.versions) if one.text is not None), "")


@dataclass(frozen=True, slots=True)
class Placed:
    """An annotation where it stands now."""

    annotation: Annotation
    place: Place


@dataclass(frozen=True, slots=True)
class CaseText:
    """What a person writes about a case; the narrative is Markdown."""

    title: str
    ticket: str = ""
    customer: str = ""
    narrative: str = ""


@dataclass(frozen=True, slots=True)
class CaseVersion:
    """One state of the text of a case, numbered from 1; ``text`` is None where the case was deleted."""

    number: int
    author: str
    at: float
    text: CaseText | None


@dataclass(frozen=True, slots=True)
class Finding:
    """A cause as it was when somebody pinned it; a later analysis may no longer find it."""

    session_key: int
    request_id: str
    turn: int
    code: str
    tokens: int
    evidence: str


@dataclass(frozen=True, slots=True)
class PinnedFinding:
    """A finding that is part of a case; ``at`` is in seconds since the epoch."""

    key: int
    finding: Finding
    author: str
    at: float


@dataclass(frozen=True, slots=True)
class CaseSession:
    """A session of a case, and the set it belongs to where two are held against each other."""

    session_key: int
    session_id: str
    source: str
    side: Side | None


@dataclass(frozen=True, slots=True)
class Case:
    """Sessions under a ticket, every state of what was written about them, oldest first, and pinned findings."""

    key: int
    versions: tuple[CaseVersion, ...]
    sessions: tuple[CaseSession, ...] = ()
    pinned: tuple[PinnedFinding, ...] = ()

    @property
    def last(self) -> CaseVersion:
        """Its present state."""
        return self.versions[-1]

    @property
    def is_deleted(self) -> bool:
        """Whether its present state is that it was deleted."""
        return self.last.text is None

    @property
    def text(self) -> CaseText:
        """What is written about it, or was until it was deleted."""
        return next((one.text for one in reversed(self.versions) if one.text is not None), CaseText(""))
