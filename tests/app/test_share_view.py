"""The report of a session: one click from its page, previewed, released text by text, and downloaded."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.dashboard import Open, key_of, no_exception, press, words
from tests.sample_store import fill


@pytest.fixture
def prepared(visit: Open, tmp_path: object) -> AppTest:
    database = tmp_path / "one.duckdb"  # type: ignore[operator]
    fill(database, "03").close()
    return press(no_exception(visit("session", database, session="1")), "Share")


def released(shown: AppTest):  # type: ignore[no-untyped-def]
    return [one for one in shown.multiselect if one.label == "Release single texts"]


def as_markdown(shown: AppTest) -> AppTest:
    """The same as Markdown: a whole run closes a dialog, so the button that opens it is pressed along."""
    shown.segmented_control(key="share_as_1").set_value("Markdown")
    return press(shown, "Share")


def preview(shown: AppTest) -> str:
    (code,) = shown.code
    return str(code.value)


def test_nothing_is_made_before_it_is_asked_for(visit: Open, samples: object) -> None:
    shown = no_exception(visit("session", samples, session=key_of("03")))
    assert not released(shown) and not shown.get("iframe")
    shown = press(shown, "Share")
    assert "No text of the log is in it" in words(shown) and released(shown) and shown.get("iframe")


def test_the_preview_is_redacted(prepared: AppTest) -> None:
    shown = as_markdown(prepared)
    assert "‹messages[0].content · A · HH:MM:SS (+1 s)›" in preview(shown) and "desk-chat" not in preview(shown)
    table = next(frame.value for frame in shown.dataframe if "In the report" in frame.value)
    assert dict(zip(table["In the report"], table["In the log"], strict=True))["session A"] == "desk-chat-60417"


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
