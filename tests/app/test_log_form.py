"""The form that adds logs: what it brings, and what it says of it."""

import gzip
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from analysis.formats import FORMATS, har, openai_chat
from analysis.model.record import SessionRecord
from analysis.render import confined
from analysis.store.repository import Repository
from app import log_form, login, state
from app.log_form import IDS, LIVE, MODEL, Outcome
from tests.app.dashboard import Open, press, tables_of_sessions, words
from tests.builders import SAMPLE_MODEL, model_with_template
from tests.replay_server import ReplayServer, exchange
from tests.sample_store import fill, sample

CLOCK = sample("03").source.files[0].data.splitlines(keepends=True)


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        (Outcome(1, 1), "1 session with 1 turn analysed"),
        (Outcome(2, 1200), "2 sessions with 1,200 turns analysed"),
        (Outcome(0, 0, unchanged=1), "1 log already there, unchanged"),
        (
            Outcome(1, 8, unchanged=2, problems=1),
            "1 session with 8 turns analysed · 2 logs already there, unchanged · 1 note under Problems in the logs",
        ),
        (
            Outcome(5, 40, problems=10, refused=("a", "b"), import_keys=(1, 2, 3, 4)),
            "4 of 6 logs read, 2 could not be (below) · 5 sessions with 40 turns analysed"
            " · 10 notes under Problems in the logs",
        ),
        (Outcome(), "0 sessions with 0 turns analysed"),
        (
            Outcome(1, 8, problems=1, repeated=("1 of 1 session is already here",)),
            "1 session with 8 turns analysed · 1 of 1 session is already here · 1 note under Problems in the logs",
        ),
    ],
)
def test_sentence(outcome: Outcome, sentence: str) -> None:
    assert outcome.sentence() == sentence


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database that was used before and has nothing in it."""
    file = tmp_path / "form.duckdb"
    repository = fill(file, "07")
    repository.delete(1)
    repository.close()
    return file


def add(
    shown: AppTest, path: Path | str, model: str | None = None, blocks: int | None = None, tokens: str | None = None
) -> AppTest:
    """The page after a path was analysed, with a named model, a size of the pool and a place of tokens or without.

    A whole run closes a dialog, so the button that opens it is pressed along with everything in it.
    """
    press(shown, "Add logs")
    if model is not None:
        shown.radio(key="add_tokens").set_value(MODEL)
        press(shown, "Add logs")
        shown.text_input(key="add_model").set_value(model)
    if tokens is not None:
        shown.radio(key="add_tokens").set_value(tokens)
        press(shown, "Add logs")
    if blocks is not None:
        shown.number_input(key="add_blocks").set_value(blocks)
    next(one for one in shown.text_input if one.label.startswith("or a file or folder")).set_value(str(path))
    press(shown, "Add logs")
    next(button for button in shown.button if button.label == "Analyse").click()
    return press(shown, "Add logs")


def stored(database: Path) -> Repository:
    """The database as the dashboard has it open."""
    return state._open(str(database))


def write(path: Path, lines: list[bytes]) -> Path:
    path.write_bytes(b"".join(lines))
    return path


def test_nothing_can_be_analysed_before_something_is_named(visit: Open, database: Path) -> None:
    shown = add(visit("sessions", database), "")
    assert [error.value for error in shown.error] == ["Nothing to analyse yet: choose log files above, or give a path."]


def test_a_press_is_heeded_though_the_run_that_takes_the_files_cuts_its_own_short(
    visit: Open, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = press(visit("sessions", database), "Add logs")
    path = write(tmp_path / "clock.jsonl", CLOCK)
    next(one for one in shown.text_input if one.label.startswith("or a file or folder")).set_value(str(path))
    with monkeypatch.context() as cut:
        cut.setattr(login, "required", st.stop)
        press(shown, "Analyse")
    assert stored(database).imports().empty
    press(shown.run(), "Add logs")
    assert stored(database).imports().file.tolist() == ["clock.jsonl"]


def test_a_log_is_added_once_and_again_when_it_has_grown(visit: Open, database: Path, tmp_path: Path) -> None:
    log = write(tmp_path / "proxy.jsonl", CLOCK[:4])
    shown = add(visit("sessions", database), log)
    assert not shown.error and "1 session with 4 turns analysed" in words(shown)
    assert "These are samples" not in words(shown)
    assert tables_of_sessions(shown)[0].value.num_turns.tolist() == [4], "the table shows it at once"
    assert "mostly at turn 4 in the system message: a time stands in the prompt." in words(shown)
    assert "1 log already there, unchanged" in words(add(shown, log))
    write(log, CLOCK)
    assert "1 session with 8 turns analysed" in words(add(shown, log))
    assert stored(database).sessions().num_turns.tolist() == [8]
    shown = press(shown, "Open desk\\-chat\\-60417")
    assert "Seen first in turn 2: a time differs" in words(shown), "one click is enough"


def test_a_log_is_read_as_the_format_that_is_chosen(visit: Open, database: Path, tmp_path: Path) -> None:
    log = write(tmp_path / "proxy.jsonl", CLOCK)
    shown = press(visit("sessions", database), "Add logs")
    field = next(one for one in shown.selectbox if one.label == "Format")
    assert field.value is None and len(field.options) == len(FORMATS)
    field.select("har: " + har.title)
    refused = add(shown, log)
    assert len(refused.error) == 1 and stored(database).sessions().empty
    next(one for one in shown.selectbox if one.label == "Format").select("openai-chat: " + openai_chat.title)
    assert "1 session with 8 turns analysed" in words(add(shown, log))


def test_a_refused_file_is_a_problem_until_a_log_of_its_name_is_read(
    visit: Open, database: Path, tmp_path: Path
) -> None:
    log = write(tmp_path / "proxy.jsonl", [b"\0"])
    shown = add(visit("sessions", database), log)
    assert len(shown.error) == 1
    (problem,) = stored(database).problems().itertuples(index=False)
    assert problem.file == "proxy.jsonl" and problem.message.startswith("binary data, and no log that Whymiss reads.")
    add(shown, write(log, CLOCK))
    assert stored(database).problems().empty


def test_a_folder_is_one_server_and_what_is_no_log_in_it_is_noted(visit: Open, database: Path, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    write(folder / "a.jsonl", CLOCK)
    write(folder / "b.jsonl", [b"\0\1"])
    shown = add(visit("sessions", database), folder)
    assert "1 session with 8 turns analysed · 1 note under Problems in the logs" in words(shown)
    (problem,) = stored(database).problems().itertuples(index=False)
    assert problem.file == "b.jsonl" and problem.message.startswith("binary data")
    assert stored(database).sessions().source.tolist() == ["logs"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(None, "No such file or directory", id="missing"),
        pytest.param(b"", "the file is empty", id="empty"),
        pytest.param(b"\0", "binary data, and no log that Whymiss reads. Choose its Format in Add logs", id="binary"),
        pytest.param(b"{}", "text, and no log that Whymiss reads. Choose its Format in Add logs", id="no request"),
    ],
)
def test_what_cannot_be_read_is_said_in_the_form(
    visit: Open, database: Path, tmp_path: Path, content: bytes | None, said: str
) -> None:
    if content is not None:
        (tmp_path / "log.jsonl").write_bytes(content)
    shown = add(visit("sessions", database), tmp_path / "log.jsonl")
    assert len(shown.error) == 1 and said in words(shown)
    assert ("- openai-chat looks for a JSON object" in words(shown)) == ("no log that" in said)
    assert stored(database).sessions().empty


@pytest.mark.parametrize(
    ("model", "said"), [("", "Give the folder or hub id of the model"), (str(Path(__file__)), "a file, not a model")]
)
def test_a_wrong_model_is_said_in_the_form(visit: Open, database: Path, tmp_path: Path, model: str, said: str) -> None:
    log = write(tmp_path / "proxy.jsonl", CLOCK)
    shown = add(visit("sessions", database), log, model)
    assert len(shown.error) == 1 and said in words(shown)
    assert ("- openai-chat looks for a JSON object" in words(shown)) == ("no log that" in said)
    assert stored(database).sessions().empty


def test_a_named_model_renders_what_has_no_ids(visit: Open, database: Path, tmp_path: Path) -> None:
    request = {"model": "served", "messages": [{"role": "user", "content": "hi"}]}
    log = write(tmp_path / "proxy.jsonl", [json.dumps({"request": request}).encode()])
    add(visit("sessions", database), log, str(SAMPLE_MODEL))
    (row,) = stored(database).sessions().itertuples(index=False)
    record = stored(database).session(int(row.session_key))
    assert record is not None and record.turns[0].fidelity == "approximate"


def only_record(database: Path) -> SessionRecord:
    (key,) = stored(database).sessions().session_key
    record = stored(database).session(int(key))
    assert record is not None
    return record


@pytest.mark.parametrize("blocks", [None, 500])
def test_the_servers_pool_is_asked_for(visit: Open, database: Path, tmp_path: Path, blocks: int | None) -> None:
    add(visit("sessions", database), write(tmp_path / "proxy.jsonl", CLOCK), blocks=blocks)
    record = only_record(database)
    assert record.settings.num_blocks == blocks
    assert record.reconciliation is not None
    assert (record.reconciliation.blocks_needed is None) == (blocks is None)


@pytest.mark.parametrize(
    ("tokens", "served"), [(IDS, (16, "assumed", None, None)), (LIVE, (128, "server", 32_768, True))]
)
def test_a_live_server_speaks_only_where_it_renders(
    visit: Open, database: Path, tmp_path: Path, tokens: str, served: tuple[object, ...]
) -> None:
    log = write(tmp_path / "proxy.jsonl", CLOCK)
    metrics = exchange("serve-block128", "metrics_before").reply
    with ReplayServer("serve-block128", canned={"/metrics": metrics}, detokenize=lambda ids: f"{ids}") as server:
        shown = visit("live", database)
        shown.text_input[0].set_value(server.url)
        press(shown, "Connect")
        shown.switch_page("../pages/sessions.py").run()
        add(shown, log, tokens=tokens)
    said = only_record(database).settings
    assert (said.block_size, said.block_size_basis, said.num_blocks, said.prefix_caching) == served


def test_an_upload_that_cannot_be_unpacked_does_not_stop_the_others(
    monkeypatch: pytest.MonkeyPatch, database: Path
) -> None:
    monkeypatch.setenv("WHYMISS_DB", str(database))
    uploads: Any = [
        SimpleNamespace(name="bad.zip", getvalue=lambda: b"PK\x03\x04"),
        SimpleNamespace(name="good.jsonl.gz", getvalue=lambda: gzip.compress(CLOCK[0])),
    ]
    sources, refused = log_form._read(uploads, "")
    assert [source.files[0].name for source in sources] == ["good.jsonl"]
    assert len(refused) == 1 and refused[0].startswith("bad.zip: not a zip archive")
    (problem,) = stored(database).problems().itertuples(index=False)
    assert problem.file == "bad.zip" and problem.message.startswith("not a zip archive")


def test_a_template_without_an_end_is_a_note_and_the_page_goes_on(
    visit: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, database: Path
) -> None:
    monkeypatch.setattr(confined, "SECONDS", 1.0)
    loop = "{% for i in range(99999) %}" * 2 + "{% endfor %}" * 2
    hangs = "{{ messages[0].content }}{% if messages | length > 4 %}" + loop + "{% endif %}"
    said = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}] * 4
    bodies = [{"model": "m", "messages": said[:count]} for count in (1, 3, 5, 7)]
    lines = [json.dumps({"session_id": "s", "request": body}).encode() + b"\n" for body in bodies]
    model = model_with_template(tmp_path / "model", hangs)
    shown = add(visit("sessions", database), write(tmp_path / "proxy.jsonl", lines), str(model))
    assert "1 session with 4 turns analysed" in words(shown)
    (problem,) = (one for one in stored(database).problems().itertuples(index=False) if "template" in one.message)
    assert problem.line == 3 and f"the chat template of {model} did not end within 1 s" in problem.message
    known = [turn.prompt_tokens is not None for turn in only_record(database).turns]
    assert known == [True, True, False, False]
    assert "1 session with 8 turns analysed" in words(add(shown, write(tmp_path / "other.jsonl", CLOCK)))


def test_a_log_that_is_here_under_another_name_is_told(visit: Open, tmp_path: Path, database: Path) -> None:
    shown = visit("sessions", database)
    add(shown, write(tmp_path / "proxy.jsonl", CLOCK))
    shown = add(shown, write(tmp_path / "other.jsonl", CLOCK[:4]))
    assert "already here, at least in part, from proxy.jsonl, and counted twice" in words(shown)
