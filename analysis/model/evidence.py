"""What a server says beside its answers: KV cache events and counters."""

from dataclasses import dataclass
from typing import Literal

from analysis.model.session import Json

EventKind = Literal["stored", "removed", "cleared"]


@dataclass(frozen=True, slots=True)
class KvEvent:
    """One KV cache event.  ``at`` is the publisher's time in seconds; hashes are the low 64 bits of the digests.

    ``token_ids``, ``block_size``, ``parent_hash``, ``extra_keys`` (one per block) and ``adapter`` (the LoRA name)
    belong to stored blocks.
    """

    at: float
    kind: EventKind
    hashes: tuple[int, ...] = ()
    parent_hash: int | None = None
    token_ids: tuple[int, ...] = ()
    block_size: int = 0
    extra_keys: tuple[Json, ...] = ()
    adapter: str | None = None


@dataclass(frozen=True, slots=True)
class Counters:
    """Counters of one scrape of ``/metrics``, summed over engines; None where the server does not have one."""

    queries: float | None = None
    hits: float | None = None
    external_queries: float | None = None
    external_hits: float | None = None
    preemptions: float | None = None


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """A history held against what the server said beside it; None where it said nothing or nothing was asked.

    ``queries_counted`` and ``hits_counted`` are the rises of the server's counters, ``queries_logged`` the prompt
    tokens of the log that were looked up (None where some are unknown), ``hits_reported`` the sum of ``cached_tokens``,
    ``hits_predicted`` what the analysis predicts, in tokens.  ``removals_predicted`` counts blocks that the pool model
    takes, ``removals_announced`` those in the KV cache events, ``removals_confirmed`` those in both.  ``hashes_same``
    of the announced block hashes come out the same when they are recomputed from their token ids,
    ``hashes_different`` do not.  ``blocks_needed`` is the smallest pool in which no hit would have been lost, the
    reserved block included; with replicas, that of the one that needs most.
    """

    queries_counted: int | None = None
    queries_logged: int | None = None
    hits_counted: int | None = None
    hits_reported: int | None = None
    hits_predicted: int | None = None
    removals_predicted: int | None = None
    removals_announced: int | None = None
    removals_confirmed: int | None = None
    hashes_same: int | None = None
    hashes_different: int | None = None
    blocks_needed: int | None = None
