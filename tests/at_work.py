"""People who write into a store while logs are imported into it: a program to be killed.  Says what was acknowledged.

``python -m tests.at_work DATABASE LIFE LOG…``: each line is a kind and a text that begins with the number of this life.
"""

import os
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from analysis.model.annotation import Anchor
from analysis.model.desk import MarkChange
from analysis.model.settings import Settings
from analysis.pipeline import importing, resuming
from analysis.pipeline.sources import read_source
from analysis.store.repository import Repository
from tests.sample_store import sample_renderers

SESSION = 1


def work(store: Repository, life: str, logs: Sequence[Path]) -> None:
    """Note, mark and write a case without end, each in a thread, and import the logs meanwhile."""
    writers: dict[str, Callable[[str], object]] = {
        "note": lambda text: store.annotations.add(SESSION, Anchor("session"), "ann", text),
        "mark": lambda text: store.desk.change_marks([SESSION], MarkChange(added=(text,))),
        "case": lambda text: _change_case(store, text),
    }
    for kind, write in writers.items():
        threading.Thread(target=_without_end, args=(kind, life, write), daemon=True).start()
    resuming.LARGE_IMPORT = 0  # what is rendered is kept at once
    for number, log in enumerate(logs):
        source, settings, renderers = read_source(log), Settings(16, "given"), sample_renderers()
        if not importing.already_stored(source, renderers, settings, store):
            importing.import_source(source, renderers, settings, store)
        _say("import", f"{number}")
    threading.Event().wait()


def _without_end(kind: str, life: str, write: Callable[[str], object]) -> None:
    for number in count():
        write(f"{life}.{number}")
        _say(kind, f"{life}.{number}")


def _change_case(store: Repository, text: str) -> None:
    case = store.cases.one(1)
    assert case is not None
    store.cases.change(case.key, case.last.number, "ann", replace(case.text, narrative=text))


def _say(kind: str, text: str) -> None:
    os.write(1, f"{kind} {text}\n".encode())  # in one piece: several threads say something


if __name__ == "__main__":
    work(Repository.open(sys.argv[1]), sys.argv[2], [Path(name) for name in sys.argv[3:]])
