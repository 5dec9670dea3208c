"""The login: asked for where it is set up, and nowhere else."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.dashboard import no_exception, press, words
from tests.builders import ROOT


def opened(samples: Path, monkeypatch: pytest.MonkeyPatch, **secrets: object) -> AppTest:
    monkeypatch.setenv("WHYMISS_DB", str(samples))
    shown = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=60)
    for name, value in secrets.items():
        shown.secrets[name] = value
    return no_exception(shown.run())


def test_without_a_set_up_there_is_none(samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [title.value for title in opened(samples, monkeypatch).title] == ["Sessions"]


def test_nothing_is_shown_before_the_login(samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = opened(samples, monkeypatch, auth={"client_id": "whymiss"})
    assert [title.value for title in shown.title] == ["Whymiss"]
    assert not shown.dataframe and [button.label for button in shown.button] == ["Log in"]
    assert "Sessions are shown to those who log in." in words(shown)


def test_what_is_missing_for_it_is_said(samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamlit.user_info.is_authlib_installed", lambda: False)
    shown = press(opened(samples, monkeypatch, auth={"client_id": "whymiss"}), "Log in")
    assert 'pip install "whymiss[auth]"' in words(shown)
