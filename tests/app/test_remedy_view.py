"""The fix right below the verdict, and what is said where no text changed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.model.settings import Settings
from analysis.pipeline.importing import analyse_source, store
from analysis.pipeline.record import figures
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.sources import LogFile, Source
from analysis.store.repository import Repository
from app.remedy_view import NOTHING_CHANGED, only_grows
from tests.app.dashboard import Open, key_of, no_exception, words
from tests.builders import assistant, user
from tests.sample_store import record_of, sample, text_record


def test_the_page_says_the_cause_whose_it_is_and_the_fix_without_a_code(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("session", samples, session=key_of("06")))
    boxes = [said for one in shown.markdown if " requests, " in (said := one.value.replace("\\", ""))]
    assert len(boxes) == 3
    assert boxes[0] == (
        "**1. A time stands in the prompt.** 8 of 9 requests, 11,677 of 15,742 tokens computed again for it."
        " It comes from the client, the program that sends the requests.  \n**Fix:** Pin the time to the start of the"
        " session, or write it into the newest message of the user. Tried on the whole session, this saves"
        " 11,600 tokens."
    )
    assert "It comes from the client.  \n**Fix:** Sort the tools by name." in boxes[1], "explained once"
    assert "Seen first in turn 2: a time differs: “clock: 2026-11-29T14:20:35Z” now" in words(shown)


def test_figures_that_cannot_be_trusted_lead_to_no_fix(visit: Open, tmp_path: Path) -> None:
    record = record_of("06")
    wrong = replace(record, turns=tuple(replace(turn, fidelity="mismatch") for turn in record.turns))
    repository = Repository.open(tmp_path / "wrong.duckdb")
    store(replace(sample("06"), records=(wrong,)), Renderers(), repository)
    repository.close()
    said = words(no_exception(visit("session", tmp_path / "wrong.duckdb", session="1")))
    assert "the figures cannot be trusted" in said and "It comes from" not in said


def test_requests_that_only_grow_are_said_to(visit: Open, tmp_path: Path) -> None:
    history = [user("hi"), assistant("hello"), user("and now?")]
    lines = [{"session_id": "s", "request": {"model": "m", "messages": history[:end]}} for end in (1, 3)]
    source = Source("a.jsonl", (LogFile("a.jsonl", "\n".join(map(json.dumps, lines)).encode()),))
    repository = Repository.open(tmp_path / "grows.duckdb")
    store(analyse_source(source, Renderers(), Settings()), Renderers(), repository)
    repository.close()
    assert NOTHING_CHANGED in words(no_exception(visit("session", tmp_path / "grows.duckdb", session="1")))


@pytest.mark.parametrize(
    "change",
    [{"text_changes": 1}, {"text_meant": 1}, {"text_replies": 1}, {"short_turns": (2,)}, {"headless_turns": 1},
     {"unknown_turns": 3}, {"text_turns": 2}, {"text_turns": 0}],
)  # fmt: skip
def test_anything_else_than_growth_is_not_called_so(change: dict[str, object]) -> None:
    grown = replace(
        figures(text_record()), text_changes=0, text_meant=0, text_replies=0, short_turns=(), headless_turns=0
    )
    assert grown.num_turns == 4 and only_grows(grown)
    assert not only_grows(replace(grown, **change))  # type: ignore[arg-type]
