"""What survives a rerun: the one file that names session-state keys, query parameters and caches.

Those of the list of sessions, which is asked for in many ways, are in ``desk_state`` and ``desk_address``; ``address``
keeps the address that a page wrote.

Caches are keyed on the store's version and on keys of rows, so an import is seen at once and nothing else is read
twice.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Lock

import numpy as np
import streamlit as st

from analysis.live.vllm import ServerInfo, VllmServer
from analysis.model.record import SessionRecord
from analysis.model.renderer import RendererChoice
from analysis.model.session import TokenIds
from analysis.model.settings import Normalisation, Settings
from analysis.model.template_check import TemplateCheck
from analysis.pipeline.importing import Progress, analyse_source, store
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.sources import Source, read_source
from analysis.pipeline.trying import Bench, bench
from analysis.store.database import StoreError
from analysis.store.repository import Repository
from app import address, places, visitors
from app.block_map import BlockRows, pack
from app.held import held
from app.plain import plain

SERVER = "live_server"
SERVED = "live_server_info"
OPENED = "opened_session"
TABLE = "session_table_number"
GIVEN = "given_logs"
SAID = "message"
ADDED = "message_imports"
CHECK = "template_check"

MOST_GIVEN = 4  # logs that a browser session keeps to try changes on

_seeding = Lock()


def repository() -> Repository:
    """The database of this dashboard; shows the reason and stops the page where it cannot be opened."""
    try:
        return _open(str(places.database()))
    except StoreError as error:
        st.error(plain(str(error)))
        st.stop()


@st.cache_resource(show_spinner=False)
def _open(path: str) -> Repository:
    return held(path) or Repository.open(path, read_only=not visitors.may_write())


def needs_samples() -> bool:
    """Whether this is the very first start on this database."""
    return visitors.may_write() and repository().untouched()


def fill_with_samples(progress: Progress) -> None:
    """On the very first start, analyse the sample sessions; each is the history of a server of its own.

    Streamlit may end the run at any report of progress, as on a reload of the page: nothing is stored before the last.
    """
    with _seeding:
        kept = repository()
        if not kept.untouched():
            return
        logs = places.sample_logs()
        renderers = known_renderers()
        analysed = []
        for done, path in enumerate(logs, 1):
            analysed.append(analyse_source(read_source(path), renderers, places.sample_settings(path)))
            progress("sample sessions analysed", done, len(logs))
        for one in analysed:
            store(one, renderers, kept)


def known_renderers(model: str | None = None, normalise: Normalisation = "vllm") -> Renderers:
    """The renderers chosen by model, or ``model`` for all; raises RenderError where that one cannot be loaded.

    A tokenizer is loaded once for everybody.
    """
    return _renderers(model, normalise, tuple(repository().renderers().values()))


@st.cache_resource(show_spinner=False, max_entries=16)
def _renderers(model: str | None, normalise: Normalisation, chosen: tuple[RendererChoice, ...]) -> Renderers:
    by_model = {choice.model: choice for choice in chosen}
    renderers = Renderers(model, None, normalise, places.known_models(), by_model, visitors.key_for)
    if model:
        renderers.renderer_for("")
    return renderers


def live_renderers(server: VllmServer) -> Renderers:
    """Renderers over the live server of this browser session."""
    return Renderers(server=server, known=places.known_models())


def live_server() -> VllmServer | None:
    """The live server that this browser session is connected to.  Its key stays in memory."""
    server = st.session_state.get(SERVER)
    return server if isinstance(server, VllmServer) else None


def connect_live(server: VllmServer | None, info: ServerInfo | None) -> None:
    """Connect this browser session to a server and keep what it said of itself; None disconnects."""
    st.session_state[SERVER] = server
    st.session_state[SERVED] = info


def live_info() -> ServerInfo | None:
    """What the live server said of itself."""
    return st.session_state.get(SERVED)


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


def log_of(session_key: int) -> Source | None:
    """The log of a session where it is at hand: one of the samples, or one that was given in this browser session."""
    origin = repository().origin(session_key)
    return None if origin is None else log_at_hand(origin[0], origin[1])


def log_at_hand(file: str, sha256: str) -> Source | None:
    """A log by its name and content: one of the samples, or one that was given in this browser session."""
    given: dict[str, Source] = st.session_state.get(GIVEN, {})
    if sha256 in given:
        return given[sha256]
    found = (read_source(path) for path in places.sample_logs() if path.name == file)
    return next((source for source in found if source.sha256 == sha256), None)


def remember_log(source: Source) -> None:
    """Keep a log in this browser session, so that changes can be tried on it."""
    given: dict[str, Source] = st.session_state.setdefault(GIVEN, {})
    given[source.sha256] = source
    while len(given) > MOST_GIVEN:
        del given[next(iter(given))]


def is_log_of(source: Source, session_key: int) -> bool:
    """Whether these are the very files that a session came from."""
    origin = repository().origin(session_key)
    return origin is not None and origin[1] == source.sha256


def bench_of(session_key: int, source: Source, record: SessionRecord) -> Bench:
    """What changes to a session are tried on.  Raises ValueError or OSError where its log cannot be rendered."""
    origin = repository().origin(session_key)
    label = str(json.loads(origin[2]).get("renderer")) if origin else ""
    if label.startswith("endpoint "):
        server = live_server()
        if server is None or label != f"endpoint {server.url}":
            raise StoreError("this log was rendered by a live server: connect to it again on the page Live server")
        renderers = live_renderers(server)
    else:
        model = None if label == Renderers().label else label
        renderers = known_renderers(model, record.settings.normalise)
    return _bench(source.sha256, repr(record.settings), label, source, renderers, record.settings)


@st.cache_resource(show_spinner=False, max_entries=2)
def _bench(
    sha256: str, settings: str, label: str, _source: Source, _renderers: Renderers, _settings: Settings
) -> Bench:
    return bench(_source, _renderers, _settings)


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
