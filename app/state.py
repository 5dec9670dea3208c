"""What survives a rerun: the database and what is read of it, the session in the address, and messages.

What only some pages need has a file of its own, named ``…_state``; ``address`` keeps the address that a page wrote.

Caches are keyed on the store's version and on keys of rows, so an import is seen at once and nothing else is read
twice.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import streamlit as st

from analysis.model.record import SessionRecord
from analysis.model.session import TokenIds
from analysis.model.template_check import TemplateCheck
from analysis.store.database import StoreError
from analysis.store.repository import Repository
from app import address, login, places, visitors
from app.block_map import BlockRows, pack
from app.held import held
from app.plain import plain

OPENED = "opened_session"
TABLE = "session_table_number"
SAID = "message"
ADDED = "message_imports"
CHECK = "template_check"


def repository() -> Repository:
    """The database of this dashboard; stops the page where it cannot be opened, and says why, or after a log-out."""
    login.still_required()
    try:
        return _open(str(places.database()))
    except StoreError as error:
        st.error(plain(str(error)))
        st.stop()


@st.cache_resource(show_spinner=False)
def _open(path: str) -> Repository:
    return held(path) or Repository.open(path, read_only=not visitors.may_write())


def kept_check(asked: str) -> TemplateCheck | None:
    """The template check that this browser session got last to this question."""
    return st.session_state.get(f"{CHECK}_{asked}")


def keep_check(asked: str, check: TemplateCheck | None) -> None:
    """Keep the answer to a question for the reruns of this browser session; None forgets it."""
    st.session_state[f"{CHECK}_{asked}"] = check


def session(session_key: int) -> SessionRecord | None:
    """One session with its findings."""
    return _session(stamp(), session_key)


def session_with_runs(session_key: int) -> SessionRecord | None:
    """The same with the states of its blocks, which pages do not need but a report does."""
    return repository().session(session_key, with_runs=True)


def full_ids(session_key: int) -> dict[int, TokenIds]:
    """Prompt and reply tokens of every turn of a session."""
    return _full_ids(stamp(), session_key)


def map_rows(session_key: int) -> tuple[BlockRows, bytes]:
    """The rows of a session's block map, and what the browser gets of them."""
    return _map_rows(stamp(), session_key)


def token_bytes(model: str, token_ids: Iterable[int]) -> dict[int, bytes]:
    """What tokens stand for, as far as the store knows."""
    return repository().token_bytes(model, token_ids)


Stamp = tuple[str, tuple[int, int]]  # the database and its version: what every cache is keyed on


def stamp() -> Stamp:
    """What is stored now."""
    kept = repository()
    return kept.name, kept.version()


@st.cache_resource(show_spinner=False, max_entries=32)
def _session(at: Stamp, session_key: int) -> SessionRecord | None:
    return repository().session(session_key)


@st.cache_resource(show_spinner=False, max_entries=4)
def _full_ids(at: Stamp, session_key: int) -> dict[int, TokenIds]:
    return repository().full_ids(session_key)


@st.cache_resource(show_spinner=False, max_entries=8)
def _map_rows(at: Stamp, session_key: int) -> tuple[BlockRows, bytes]:
    record = _session(at, session_key)
    assert record is not None
    runs = repository().runs(session_key)
    turns = np.array([turn.turn for turn in record.turns])
    size = record.settings.block_size
    row_of = {turn.turn: row for row, turn in enumerate(record.turns)}
    rows = BlockRows(
        turn_numbers=turns.tolist(),
        num_blocks=[-(-(turn.prompt_tokens or 0) // size) if turn.account else 0 for turn in record.turns],
        run_offsets=np.searchsorted(runs.turns, [*turns, turns[-1] + 1]).astype(np.uint32),
        run_starts=runs.starts.astype(np.uint32),
        run_states=runs.states.astype(np.uint8),
        divergences=[(row_of[turn.turn], turn.divergence.block) for turn in record.turns if turn.divergence],
        cached_blocks=[None if turn.cached_tokens is None else turn.cached_tokens / size for turn in record.turns],
        block_size=size,
        prompt_tokens=[turn.prompt_tokens for turn in record.turns],
    )
    return rows, pack(rows)


def picked(record: SessionRecord) -> tuple[int, int] | None:
    """The turn and block in the URL, where they are a cell of this session."""
    turn, block = _number("turn"), _number("block")
    found = next((one for one in record.turns if one.turn == turn), None)
    if turn is None or found is None or not found.prompt_tokens:
        return None
    last = (found.prompt_tokens - 1) // record.settings.block_size
    return turn, min(max(0, block or 0), last)


def picked_turn() -> int | None:
    """The turn in the URL, whether there is one or not."""
    return _number("turn")


def pick(turn: int, block: int) -> None:
    """Put a cell into the URL, so that a reload or a colleague lands on it."""
    st.query_params.update(turn=str(turn), block=str(block))
    address.hold()


def session_in_url() -> int | None:
    """The session that the URL names."""
    return _number("session")


def show_in_url(session_key: int) -> None:
    """Let the URL name the session that is shown."""
    st.session_state[OPENED] = session_key
    if _number("session") != session_key:
        st.query_params["session"] = str(session_key)
        address.hold()


def is_dark() -> bool:
    """Whether the browser shows the dark theme."""
    return st.context.theme.type == "dark"


def typed_path(text: str) -> Path:
    """A path as a person types it."""
    return Path(text.strip()).expanduser()


def open_session(session_key: int) -> None:
    """Remember which session was opened last; the table forgets its selection, so the row can be opened again."""
    st.session_state[OPENED] = session_key
    st.session_state[TABLE] = table_number() + 1


def last_opened() -> int | None:
    """The session that was opened last in this browser session."""
    return st.session_state.get(OPENED)


def forget(import_keys: Iterable[int]) -> None:
    """Forget imports with their sessions; what was selected in the tables is gone too."""
    for key in import_keys:
        repository().delete(key)
    st.session_state[TABLE] = table_number() + 1


def table_number() -> int:
    """Part of the key of the session table: a new number is a table without a selection."""
    return int(st.session_state.get(TABLE, 0))


def say(message: str, import_keys: Sequence[int] = ()) -> None:
    """Leave a message for the next run of the page, with the imports that it is about."""
    st.session_state[SAID], st.session_state[ADDED] = message, tuple(import_keys)


def said() -> str | None:
    """Take the message that was left."""
    return st.session_state.pop(SAID, None)


def just_added() -> tuple[int, ...]:
    """Take the imports that the message was about."""
    return st.session_state.pop(ADDED, ())


def _number(name: str) -> int | None:
    value = st.query_params.get(name, "")
    return int(value) if value.isdecimal() and len(value) < 16 else None
