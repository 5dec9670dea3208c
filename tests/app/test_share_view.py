"""The report of a session, a case or a list: one click away, previewed, released text by text, and downloaded."""

import shutil
from pathlib import Path
from zlib import crc32

import pytest
from streamlit.testing.v1 import AppTest

from analysis.model.annotation import CaseText
from app import sharing, state
from tests.app.dashboard import Open, key_of, no_exception, press, words
from tests.sample_store import fill


@pytest.fixture
def prepared(visit: Open, tmp_path: Path) -> AppTest:
    database = tmp_path / "one.duckdb"
    fill(database, "03").close()
    return press(no_exception(visit("session", database, session="1")), "Share")


def released(shown: AppTest):  # type: ignore[no-untyped-def]
    return [one for one in shown.multiselect if one.label == "Release single texts"]


def as_markdown(shown: AppTest, about: str = "1") -> AppTest:
    """The same as Markdown: a whole run closes a dialog, so the button that opens it is pressed along."""
    shown.segmented_control(key=f"share_as_{about}").set_value("Markdown")
    return press(shown, "Share")


def preview(shown: AppTest) -> str:
    (code,) = shown.code
    return str(code.value)


def test_nothing_is_made_before_it_is_asked_for(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("session", samples, session=key_of("03")))
    assert not released(shown) and not shown.get("iframe")
    shown = press(shown, "Share")
    assert "No text of the log is in it" in words(shown) and released(shown) and shown.get("iframe")


def test_the_preview_is_redacted(prepared: AppTest) -> None:
    shown = as_markdown(prepared)
    assert "‹messages[0].content · A · HH:MM:SS (+1 s)›" in preview(shown) and "desk-chat" not in preview(shown)
    table = next(frame.value for frame in shown.dataframe if "In the report" in frame.value)
    assert dict(zip(table["In the report"], table["Stands for"], strict=True))["session A"] == "desk-chat-60417"


def test_a_text_is_released_by_itself_and_that_is_recorded(prepared: AppTest) -> None:
    shown = as_markdown(prepared)
    released(shown)[0].set_value(["session A"])
    shown = press(shown, "Share")
    assert "## `desk-chat-60417`" in preview(shown) and "sample/agent" not in preview(shown)
    assert "Released one by one, and so readable here: session A." in preview(shown)
    assert "Text of the log is in this report." in words(shown)


def test_narrower_scopes_warn(prepared: AppTest) -> None:
    shown = as_markdown(prepared)
    shown.selectbox(key="share_scope_1").set_value("nothing")
    shown = press(shown, "Share")
    assert "Text of the log is in this report." in words(shown) and "22:31:13" in preview(shown)
    wanted = "credentials, e-mail addresses and names that I give"
    shown.selectbox(key="share_scope_1").set_value(wanted)
    shown = press(shown, "Share")
    shown.text_area(key="share_names_1").set_value("desk-chat-60417\n\n")
    shown = press(shown, "Share")
    assert "desk-chat" not in preview(shown) and "Partly redacted" in preview(shown)


def test_names_of_models_can_be_kept(prepared: AppTest) -> None:
    shown = as_markdown(prepared)
    shown.checkbox(key="share_model_1").set_value(True)
    shown = press(shown, "Share")
    assert "sample/agent-8k" in preview(shown) and "desk-chat" not in preview(shown)
    assert "No text of the log is in it but the names of models" in words(shown)


def test_a_case_leaves_as_it_is_previewed_and_a_change_of_it_is_seen(
    visit: Open, samples: Path, tmp_path: Path
) -> None:
    database = Path(shutil.copy(samples, tmp_path / "case.duckdb"))
    cases = state._open(str(database)).cases
    key = cases.create("Ann Lee", CaseText("Slow at Acme", "SUP-17", "", "It began with the release."))
    cases.take(key, int(key_of("03")), "before")
    shown = as_markdown(press(no_exception(visit("cases", database, case=str(key))), "Share"), f"case_{key}")
    assert preview(shown).startswith("# Case report: `‹title · A · 12 characters›`")
    assert not [word for word in ("Acme", "Ann", "SUP", "release.") if word in preview(shown)]
    said = "The story that was written about this case is hidden in it: ‹narrative · B · 26 characters›. Whoever"
    assert said in preview(shown).replace("\\", "").replace("`", ""), "in the file, and beside the button"
    assert any(said in one.value.replace("\\", "") for one in shown.caption)
    released(shown)[0].set_value(["‹title · A · 12 characters›"])
    shown = press(shown, "Share")
    assert preview(shown).startswith("# Case report: `Slow at Acme`") and "Ann" not in preview(shown)
    released(shown)[0].set_value(["‹narrative · B · 26 characters›"])
    shown = press(shown, "Share")
    assert "It began with the release." in preview(shown) and "is hidden in it" not in preview(shown) + words(shown)
    cases.take(key, int(key_of("02")))
    assert "## All sessions" not in preview(shown) and "## All sessions" in preview(press(shown, "Share"))


def test_a_list_is_shared_as_one_report(visit: Open, samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [int(key_of("03")), int(key_of("02"))]
    monkeypatch.setenv("WHYMISS_DB", str(samples))
    shown = no_exception(AppTest.from_function(_dialog, args=(keys,), default_timeout=60).run())
    assert "One report of 2 sessions." in words(shown)
    shown.segmented_control(key=f"share_as_list_{crc32(repr(keys).encode()):x}").set_value("Markdown")
    assert preview(no_exception(shown.run())).startswith("# Prefix cache report: 2 sessions")
    monkeypatch.setattr(sharing, "MOST_SHARED", 1)
    assert "Only the first 1 are in it: 1 are left out." in words(no_exception(shown.run()))


def _dialog(session_keys: list[int]) -> None:
    from app.share_view import share_sessions

    share_sessions(session_keys)
