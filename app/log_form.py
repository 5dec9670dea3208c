"""The form that adds logs: what to read, where their tokens come from, and the import with its progress."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from analysis.formats import FORMATS
from analysis.formats.base import FormatError
from analysis.model.settings import DEFAULT_BLOCK_SIZE, Settings
from analysis.pipeline.importing import Analysed, import_source, stored_key
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.side_files import as_served
from analysis.pipeline.sources import Source, joined, read_source, source_of
from analysis.report.problem_words import without_tried
from analysis.report.words import counted
from app import log_state, renderer_state, state, visitors
from app.already_here import already_here
from app.browser_words import in_browser
from app.pace import Pace
from app.plain import plain

IDS = "The log's ids and known models"
MODEL = "A model's folder or hub id"
LIVE = "The live server"
ASKED = "analyse_was_pressed"
UPLOAD_LIMIT_MB = 200
TOGETHER = (
    "They are of one server, whose requests share what is cached, and a conversation may go on from file to file."
    " Otherwise each file or folder is a server of its own."
)
TITLES = {known.name: f"{known.name}: {known.title}" for known in FORMATS}


@dataclass(slots=True)
class Outcome:
    """What an import brought, in lines for a person; ``import_keys`` are those of the logs that are there now."""

    sessions: int = 0
    turns: int = 0
    unchanged: int = 0
    problems: int = 0
    refused: tuple[str, ...] = ()
    import_keys: tuple[int, ...] = ()
    repeated: tuple[str, ...] = ()

    def sentence(self) -> str:
        """One line that says what happened, true in the form and on the page behind it."""
        parts = []
        if self.refused:
            read, refused = len(self.import_keys), len(self.refused)
            parts.append(f"{read:,} of {counted(read + refused, 'log')} read, {refused:,} could not be (below)")
        if self.sessions or not self.unchanged:
            parts.append(f"{counted(self.sessions, 'session')} with {counted(self.turns, 'turn')} analysed")
        if self.unchanged:
            parts.append(f"{counted(self.unchanged, 'log')} already there, unchanged")
        parts += self.repeated
        if self.problems:
            parts.append(f"{counted(self.problems, 'note')} under Problems in the logs")
        return " · ".join(parts)

    def count(self, analysed: Analysed, import_key: int | None) -> None:
        """Add what came of one log."""
        self.sessions += len(analysed.records)
        self.turns += sum(len(record.turns) for record in analysed.records)
        self.problems += len(analysed.all_problems)
        self.import_keys = (*self.import_keys, *([import_key] if import_key is not None else []))


def renderer_choice(key: str) -> Callable[[], Renderers]:
    """Ask where tokens come from; the answer is called when they are needed and raises where they cannot be had."""
    server = renderer_state.live_server()
    options = [IDS, *([MODEL] if visitors.may_name_files() else []), *([LIVE] if server else [])]
    chosen = st.radio("Tokens come from", options, horizontal=True, key=f"{key}_tokens", help=_help(server is not None))
    if chosen == LIVE and server is not None:
        return lambda: renderer_state.live_renderers(server)
    if chosen == MODEL:
        model = st.text_input(
            "Folder with tokenizer.json, or hub id",
            key=f"{key}_model",
            placeholder="~/models/Qwen3-8B or Qwen/Qwen3-8B",
        ).strip()
        return lambda: _named(model)
    return renderer_state.known_renderers


def block_size_choice(key: str) -> Settings:
    """Ask for the block size; empty is the live server's, else vLLM's default."""
    given = st.number_input(
        "Block size in tokens",
        min_value=1,
        value=None,
        step=1,
        key=f"{key}_block_size",
        placeholder=f"{DEFAULT_BLOCK_SIZE} unless the live server says otherwise",
        help="vLLM: 16 on CUDA, 128 on CPU, 256 for some models; block_size in vllm:cache_config_info at /metrics.",
    )
    chosen = Settings(int(given), "given") if given else Settings()
    info = renderer_state.live_info()
    return as_served(chosen, info) if info and st.session_state.get(f"{key}_tokens") == LIVE else chosen


def pool_choice() -> int | None:
    """Ask for the size of the server's block pool; empty predicts without evictions."""
    given = st.number_input(
        "Blocks in the server's pool",
        min_value=2,
        value=None,
        step=1,
        key="add_blocks",
        placeholder="unlimited",
        help="num_gpu_blocks in vllm:cache_config_info at /metrics. With it evictions are predicted, block by block.",
    )
    return int(given) if given else None


def _ask() -> None:
    """Remember the press: the run that takes what was uploaded meanwhile cuts its own run short."""
    st.session_state[ASKED] = True


def _is_asked() -> bool:
    """Whether *Analyse* was pressed since this was asked last."""
    return bool(st.session_state.pop(ASKED, False))


@st.dialog("Add logs", width="large", on_dismiss=_is_asked)
def add_logs() -> None:
    """The dialog: pick logs, say where tokens come from, import.  What was pressed in it is forgotten with it."""
    uploads = st.file_uploader(
        "Log files",
        accept_multiple_files=True,
        help="One JSON request with its response a line.",
    )
    path = _path_choice()
    several = len(uploads) + bool(path.strip()) > 1
    together = several and st.checkbox("These files belong together", help=TOGETHER)
    with st.expander("Settings: only where the defaults do not fit"):
        left, right = st.columns([3, 2])
        with left:
            renderers = renderer_choice("add")
        with right:
            settings = block_size_choice("add")
            blocks = pool_choice()
            settings = replace(settings, num_blocks=blocks) if blocks else settings
        log_format = _format_choice()
    st.button("Analyse", type="primary", on_click=_ask)
    if not _is_asked():
        return
    if not uploads and not path.strip():
        st.error("Nothing to analyse yet: choose log files above, or give a path.")
    else:
        _import(uploads, path.strip(), renderers, settings, together, log_format)


def _format_choice() -> str | None:
    """Ask for the format of the logs; None looks into each."""
    return st.selectbox(
        "Format",
        [known.name for known in FORMATS],
        index=None,
        format_func=TITLES.__getitem__,
        placeholder="found by looking into each file",
        help="For a log that no format, or more than one, says is its own: all that is added is read as this one.",
    )


def _path_choice() -> str:
    """Ask for a path, where that is this person's machine; and say what to do with a large log."""
    # The uploader itself says why it refuses a file only in a tooltip, and not what else to do.
    if not visitors.may_name_files():
        st.caption(f"A log of more than {UPLOAD_LIMIT_MB} MB is added where the dashboard runs: `whymiss serve LOG`.")
        return ""
    st.caption(f"A log of more than {UPLOAD_LIMIT_MB} MB: give its path below, or start with `whymiss serve LOG`.")
    return st.text_input(
        "or a file or folder on this machine",
        placeholder="~/logs/proxy.jsonl",
        help="No size limit. A folder read together is the history of one server.",
    )


def _import(
    uploads: Sequence[UploadedFile],
    path: str,
    renderers: Callable[[], Renderers],
    settings: Settings,
    together: bool,
    log_format: str | None,
) -> None:
    """Read what was given and import it; what is wrong with it is shown in the dialog."""
    try:
        sources, refused = _read(uploads, path)
        if together and len(sources) > 1:
            sources, settings = [joined(sources)], replace(settings, same_server=True)
        outcome = import_sources(sources, renderers(), settings, log_format)
        outcome.refused = (*refused, *outcome.refused)
    except (ValueError, OSError) as error:
        st.error(plain(in_browser(str(error))))
        return
    if outcome.import_keys:
        state.say(outcome.sentence(), outcome.import_keys)
    if not outcome.refused:
        st.rerun()
    if outcome.import_keys:
        st.success(plain(outcome.sentence()))
    _refusals(outcome.refused)


def _refusals(refused: Sequence[str]) -> None:
    """What was not read, a line each, and once what every format looks for."""
    everything: tuple[str, ...] = ()
    for line in refused:
        said, tried = without_tried(in_browser(line))
        st.error(plain(said))
        everything = tried or everything
    if everything:
        with st.expander("What each format looks for"):
            st.markdown("\n".join(f"- {plain(one)}" for one in everything))


def _read(uploads: Sequence[UploadedFile], path: str) -> tuple[list[Source], list[str]]:
    """The uploads and the path as sources, and what is wrong with those that cannot be unpacked; it is remembered."""
    reads = [(upload.name, partial(source_of, upload.name, upload.getvalue())) for upload in uploads]
    if path:
        reads.append((state.typed_path(path).name, partial(read_source, state.typed_path(path))))
    sources, refused = [], []
    for name, read in reads:
        try:
            sources.append(read())
        except FormatError as error:
            refused.append(str(error))
            state.repository().refuse(name, str(error).removeprefix(f"{name}: "))
    return sources, refused


def import_sources(
    sources: Sequence[Source], renderers: Renderers, settings: Settings, log_format: str | None = None
) -> Outcome:
    """Analyse and store sources under a progress bar.  A file that is no log is named and the others go on."""
    outcome = Outcome()
    kept = state.repository()
    bar, pace = st.progress(0.0, "Reading"), Pace()

    def show(stage: str, done: int, total: int) -> None:
        if (line := pace.line(stage, done, total)) is not None:
            bar.progress(min(1.0, done / max(1, total)), f"{which}{line}")

    for number, source in enumerate(sources, 1):
        which = f"Log {number} of {len(sources)}: " if len(sources) > 1 else ""
        log_state.remember_log(source)
        if (known := stored_key(source, renderers, settings, kept)) is not None:
            outcome.unchanged += 1
            outcome.import_keys = (*outcome.import_keys, known)
            continue
        try:
            analysed = import_source(source, renderers, settings, kept, log_format, show)
        except FormatError as error:
            outcome.refused = (*outcome.refused, str(error))
            kept.refuse(source.name, str(error).removeprefix(f"{source.name}: "))
            continue
        key = stored_key(source, renderers, settings, kept)
        outcome.count(analysed, key)
        if key is not None and (said := already_here(kept, key, len(analysed.records))) is not None:
            outcome.repeated = (*outcome.repeated, said)
    bar.empty()
    return outcome


def _named(model: str) -> Renderers:
    if not model:
        raise FormatError("Give the folder or hub id of the model, or choose another way to get tokens.")
    return renderer_state.known_renderers(model)


def _help(connected: bool) -> str:
    if connected:
        return "Ids in the log are always used as they are; the rest is rendered as chosen here."
    return (
        "Ids in the log are used as they are. Known models have a renderer on the page Models; requests of others are"
        " compared by text. To render through a vLLM, connect to it on the page Live server."
    )
