"""The login: asked for where it is set up, and nowhere else; what is wrong with it keeps the dashboard shut."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit import config
from streamlit.testing.v1 import AppTest

from app import login
from tests.app.dashboard import no_exception, press, words
from tests.builders import ROOT

AUTH = {"client_id": "whymiss"}


class User(dict[str, Any]):
    """Who is logged in, as Streamlit has it."""

    def to_dict(self) -> dict[str, Any]:
        return dict(self)


@pytest.fixture(autouse=True)
def nobody_was_here() -> Iterator[None]:
    """What the process keeps of logins is not that of another test."""
    yield
    login._kept.is_asked = False
    login._kept.ended.clear()


@pytest.fixture
def ann(monkeypatch: pytest.MonkeyPatch) -> User:
    found = User(is_logged_in=True, name="Ann *Lee*", nonce="1")
    monkeypatch.setattr(st, "user", found)
    monkeypatch.setattr(st, "logout", lambda: None)
    return found


@pytest.fixture
def secrets(tmp_path: Path) -> Iterator[Path]:
    """The one secrets file that Streamlit looks for."""
    before = config.get_option("secrets.files")
    config.set_option("secrets.files", [str(tmp_path / "secrets.toml")])
    yield tmp_path / "secrets.toml"
    config.set_option("secrets.files", before)


def opened(samples: Path, monkeypatch: pytest.MonkeyPatch, **secrets: object) -> AppTest:
    monkeypatch.setenv("WHYMISS_DB", str(samples))
    shown = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=60)
    for name, value in secrets.items():
        shown.secrets[name] = value
    return no_exception(shown.run())


def titles(shown: AppTest) -> list[str]:
    return [title.value for title in shown.title]


def test_without_a_set_up_there_is_none(samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = opened(samples, monkeypatch)
    assert titles(shown) == ["Sessions"]
    assert "Log out" not in [button.label for button in shown.button]


def test_nothing_is_shown_before_the_login(samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = opened(samples, monkeypatch, auth=AUTH)
    assert titles(shown) == ["Whymiss"]
    assert not shown.dataframe and [button.label for button in shown.button] == ["Log in"]
    assert "Sessions are shown to those who log in." in words(shown)


@pytest.mark.parametrize(
    ("auth", "labels"),
    [
        pytest.param({"client_kwargs": {"prompt": "login"}}, ["Log in"], id="unnamed"),
        pytest.param({"google": AUTH, "okta": AUTH}, ["Log in with google", "Log in with okta"], id="named"),
        pytest.param({**AUTH, "okta": AUTH}, ["Log in", "Log in with okta"], id="both"),
    ],
)
def test_every_provider_has_a_button(
    samples: Path, monkeypatch: pytest.MonkeyPatch, auth: dict[str, object], labels: list[str]
) -> None:
    assert [button.label for button in opened(samples, monkeypatch, auth=auth).button] == labels


def test_what_is_missing_for_it_is_said(samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamlit.user_info.is_authlib_installed", lambda: False)
    shown = press(opened(samples, monkeypatch, auth=AUTH), "Log in")
    assert 'pip install "whymiss[auth]"' in words(shown)
    monkeypatch.setattr("streamlit.user_info.is_authlib_installed", lambda: True)
    assert "you need to configure credentials for at least one" in words(press(shown, "Log in"))


def test_a_secrets_file_that_cannot_be_read_lets_nobody_in(
    samples: Path, monkeypatch: pytest.MonkeyPatch, secrets: Path
) -> None:
    secrets.write_text('[auth\nclient_id = "whymiss"', "utf-8")
    shown = opened(samples, monkeypatch)
    assert not titles(shown) and f"Error parsing secrets file at {secrets}" in words(shown)
    assert "line 1" in words(shown) and "Nobody is let in until that is mended." in words(shown)
    secrets.unlink()
    secrets.mkdir()
    shown = opened(samples, monkeypatch)
    assert not titles(shown) and "secrets.toml cannot be read: " in words(shown)
    secrets.rmdir()
    assert titles(opened(samples, monkeypatch)) == ["Sessions"]


def test_a_login_that_was_asked_for_does_not_go_away(samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(samples, monkeypatch, auth=AUTH)
    st.cache_resource.clear()  # as the protocol of a window lets anybody do, before any login
    shown = opened(samples, monkeypatch, other="left")
    assert not titles(shown) and "is gone from secrets.toml" in words(shown)


def test_who_logs_out_is_out_in_every_window(samples: Path, monkeypatch: pytest.MonkeyPatch, ann: User) -> None:
    here, there = (opened(samples, monkeypatch, auth=AUTH) for _ in range(2))
    way_out = next(button for button in here.button if button.label == "Log out")
    assert way_out.help == r"You are logged in as Ann \*Lee\*."
    copied = login.while_logged_in(lambda: b"all of it")
    assert copied() == b"all of it"
    assert titles(press(here, "Log out")) == []
    assert titles(there.run()) == ["Whymiss"]
    st.cache_resource.clear()
    assert titles(there.run()) == ["Whymiss"], "whoever empties the caches of the server ends no log-out"
    with pytest.raises(PermissionError, match="logged out"):
        copied()
    ann["nonce"] = "2"  # another login of the same person
    assert titles(there.run()) == ["Sessions"]
