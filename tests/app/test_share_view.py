"""The end of the session page: what leaves is previewed, released text by text, and downloaded."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.dashboard import Open, key_of, no_exception, words
from tests.sample_store import fill


@pytest.fixture
def prepared(visit: Open, tmp_path: object) -> AppTest:
    database = tmp_path / "one.duckdb"  # type: ignore[operator]
    fill(database, "03").close()
    shown = no_exception(visit("session", database, session="1"))
    return no_exception(toggle(shown).set_value(True).run())


def toggle(shown: AppTest):  # type: ignore[no-untyped-def]
    return next(one for one in shown.toggle if one.label == "Prepare a report of this session")


def released(shown: AppTest):  # type: ignore[no-untyped-def]
    return [one for one in shown.multiselect if one.label == "Release single texts"]


def as_markdown(shown: AppTest) -> AppTest:
    return no_exception(shown.segmented_control(key="share_as_1").set_value("Markdown").run())


def preview(shown: AppTest) -> str:
    (code,) = shown.code
    return str(code.value)


def test_nothing_is_made_before_it_is_asked_for(visit: Open, samples: object) -> None:
    shown = no_exception(visit("session", samples, session=key_of("03")))
    assert "A report is one file that can be mailed" in words(shown) and not released(shown)


def test_the_preview_is_redacted(prepared: AppTest) -> None:
    shown = as_markdown(prepared)
    assert "‹messages[0].content · A · HH:MM:SS (+1 s)›" in preview(shown) and "desk-chat" not in preview(shown)
    table = next(frame.value for frame in shown.dataframe if "In the report" in frame.value)
    assert dict(zip(table["In the report"], table["In the log"], strict=True))["session A"] == "desk-chat-60417"


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
