"""Renderers by model: the page, what it stores, and analysing logs again."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from analysis.live.errors import EndpointError
from analysis.model.renderer import RendererChoice
from analysis.model.settings import Settings
from analysis.pipeline.importing import analyse_source, store
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.sources import LogFile, Source
from analysis.store.repository import Repository
from app import log_state, models_view, places, renderer_state, state, visitors
from app.models_view import COMES_WITH, settings_of, shown, tokens
from tests.app.dashboard import Open, no_exception, press, words
from tests.builders import SAMPLE_MODEL

MODEL = "acme/unknown-7b"


def source(name: str = "a.jsonl") -> Source:
    request = {"model": MODEL, "messages": [{"role": "user", "content": f"hi from {name}"}]}
    return Source(name, (LogFile(name, json.dumps({"request": request}).encode()),))


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Two logs of a model that nothing renders; one was read with another block size."""
    file = tmp_path / "models.duckdb"
    repository = Repository.open(file)
    for name, size in (("a.jsonl", 16), ("b.jsonl", 32)):
        store(analyse_source(source(name), Renderers(), Settings(size, "given")), Renderers(), repository)
    repository.close()
    return file


def choose(page: AppTest, value: str, kind: str = "A folder", model: str = MODEL) -> AppTest:
    page.selectbox(key="chosen_model").set_value(model).run()
    page.radio(key=f"kind_{model}").set_value(kind).run()
    page.text_input(key=f"value_{model}_{models_view.KINDS[kind][0]}").set_value(value).run()
    return press(page, "Save")


def kept(database: Path) -> Repository:
    return state._open(str(database))


def test_a_renderer_is_chosen_and_forgotten(visit: Open, database: Path) -> None:
    page = no_exception(visit("models", database))
    (frame,) = (one.value for one in page.dataframe)
    assert frame.to_dict("records") == [
        {
            "model": MODEL, "renderer": "", "tokens": "unknown: compared by text", "num_sessions": 2, "num_turns": 2,
        }
    ]  # fmt: skip
    assert next(button for button in page.button if button.label == "Remove").disabled
    choose(page, str(SAMPLE_MODEL))
    assert not page.error and f"{MODEL} is rendered by {SAMPLE_MODEL} from now on." in words(page)
    assert kept(database).renderers() == {MODEL: RendererChoice(MODEL, "folder", str(SAMPLE_MODEL))}
    assert page.dataframe[0].value.renderer.tolist() == [str(SAMPLE_MODEL)]
    press(page, "Remove")
    assert kept(database).renderers() == {} and "has no renderer of its own any more" in words(page)


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        ("A folder", "/no/such/folder", "there is no such folder"),
        ("A folder", " ", "Give the folder, the hub id or the address of a server."),
        ("A hub id", "no hub id", "not the shape of a hub id"),
        ("A live vLLM", "http://me:secret@host", "set WHYMISS_API_KEY instead"),
    ],
)
def test_what_cannot_be_chosen_is_said_and_not_stored(
    visit: Open, database: Path, kind: str, value: str, said: str
) -> None:
    page = choose(visit("models", database), value, kind)
    assert len(page.error) == 1 and said in words(page) and "secret" not in words(page)
    assert kept(database).renderers() == {}


def test_logs_that_are_not_at_hand_are_named_with_what_to_do(visit: Open, database: Path) -> None:
    page = choose(visit("models", database), str(SAMPLE_MODEL))
    assert "not at hand here: a.jsonl, b.jsonl. Give them again under Sessions, Add logs" in words(page)


def test_logs_at_hand_are_analysed_again_with_their_own_settings(visit: Open, database: Path) -> None:
    page = visit("models", database)
    page.session_state[log_state.GIVEN] = {one.sha256: one for one in map(source, ("a.jsonl", "b.jsonl"))}
    choose(page, str(SAMPLE_MODEL))
    assert f"2 logs with {MODEL} can be analysed again with this choice." in words(page)
    press(page, "Analyse 2 logs again")
    assert "a.jsonl: 1 session with 1 turn analysed" in words(page)
    records = [kept(database).session(key) for key in (1, 2)]
    assert [record and record.settings.block_size for record in records] == [16, 32]
    assert {turn.fidelity for record in records if record for turn in record.turns} == {"approximate"}
    assert len(kept(database).imports()) == 2 and "again with this choice" not in words(page)


def test_a_model_can_be_chosen_before_its_first_log(visit: Open, database: Path) -> None:
    repository = Repository.open(database)
    for key in (1, 2):
        repository.delete(key)
    repository.close()
    page = no_exception(visit("models", database))
    assert "No model is known yet" in words(page) and not page.dataframe
    kept(database).choose_renderer(RendererChoice("later", "hub", "acme/later"))
    page = no_exception(page.run())
    (row,) = page.dataframe[0].value.to_dict("records")
    assert (row["model"], row["renderer"], row["tokens"]) == ("later", "acme/later", "no turn of this model is stored")


def test_cells() -> None:
    assert shown(None, places.SAMPLE_MODEL) == COMES_WITH and shown(None, "m") == ""
    row = {"model": "m", "num_turns": 9, "unknown_turns": 0, "mismatched_turns": 0, "headless_turns": 0}
    assert tokens(row) == "known"
    assert tokens({**row, "unknown_turns": 1}) == "unknown in 1 turn: compared by text"
    assert tokens({**row, "unknown_turns": 9}, is_chosen=True) == "unknown: analyse its logs again"
    assert tokens({**row, "unknown_turns": 9, "model": ""}) == "unknown: name its tokenizer when adding the log"
    lacking = {**row, "unknown_turns": 9, "headless_turns": 9}
    assert tokens(lacking, is_chosen=True) == "cannot be rendered: its logs are incomplete"
    assert tokens({**lacking, "num_turns": 12}) == "unknown in 9 turns: their log is incomplete"
    assert tokens({**lacking, "headless_turns": 8}, is_chosen=True) == "unknown: analyse its logs again"
    assert tokens({**row, "mismatched_turns": 2}) == "wrong tokenizer or template in 2 turns"


def test_settings_of_another_version_are_read_as_far_as_they_are_known() -> None:
    assert settings_of({"block_size": 32, "renderer": "known models", "gone": 1}) == Settings(32)


def test_whoever_only_reads_chooses_nothing(visit: Open, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(visitors.READ_ONLY, "1")
    page = no_exception(visit("models", database))
    assert visitors.READING in words(page) and not page.button and len(page.dataframe) == 1


def test_others_choose_only_servers_that_were_allowed(
    visit: Open, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(visitors.SHARED, "1")
    monkeypatch.setenv(visitors.ENDPOINTS, "http://gpu7:8000")
    page = choose(visit("models", database), "http://169.254.169.254", models_view.SERVER)
    assert page.radio(key=f"kind_{MODEL}").options == [models_view.SERVER]
    assert len(page.error) == 1 and "--allow-endpoint" in words(page) and kept(database).renderers() == {}
    choose(page, "gpu7:8000/v1", models_view.SERVER)
    assert kept(database).renderers()[MODEL].value == "http://gpu7:8000"


def test_a_server_gets_the_key_once_somebody_here_names_it(
    visit: Open, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = visit("models", database)
    kept(database).choose_renderer(RendererChoice(MODEL, "endpoint", "http://gpu9:8000"))
    monkeypatch.setenv("WHYMISS_API_KEY", "sk-secret")
    with pytest.raises(EndpointError, match="is not sent there"):
        renderer_state.known_renderers().key_for("http://gpu9:8000")
    choose(page, "gpu9:8000", models_view.SERVER)
    assert renderer_state.known_renderers().key_for("http://gpu9:8000") == "sk-secret"
