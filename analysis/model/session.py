"""What a log holds: sessions of turns, each a request with what the server said of it.

Does not hold secrets: a cache salt is only ever its keyed fingerprint, and headers are not kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
JsonObject: TypeAlias = Mapping[str, Json]
TokenIds: TypeAlias = npt.NDArray[np.int32]

CachedBasis = Literal["reported", "omitted", "disabled", "not-recorded"]
RequestKind = Literal["chat", "completion"]
ProblemKind = Literal["other", "damaged"]
Mark = Literal["no_system", "no_tools", "reconstructed", "truncated", "redacted"]
# The ids that readers give to requests whose log gives none; a pattern to be searched for, in SQL too.
MADE_UP_ID = r"^line-\d+$|(?:^| )(?:message|line|step|call|observation|run) \d+$"
HEADLESS: frozenset[Mark] = frozenset({"no_system", "no_tools", "truncated", "redacted"})


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that could not be read as it should, for the person who owns the file.

    ``kind`` is for programs, who must not tell problems by their words: ``damaged`` is a record that is lost, so that
    the sums of the log are those of another one.  It is known where a log is read, and neither stored nor written.
    """

    file: str
    line: int | None
    message: str
    kind: ProblemKind = field(default="other", compare=False)


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts as the server reported them; None is "not said", never zero.

    ``cached_basis`` says what a None in ``cached_tokens`` means: ``omitted`` may be a zero of an old server,
    ``disabled`` is a server that was started without prompt-token details, ``not-recorded`` is a log without usage.
    """

    prompt_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cached_basis: CachedBasis = "not-recorded"


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """A request body, verbatim where it matters to the prompt.

    ``prompt`` is the text or the token ids of a completion request; chat requests have ``messages`` instead.
    ``salt`` is a keyed fingerprint of ``cache_salt``; ``skips_cache`` says that the request asks for the logprobs of
    its prompt, for which vLLM does not read its cache.  ``template_kwargs`` are ``chat_template_kwargs``; ``embeds`` is
    a digest of ``prompt_embeds``, which vLLM hashes in place of token ids.
    """

    kind: RequestKind
    model: str
    messages: tuple[JsonObject, ...] = ()
    tools: tuple[JsonObject, ...] = ()
    prompt: "str | TokenIds | None" = None
    template_kwargs: JsonObject = field(default_factory=dict)
    chat_template: str | None = None
    add_generation_prompt: bool = True
    continue_final_message: bool = False
    add_special_tokens: bool | None = None
    salt: str | None = None
    skips_cache: bool = False
    embeds: str | None = None


@dataclass(frozen=True, slots=True)
class Media:
    """Prompt tokens ``[start, stop)`` that stand for an image, a sound or a video.

    ``identity`` is what is hashed with their blocks: the server's own hash or the sender's uuid, else a digest of what
    was sent.
    """

    start: int
    stop: int
    identity: str


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """One request and its reply.  ``number`` is 1-based within the session, ``line`` 1-based within the file.

    ``started_at`` and ``ended_at`` are the log's own times, seconds since the epoch, ``first_token_at``
    that of the first token of a reply.  ``prompt_ids`` and
    ``output_ids`` are the ids that the log carries, None where it carries none.  ``replica`` is whoever served the
    turn, as far as the log says: a replica, data-parallel rank or provider with a cache of its own; ``server_version``
    is the response's system fingerprint.  ``media`` are the images of the prompt as a logged render places them.

    ``completeness`` says what the log lacks of the request: its system prompt, its tools; or that it was put together
    from a transcript, cut off, or blacked out.  Empty is the whole request.  ``lineage`` names what the turn continues
    within its session where that is not the session's own conversation: a sub-agent, a title call, a branch; it shares
    nothing with the turns of other lineages by intention.  ``client`` is the client's name and version.
    """

    number: int
    line: int
    request_id: str
    request: Request
    reply: JsonObject | None = None
    usage: Usage = field(default_factory=Usage)
    prompt_ids: "TokenIds | None" = None
    output_ids: "TokenIds | None" = None
    started_at: float | None = None
    ended_at: float | None = None
    note: str | None = None
    replica: str | None = None
    server_version: str | None = None
    media: tuple[Media, ...] | None = None
    completeness: frozenset[Mark] = frozenset()
    lineage: str | None = None
    client: str | None = None
    first_token_at: float | None = None

    @property
    def lacks_head(self) -> bool:
        """Whether what stands before the messages of the log is not in it: nothing can be said of its tokens."""
        return bool(self.completeness & HEADLESS)


@dataclass(frozen=True, slots=True, eq=False)
class Session:
    """The turns of one conversation in the order the server got them.

    ``source`` names the server history it belongs to: blocks are shared within one source and never across.
    ``inferred`` says that the log had no session key and the turns were grouped by their messages.
    """

    session_id: str
    source: str
    file: str
    log_format: str
    turns: tuple[Turn, ...]
    inferred: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Log:
    """Everything that one file gave: its sessions, and what could not be read."""

    sessions: tuple[Session, ...]
    problems: tuple[Problem, ...] = ()
