"""The name of who writes, as the browser sends it back, and who is asked for it."""

from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st

from app import notes_state, own_name, visitors
from app.note_text import MOST_IN_A_LINE


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ({"name": "Ann"}, "Ann"),
        ({"name": "  Ann \n Lee "}, "Ann Lee"),
        ({"name": "x" * 9999}, "x" * MOST_IN_A_LINE),
        ({"name": "Ann \ud800"}, "Ann ?"),
        ({"name": None}, ""),
        ({"name": ["Ann"]}, ""),
        ({}, ""),
        (None, ""),
        ("Ann", ""),
    ],
)
def test_what_the_browser_sends_is_a_name_or_nothing(sent: object, name: str) -> None:
    assert own_name.kept_in(sent) == name


class Browser:
    """The component as the page mounts it: what it is given, and what it says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, user: dict[str, Any]) -> None:
        self.given: list[dict[str, object]] = []
        monkeypatch.setattr(st, "user", user)
        monkeypatch.setattr(st, "session_state", {})
        monkeypatch.setattr(own_name, "_component", lambda: self.mounted)

    def mounted(self, data: dict[str, object], on_name_change: Any, **_more: object) -> SimpleNamespace:
        self.given.append(data)
        self.say = on_name_change
        return SimpleNamespace()

    def sends(self, name: str) -> str:
        """The run after the browser said which name it keeps; the name that is written with then."""
        own_name.remember_name()
        st.session_state[own_name.KEY] = {"name": name}
        self.say()
        return notes_state.author()


def test_a_name_that_was_kept_is_taken_up_and_kept_on(monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Browser(monkeypatch, {})
    assert browser.sends("Ann") == "Ann"
    own_name.remember_name()
    asks = st.session_state[own_name.ASKS]
    assert asks and browser.given == [
        {"name": "", "forget": False, "asks": asks},
        {"name": "Ann", "forget": False, "asks": asks},
    ]


def test_each_browser_session_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    first = Browser(monkeypatch, {})
    own_name.remember_name()
    second = Browser(monkeypatch, {})  # as after a restart of the server
    own_name.remember_name()
    assert first.given[0]["asks"] != second.given[0]["asks"]


def test_a_name_that_was_given_here_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Browser(monkeypatch, {})
    notes_state.call_me("Bob")
    assert browser.sends("Ann") == "Bob"


def test_a_name_that_was_taken_back_does_not_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Browser(monkeypatch, {})
    notes_state.call_me("")
    assert browser.sends("Ann") == "" and [one["forget"] for one in browser.given] == [True]


def test_who_is_logged_in_or_only_reads_has_no_name_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Browser(monkeypatch, {"is_logged_in": True, "name": "Ann"})
    own_name.remember_name()
    monkeypatch.setattr(st, "user", {})
    monkeypatch.setenv(visitors.READ_ONLY, "1")
    own_name.remember_name()
    assert browser.given == []
