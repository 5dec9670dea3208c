"""Where annotations stand is looked up once per state of the store, and anew where more is known of the tokens."""

import shutil
from pathlib import Path

import pytest
import streamlit as st

from analysis.model.annotation import Anchor
from analysis.pipeline.annotating import anchor_of_span
from app import notes_state, state
from tests.app.dashboard import key_of


def test_places_follow_the_store(samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = shutil.copy(samples, tmp_path / "places.duckdb")
    monkeypatch.setenv("WHYMISS_DB", str(database))
    key = int(key_of("02"))
    record = state.session(key)
    assert record is not None
    repository = state.repository()
    turn, ids = record.turns[6], state.full_ids(key)[7]
    made = anchor_of_span(turn, ids, state.token_bytes, 1239, 1248, repository.annotations.key())
    for anchor in (made, Anchor("session")):
        repository.annotations.add(key, anchor, "Ann", "text")
    first, second = notes_state.placed(record, key)
    assert (first.place.turn, first.place.start, first.place.stop) == (7, 1239, 1248)
    assert second.place.turn is None and not second.place.moved
    repository.transactions.connection.execute("DELETE FROM token_text")
    assert notes_state.placed(record, key)[0].place == first.place, "not looked up twice"
    notes_state.look_again()
    assert notes_state.placed(record, key)[0].place.moved, "its text is unknown now"
    repository.close()
    st.cache_resource.clear()


@pytest.mark.parametrize(
    ("user", "name"),
    [
        ({"is_logged_in": True, "name": "Ann Lee", "email": "a@x.example"}, "Ann Lee"),
        ({"is_logged_in": True, "name": "", "email": "a@x.example"}, "a@x.example"),
        ({"is_logged_in": True, "sub": "4711"}, "4711"),
        ({"is_logged_in": False, "name": "Ann Lee"}, "typed by me"),
        ({}, "typed by me"),
    ],
)
def test_who_writes(monkeypatch: pytest.MonkeyPatch, user: dict[str, object], name: str) -> None:
    monkeypatch.setattr(st, "user", user)
    monkeypatch.setattr(st, "session_state", {})
    assert notes_state.author() in (name, ""), "nobody has typed a name yet"
    notes_state.call_me("  typed   by me ")
    assert notes_state.author() == name
