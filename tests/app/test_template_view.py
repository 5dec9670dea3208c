"""The page that checks a chat template: from the sample model, a text, a folder and a live server."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextInput

from analysis.pipeline.template_check import check_model, check_template
from app.template_view import MODEL, SEEN_IN, SERVER, TEXT, behaviour_table, visible
from tests.app.dashboard import Open, no_exception, press, words
from tests.builders import SAMPLE_MODEL
from tests.template_server import TemplateServer

SAMPLE = (SAMPLE_MODEL / "chat_template.jinja").read_text("utf-8")
STRIPS = "Not pure: earlier reasoning (dropped at a new user turn). preserve_reasoning=true cures 1 of 1."


def opened(visit: Open, database: Path, source: str) -> AppTest:
    shown = no_exception(visit("template", database))
    return no_exception(shown.radio[0].set_value(source).run())


def field(shown: AppTest) -> TextInput:
    """Where a folder or an address is typed."""
    return shown.text_input[1]


def named(visit: Open, database: Path, source: str, name: str) -> AppTest:
    shown = opened(visit, database, source)
    field(shown).set_value(name)
    return press(shown, "Check")


def test_the_sample_model_is_checked_at_once(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("template", samples))
    assert not shown.error and STRIPS in words(shown)
    table = shown.dataframe[0].value.set_index("Behaviour")
    assert len(table) == 11
    assert table.loc["Earlier reasoning", "Verdict"] == "✗ not pure"
    assert table.loc["Earlier reasoning", "Cured by"] == "preserve_reasoning=true"
    shared, old, new = (block.value for block in shown.code)
    assert shared.endswith("<|im_start|>assistant↵") and new.startswith("<tool_call>")
    assert old.startswith("<think>↵\nPerhaps page seven names the lamp.")
    assert "Cured by preserve_reasoning=true in chat_template_kwargs of every request." in words(shown)


def test_arguments_of_every_request(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("template", samples))
    no_exception(shown.text_input[0].set_value('{"preserve_reasoning": true}').run())
    assert "Pure: a growing conversation only grows, in 11 of 11 probes." in words(shown)
    no_exception(shown.text_input[0].set_value("preserve").run())
    assert "not a JSON object" in words(shown) and not shown.dataframe


def test_a_pasted_template(visit: Open, samples: Path) -> None:
    shown = opened(visit, samples, TEXT)
    assert shown.info and not shown.dataframe
    no_exception(shown.text_area[0].set_value(SAMPLE).run())
    assert STRIPS in words(shown)
    no_exception(shown.text_area[0].set_value("{% if %}").run())
    (error,) = shown.error
    assert "cannot be compiled" in error.value and not shown.dataframe


def test_what_a_template_prints_is_not_formatted(visit: Open, samples: Path) -> None:
    hostile = "{{ raise_exception('<b>:red[x] ![a](http://evil)') if messages | length > 2 }}" + SAMPLE
    shown = opened(visit, samples, TEXT)
    no_exception(shown.text_area[0].set_value(hostile).run())
    assert r"\<b\>\:red\[x\]" in shown.subheader[0].value


def test_a_model_folder(visit: Open, samples: Path, tmp_path: Path) -> None:
    shown = named(visit, samples, MODEL, str(SAMPLE_MODEL))
    assert not shown.error and STRIPS in words(shown)
    assert STRIPS in words(no_exception(shown.run())), "a rerun keeps the answer"
    field(shown).set_value(str(tmp_path / "none"))
    press(shown, "Check")
    assert len(shown.error) == 1 and STRIPS not in words(shown)


@pytest.mark.parametrize("source", [MODEL, SERVER])
def test_a_name_is_asked_for(visit: Open, samples: Path, source: str) -> None:
    (error,) = named(visit, samples, source, " ").error
    assert error.value.startswith("Give the")


def test_a_live_server(visit: Open, samples: Path) -> None:
    with TemplateServer(SAMPLE) as server:
        shown = named(visit, samples, SERVER, server.url)
    assert not shown.error and STRIPS in words(shown)
    assert "only well-known template arguments were tried" in words(shown)


def test_a_live_server_that_is_not_there(visit: Open, samples: Path) -> None:
    (error,) = named(visit, samples, SERVER, "127.0.0.1:9").error
    assert "refused the connection" in error.value.replace("\\", "")


def test_the_table_gives_the_templates_own_words() -> None:
    refusing = "{% if tools %}{{ raise_exception('no tools here') }}{% endif %}" + SAMPLE
    rows = behaviour_table(check_template("x", refusing)).set_index("Behaviour")
    assert rows.loc["Tool loop", "Verdict"] == "! raises"
    assert "no tools here" in rows.loc["Tool loop", SEEN_IN]
    kept = behaviour_table(check_model(str(SAMPLE_MODEL))).set_index("Behaviour")
    assert kept.loc["Date"].tolist() == ["✓ pure", "none printed", "", "with a tool loop"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("a b", "a b", id="as it is"),
        pytest.param("\na\n", "↵\na↵\n", id="ends of lines"),
        pytest.param("  a ", "··a·", id="blanks at the ends"),
        pytest.param("  ", "··", id="only blanks"),
        pytest.param("\x1b[31m", "\\x1b[31m", id="controls"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_what_a_code_block_would_drop_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown
