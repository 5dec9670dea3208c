"""What leaves of a session, a case or a list is previewed, released text by text, and downloaded."""

import shutil
from pathlib import Path
from zlib import crc32

import pytest
from streamlit.testing.v1 import AppTest

from analysis.model.annotation import CaseText
from app import sharing, state
from tests.app.dashboard import Open, key_of, no_exception, words
from tests.sample_store import fill


@pytest.fixture
def prepared(visit: Open, tmp_path: Path) -> AppTest:
    database = tmp_path / "one.duckdb"
    fill(database, "03").close()
    shown = no_exception(visit("session", database, session="1"))
    return no_exception(toggle(shown).set_value(True).run())


def toggle(shown: AppTest, of: str = "this session"):  # type: ignore[no-untyped-def]
    return next(one for one in shown.toggle if one.label == f"Prepare a report of {of}")


def released(shown: AppTest):  # type: ignore[no-untyped-def]
    return [one for one in shown.multiselect if one.label == "Release single texts"]


def as_markdown(shown: AppTest, about: str = "1") -> AppTest:
    return no_exception(shown.segmented_control(key=f"share_as_{about}").set_value("Markdown").run())


def preview(shown: AppTest) -> str:
    (code,) = shown.code
    return str(code.value)


def test_nothing_is_made_before_it_is_asked_for(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("session", samples, session=key_of("03")))
    assert "A report is one file that can be mailed" in words(shown) and not released(shown)


def test_the_preview_is_redacted(prepared: AppTest) -> None:
    shown = as_markdown(prepared)
    assert "‹messages[0].content · A · HH:MM:SS (+1 s)›" in preview(shown) and "desk-chat" not in preview(shown)
    table = next(frame.value for frame in shown.dataframe if "In the report" in frame.value)
    assert dict(zip(table["In the report"], table["Stands for"], strict=True))["session A"] == "desk-chat-60417"


def test_a_text_is_released_by_itself_and_that_is_recorded(prepared: AppTest) -> None:
    shown = as_markdown(prepared)
    shown = no_exception(released(shown)[0].set_value(["session A"]).run())
    assert "## `desk-chat-60417`" in preview(shown) and "sample/agent" not in preview(shown)
    assert "Released one by one, and so readable here: session A." in preview(shown)


def test_narrower_scopes_warn(prepared: AppTest) -> None:
    shown = as_markdown(prepared)
    shown = no_exception(shown.selectbox(key="share_scope_1").set_value("nothing").run())
    assert "Text of the log is in this report." in words(shown) and "22:31:13" in preview(shown)
    wanted = "credentials, e-mail addresses and names that I give"
    shown = no_exception(shown.selectbox(key="share_scope_1").set_value(wanted).run())
    shown = no_exception(shown.text_area(key="share_names_1").set_value("desk-chat-60417\n\n").run())
    assert "desk-chat" not in preview(shown) and "Partly redacted" in preview(shown)


def test_names_of_models_can_be_kept(prepared: AppTest) -> None:
    shown = as_markdown(prepared)
    shown = no_exception(shown.checkbox(key="share_model_1").set_value(True).run())
    assert "sample/agent-8k" in preview(shown) and "desk-chat" not in preview(shown)


def test_a_case_leaves_as_it_is_previewed_and_a_change_of_it_is_seen(
    visit: Open, samples: Path, tmp_path: Path
) -> None:
    database = Path(shutil.copy(samples, tmp_path / "case.duckdb"))
    cases = state._open(str(database)).cases
    key = cases.create("Ann Lee", CaseText("Slow at Acme", "SUP-17", "", "It began with the release."))
    cases.take(key, int(key_of("03")), "before")
    shown = no_exception(visit("cases", database, case=str(key)))
    shown = as_markdown(no_exception(toggle(shown, "this case").set_value(True).run()), f"case_{key}")
    assert preview(shown).startswith("# Case report: `‹title · A · 12 characters›`")
    assert not [word for word in ("Acme", "Ann", "SUP", "release.") if word in preview(shown)]
    shown = no_exception(released(shown)[0].set_value(["‹title · A · 12 characters›"]).run())
    assert preview(shown).startswith("# Case report: `Slow at Acme`") and "Ann" not in preview(shown)
    cases.take(key, int(key_of("02")))
    assert "2 sessions" not in preview(shown) and "## All sessions" in preview(no_exception(shown.run()))


def test_a_list_is_shared_as_one_report(visit: Open, samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [int(key_of("03")), int(key_of("02"))]
    monkeypatch.setenv("WHYMISS_DB", str(samples))
    shown = no_exception(AppTest.from_function(_dialog, args=(keys,), default_timeout=60).run())
    about = f"list_{crc32(repr(keys).encode()):x}"
    assert "One report of 2 sessions." in words(shown)
    assert preview(as_markdown(shown, about)).startswith("# Prefix cache report: 2 sessions")
    monkeypatch.setattr(sharing, "MOST_SHARED", 1)
    assert "Only the first 1: 1 are left out." in words(no_exception(shown.run()))


def _dialog(session_keys: list[int]) -> None:
    from app.share_view import share_sessions

    share_sessions(session_keys)
