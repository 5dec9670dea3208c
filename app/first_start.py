"""The very first start on a database: the sample sessions are analysed, so that there is something to look at.

They come again into one that was emptied, when somebody asks for them.
"""

from threading import Lock

from analysis.pipeline.importing import Progress, analyse_source, store
from analysis.pipeline.sources import read_source
from app import places, renderer_state, state, visitors

_seeding = Lock()


def needs_samples() -> bool:
    """Whether this is the very first start on this database."""
    return visitors.may_write() and state.repository().untouched()


def fill_with_samples(progress: Progress) -> None:
    """Into a database without logs, put the sample sessions; each is the history of a server of its own.

    Streamlit may end the run at any report of progress, as on a reload of the page: nothing is stored before the last.
    """
    with _seeding:
        kept = state.repository()
        if not kept.imports().empty:
            return
        logs = places.sample_logs()
        renderers = renderer_state.known_renderers()
        analysed = []
        for done, path in enumerate(logs, 1):
            analysed.append(analyse_source(read_source(path), renderers, places.sample_settings(path)))
            progress("sample sessions analysed", done, len(logs))
        for one in analysed:
            store(one, renderers, kept)
