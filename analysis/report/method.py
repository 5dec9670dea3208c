"""How a session was measured: the settings, how its tokens are known, and what the server did not say."""

from collections import Counter
from collections.abc import Iterable

from analysis.causes.granularity import FLOOR
from analysis.model.record import SessionRecord
from analysis.model.settings import Settings
from analysis.report.figure_words import BASIS, FIDELITY
from analysis.report.own_words import is_ours
from analysis.report.words import counted


def settings_said(settings: Settings) -> tuple[tuple[str, str], ...]:
    """How the server caches and how the log was read, a pair per setting."""
    pool = (
        "unlimited: evictions are not predicted" if settings.num_blocks is None else f"{settings.num_blocks:,} blocks"
    )
    mode = settings.mamba_cache_mode
    caching = {None: "not said by the server", True: "on", False: "off"}[settings.prefix_caching]
    rows = [
        ("Block size", f"{settings.block_size:,} tokens ({settings.block_size_basis})"),
        ("Block pool", pool),
        ("Prefix caching", caching),
        ("Requests read as", "vLLM normalises them" if settings.normalise == "vllm" else "sent, not normalised"),
    ]
    rows += [("Sliding window", f"{settings.window:,} tokens")] if settings.window else []
    rows += [("Speculative decoding", "on: a hit loses its last block")] if settings.spec_decode else []
    rows += [("Decode context parallel size", f"{settings.dcp:,}")] if settings.dcp != 1 else []
    rows += [("State of recurrent layers", mode)] if mode and is_ours(mode) else []
    return (*rows, ("Logs", "all of one server" if settings.same_server else "each of a server of its own"))


def measured(record: SessionRecord) -> tuple[str, ...]:
    """How the tokens of the turns are known, and of how many each."""
    ways = Counter(FIDELITY.get(turn.fidelity or "", "tokens unknown") for turn in record.turns)
    lines = [f"Tokens of {counted(number, 'turn')}: {words}." for words, number in ways.items()]
    grouped = ["The log has no session key: turns were grouped by their messages."] if record.inferred else []
    return (*lines, *grouped)


def unreported(record: SessionRecord) -> tuple[str, ...]:
    """What the server did not say, and of how many turns."""
    silent = Counter(turn.cached_basis for turn in record.turns if turn.cached_tokens is None)
    return tuple(f"Cached tokens of {counted(number, 'turn')}: {BASIS[basis]}." for basis, number in silent.items())


def rounded(records: Iterable[SessionRecord]) -> str:
    """What the rounding in the account of a turn is: said once, whatever the number of turns; empty where none has any.

    It concerns nearly every turn and is no fault of any.
    """
    turns = [turn for record in records for turn in record.turns]
    told = [turn.account.rounding for turn in turns if turn.account and any(one.code == FLOOR for one in turn.notes)]
    if not told:
        return ""
    return (
        f"In {counted(len(told), 'turn')} up to {counted(max(told), 'token')} at the end of the equal part lie in a"
        " block that is not full, or in the one that holds the last prompt token. No hit can reach them: that is the"
        f" rounding of a turn, and no fault ({FLOOR})."
    )
