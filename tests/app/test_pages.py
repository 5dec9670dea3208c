"""Every page in Streamlit's own test runner: with and without data, with odd addresses, with what goes wrong.

The canvas and the charts are not seen here; they have tests of their own.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from analysis.model.session import Problem
from analysis.model.settings import Settings
from analysis.pipeline.importing import analyse_source, store
from analysis.pipeline.renderers import Renderers
from analysis.store.repository import Repository
from app import state
from app.desk_table import IF_ANY, SHOWN
from app.session_table import short
from tests.app.dashboard import (
    SESSIONS,
    Open,
    cards,
    key_of,
    no_exception,
    press,
    tables_of_sessions,
    without_tokens,
    words,
)
from tests.builders import ROOT, SAMPLES
from tests.replay_server import ReplayServer, exchange
from tests.sample_store import analysed_samples, fill, record_of, sample

KEYS = dict(enumerate((record.session_id for record in SESSIONS), 1))
PAGES = ("sessions", "session", "cases", "sets", "models", "compare", "template", "live")


def test_the_first_start_fills_in_the_samples_and_only_the_first(visit: Open, tmp_path: Path) -> None:
    database = tmp_path / "first.duckdb"
    shown = no_exception(visit("sessions", database))
    (table,) = tables_of_sessions(shown)
    assert set(table.value.session_id) == set(KEYS.values())
    assert shown.metric[0].value == str(len(SESSIONS)) and "These are samples" in words(shown)
    repository = state._open(str(database))
    for key in repository.imports().import_key:
        repository.delete(int(key))
    again = no_exception(visit("sessions", database))
    assert not again.dataframe and "No session is stored" in words(again)


@pytest.mark.parametrize("page", PAGES)
def test_a_store_without_sessions(visit: Open, tmp_path: Path, page: str) -> None:
    repository = fill(tmp_path / "empty.duckdb", "03")
    repository.delete(1)
    repository.close()
    shown = no_exception(visit(page, tmp_path / "empty.duckdb"))
    assert not shown.error and shown.info, "an empty page says what to do next"


@pytest.mark.parametrize("key", KEYS, ids=KEYS.values())
def test_every_sample_session_opens(visit: Open, samples: Path, key: int) -> None:
    shown = no_exception(visit("session", samples, session=str(key)))
    assert not shown.error and KEYS[key] in words(shown)
    assert [metric.label for metric in shown.metric] == [
        "Turns", "Prompt tokens", "Hit rate (reported)", "Predicted reuse", "Missed", "Lost",
    ]  # fmt: skip
    turns = next(frame.value for frame in shown.dataframe if "Divergence" in frame.value)
    assert len(turns) == len(SESSIONS[key - 1].turns)


def test_a_picked_turn_is_the_one_that_is_compared(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("session", samples, session=key_of("02"), turn="13", block="0"))
    assert "Turn 13 leaves turn 12 at token 2,168" in words(shown)
    assert "shown: block 0" in words(shown)


def test_without_a_pick_the_first_divergence_is_shown(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("session", samples, session=key_of("02")))
    assert "Turn 7 leaves turn 6 at token 1,239 (block 77)" in words(shown)
    assert "2,168 prompt tokens = 1,232 cached + 0 missed + 7 rounding + 890 lost + 39 new" in words(shown)


@pytest.mark.parametrize(
    "address",
    [
        pytest.param({"turn": "abc"}, id="no number"),
        pytest.param({"turn": "99999"}, id="no such turn"),
        pytest.param({"turn": "7", "block": "-1"}, id="negative block"),
        pytest.param({"turn": "7", "block": "9" * 40}, id="a block beyond every number"),
        pytest.param({"turn": "7", "block": "99999"}, id="a block behind the prompt"),
        pytest.param({"turn": "", "block": ""}, id="empty"),
        pytest.param({"turn": "٧", "block": "²"}, id="digits of other scripts"),
        pytest.param({"turn": "<script>", "block": "'\"&"}, id="markup"),
    ],
)
def test_an_odd_place_in_the_address_lands_on_a_turn_all_the_same(
    visit: Open, samples: Path, address: dict[str, str]
) -> None:
    shown = no_exception(visit("session", samples, session=key_of("02"), **address))
    assert not shown.error and "Turn 7 leaves turn 6" in words(shown)


@pytest.mark.parametrize("key", ["99999", "0", "abc", "-1", "", "9" * 30, "1; DROP TABLE sessions"])
def test_an_unknown_session_points_to_the_list(visit: Open, samples: Path, key: str) -> None:
    shown = no_exception(visit("session", samples, session=key))
    (note,) = shown.info
    assert "Pick one on the page Sessions." in note.value
    assert not shown.metric


def test_a_session_that_was_opened_is_found_again(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("session", samples, session="3"))
    shown.switch_page("../pages/models.py").run()
    shown.query_params.clear()
    shown.switch_page("../pages/session.py").run()
    assert KEYS[3] in words(no_exception(shown))


def test_a_server_that_did_not_report_is_said_with_the_remedy(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("session", samples, session=key_of("12")))
    figures = cards(shown)
    assert (figures["Hit rate (reported)"], figures["Missed"]) == ("?", "?")
    assert "--enable-prompt-tokens-details" in words(shown)


def test_ids_without_a_tokenizer_are_shown_and_can_be_named(visit: Open, tmp_path: Path) -> None:
    database = tmp_path / "ids.duckdb"
    repository = Repository.open(database)
    source = sample("02").source
    store(analyse_source(source, Renderers(), Settings(16, "given")), Renderers(), repository)
    repository.close()
    shown = no_exception(visit("session", database, session="1"))
    assert "The tokens are shown by id: no tokenizer for the model" in words(shown)
    field = next(one for one in shown.text_input if one.label.startswith("Folder with tokenizer"))
    next(one for one in shown.button if one.label == "Show as text").click().run()
    assert [error.value for error in shown.error] == ["Give the folder or hub id of the model first."]
    field.set_value(str(tmp_path / "none")).run()
    next(one for one in shown.button if one.label == "Show as text").click().run()
    assert not shown.exception and len(shown.error) == 1
    next(one for one in shown.text_input if one.label.startswith("Folder with")).set_value(
        str(ROOT / "sample_sessions" / "model")
    ).run()
    next(one for one in shown.button if one.label == "Show as text").click().run()
    assert not no_exception(shown).error and "shown by id" not in words(shown)


def test_turns_without_tokens_have_a_page_of_their_counts(visit: Open, tmp_path: Path) -> None:
    database = without_tokens(tmp_path)
    shown = no_exception(visit("session", database, session="1"))
    assert "1 of 1 request changes earlier text, on purpose." in words(shown)
    assert "For tokens and blocks choose a renderer for m on the page Models." in words(shown)
    no_exception(visit("sessions", database))


def test_untrusted_names_are_shown_as_they_are(visit: Open, tmp_path: Path) -> None:
    record = replace(record_of("03"), session_id="![x](file:///b.png) <b>$x$</b>", source=":red[s]", model="**m**")
    analysed = replace(sample("03"), records=(record,))
    repository = Repository.open(tmp_path / "named.duckdb")
    store(analysed, Renderers(), repository)
    repository.close()
    shown = no_exception(visit("session", tmp_path / "named.duckdb", session="1"))
    (header,) = shown.header
    assert header.value == r"\!\[x\]\(file\:\/\/\/b\.png\) \<b\>\$x\$\<\/b\>"


def test_the_address_narrows_the_table_to_a_log(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("sessions", samples, source=SAMPLES[2].name))
    assert tables_of_sessions(shown)[0].value.source.tolist() == [SAMPLES[2].name]
    assert f"source: {SAMPLES[2].name}" in words(shown)


def test_the_search_narrows_the_table(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("sessions", samples))
    assert len(tables_of_sessions(shown)[0].value) == len(SESSIONS)
    no_exception(shown.text_input[0].set_value("chat-88 13-shared").run())
    assert len(tables_of_sessions(shown)[0].value) == 5
    no_exception(shown.text_input[0].set_value("[no](such)").run())
    assert "None of 24 sessions passes the filters and the search." in words(shown)


def test_causes_are_ranked_and_one_of_them_narrows_the_table(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("sessions", samples))
    (causes,) = (frame for frame in shown.dataframe if "words" in frame.value)
    ranked = causes.value.set_index("code")
    assert ranked.tokens["key/cache-salt"] == 8_480 and ranked.sessions["capacity/eviction"] == 2
    shown.session_state["causes_0"] = {"selection": {"rows": [list(ranked.index).index("capacity/eviction")]}}
    no_exception(shown.run())
    assert {*tables_of_sessions(shown)[0].value.session_id} == {"larch-locks-5d10", "harrow-stock-77"}
    assert "cause: the memory was needed for other requests" in words(shown)
    no_exception(press(shown, "Clear filters"))
    assert len(tables_of_sessions(shown)[0].value) == len(SESSIONS)


def test_a_search_without_hits_keeps_what_stands_below_the_table(visit: Open, tmp_path: Path) -> None:
    analysed = replace(sample("03"), problems=(Problem("03.jsonl", 3, "odd"),))
    repository = Repository.open(tmp_path / "odd.duckdb")
    store(analysed, Renderers(), repository)
    repository.close()
    shown = no_exception(visit("sessions", tmp_path / "odd.duckdb"))
    for search in ("", "nonesuch"):
        no_exception(shown.text_input[0].set_value(search).run())
        assert [box.label for box in shown.expander][-2:] == ["Problems in the logs (1)", "Imports (1)"]
    assert "None of 1 session passes" in words(shown)


def test_the_table_says_what_was_wasted_and_why(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("sessions", samples))
    table = tables_of_sessions(shown)[0].value.set_index("session_id")
    assert list(table.columns) == [name for name in SHOWN if name != "session_id" and name not in IF_ANY]
    assert SHOWN.index("source") < SHOWN.index("model") and SHOWN.index("verdict") + 1 == SHOWN.index("causes")
    row = table.loc["larch-locks-5d10"]
    assert (row.wasted_tokens, row.source, list(row.causes)) == (
        1712,
        "busy-server.jsonl",
        ["the memory was needed for other requests"],
    )
    assert row.wasted_share == pytest.approx(1712 / 23_078)
    assert row.verdict == "7% computed again though unchanged: the memory was needed for other requests."
    assert table.loc["desk-chat-60417"].wasted_share == pytest.approx(13_920 / 16_269)
    assert list(table.loc["pw-backoff-7f21"].causes) == [] and table.loc["pw-backoff-7f21"].wasted_share == 0
    total = next(metric for metric in shown.metric if metric.label == "Wasted tokens")
    assert table.wasted_tokens.isna()["glasswing-docs-04"], "the server said nothing, and nothing was lost"
    wasted, prompt = table.wasted_tokens.sum(), table.prompt_tokens[table.wasted_tokens.notna()].sum()
    assert (total.value, total.delta) == (f"{wasted:,}", f"{wasted / prompt:.1%} of {short(prompt)}")


ASKED = {"model": "sample/agent-8k", "messages": [{"role": "user", "content": "What is the answer?"}]}
EDITED = {"model": "sample/agent-8k", "messages": [{"role": "user", "content": "What was the answer?"}]}


def compared(visit: Open, database: Path, earlier: str, later: str) -> AppTest:
    shown = no_exception(visit("compare", database))
    shown.text_area[0].set_value(earlier)
    shown.text_area[1].set_value(later)
    return no_exception(shown.run())


def test_two_bodies_are_answered_on_one_page(visit: Open, samples: Path) -> None:
    shown = compared(visit, samples, json.dumps(ASKED), json.dumps(EDITED))
    assert not shown.error and "They part at token 6, in message 1 (user), character 4." in words(shown)
    assert cards(shown) == {
        "Equal from the front": "6 tokens", "Reusable": "0 tokens", "Later prompt": "17 tokens",
    }  # fmt: skip


def test_a_small_block_size_reuses_more(visit: Open, samples: Path) -> None:
    shown = compared(visit, samples, json.dumps(ASKED), json.dumps(EDITED))
    no_exception(shown.number_input[0].set_value(2).run())
    assert shown.metric[1].value == "6 tokens"


@pytest.mark.parametrize(
    ("earlier", "later", "said"),
    [
        pytest.param(ASKED, ASKED, "No divergence: both prompts are the same.", id="identical"),
        pytest.param([1, 2, 3], [1, 2, 3, 4], "No divergence: the later prompt only goes on", id="extended"),
        pytest.param([1, 2, 3], [1, 9], "Tokens are shown by id", id="ids"),
    ],
)
def test_other_answers(visit: Open, samples: Path, earlier: Any, later: Any, said: str) -> None:
    shown = compared(visit, samples, json.dumps(earlier), json.dumps(later))
    assert not shown.error and said in words(shown)


@pytest.mark.parametrize(
    ("later", "said"),
    [
        pytest.param('{"messages": [', "Later request: not complete JSON.", id="broken JSON"),
        pytest.param('{"messages": [], "model": "sample/agent-8k"}', "", id="no messages"),
        pytest.param('{"messages": [{"role": "user", "content": "x"}], "model": "m"}', "no tokenizer for", id="model"),
        pytest.param("\x00", "Later request: not complete JSON.", id="binary"),
    ],
)
def test_what_cannot_be_compared_is_one_message(visit: Open, samples: Path, later: str, said: str) -> None:
    shown = compared(visit, samples, json.dumps(ASKED), later)
    assert len(shown.error) == (1 if said else 0)
    assert said in words(shown)


def test_one_body_waits_for_the_other(visit: Open, samples: Path) -> None:
    shown = compared(visit, samples, json.dumps(ASKED), "  ")
    assert not shown.error and "A body is the JSON that a client sends" in words(shown)


def connected(visit: Open, database: Path, address: str) -> AppTest:
    shown = no_exception(visit("live", database))
    shown.text_input[0].set_value(address)
    return no_exception(shown.button[0].click().run())


def test_a_refused_connection_is_one_message(visit: Open, samples: Path) -> None:
    shown = connected(visit, samples, "127.0.0.1:9")
    (error,) = shown.error
    assert "refused the connection" in error.value and "Not connected" in words(shown)


def test_an_address_is_asked_for(visit: Open, samples: Path) -> None:
    assert "Give the server's address" in words(connected(visit, samples, " "))


def test_a_server_is_shown_as_it_describes_itself(visit: Open, samples: Path) -> None:
    metrics = exchange("serve-block128", "metrics_before").reply
    with ReplayServer("serve-block128", canned={"/metrics": metrics}) as server:
        shown = connected(visit, samples, server.url)
        figures = cards(shown)
        assert not shown.error and figures["Block size"] == "128 tokens" and figures["Prefix caching"] == "on"
        reset = next(button for button in shown.button if button.label == "Reset the prefix cache")
        assert "The prefix cache is empty." in words(no_exception(reset.click().run()))
        shown.switch_page("../pages/compare.py").run()
        assert "The live server" in no_exception(shown).radio[0].options


@pytest.mark.parametrize("page", ["sessions", "session"])
@pytest.mark.parametrize("damage", ["no database", "cut short", "a folder"])
def test_a_damaged_database_is_one_message(visit: Open, samples: Path, tmp_path: Path, page: str, damage: str) -> None:
    database = tmp_path / "damaged.duckdb"
    if damage == "a folder":
        database.mkdir()
    else:
        whole = samples.read_bytes()
        database.write_bytes(b"no database" * 999 if damage == "no database" else whole[: len(whole) // 2])
    before = None if damage == "a folder" else database.read_bytes()
    shown = no_exception(visit(page, database, session="1"))
    (error,) = shown.error
    assert "damaged" in error.value and "Traceback" not in words(shown)
    assert before is None or database.read_bytes() == before


def test_imports_are_listed_and_only_a_selected_one_can_be_forgotten(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("sessions", samples))
    assert next(one for one in shown.button if one.label.startswith("Forget")).disabled
    imports = next(frame.value for frame in shown.dataframe if "num_sessions" in frame.value)
    assert imports.file.tolist() == list(analysed_samples())[::-1]
    assert imports.num_sessions.sum() == len(SESSIONS)
