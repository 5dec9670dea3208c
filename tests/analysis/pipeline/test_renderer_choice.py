"""What can be chosen to render a model, and what becomes of a choice that fails."""

import json
from pathlib import Path

import pytest

from analysis.model.renderer import RendererChoice
from analysis.model.settings import Settings
from analysis.pipeline.importing import already_stored, analyse_source, store
from analysis.pipeline.renderer_choice import checked_choice, unusable
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.sources import LogFile, Source
from analysis.store.repository import Repository
from tests.app.command_line import chat
from tests.builders import SAMPLE_MODEL, session
from tests.template_server import TemplateServer

MODEL = "acme/unknown-7b"


def source() -> Source:
    lines = [
        {"session_id": "s", "request": chat(*texts) | {"model": MODEL}} for texts in (("hi",), ("hi", "yes", "more"))
    ]
    return Source("a.jsonl", (LogFile("a.jsonl", "\n".join(map(json.dumps, lines)).encode()),))


def chosen(kind: str, value: str) -> Renderers:
    return Renderers(chosen={MODEL: checked_choice(MODEL, kind, value)})


@pytest.mark.parametrize(
    ("kind", "given", "kept"),
    [
        pytest.param("folder", f"{SAMPLE_MODEL}/", str(SAMPLE_MODEL), id="a folder"),
        pytest.param("hub", " Qwen/Qwen3-8B ", "Qwen/Qwen3-8B", id="a hub id"),
        pytest.param("hub", "gpt2", "gpt2", id="a hub id without organisation"),
        pytest.param("endpoint", "localhost:8000/v1", "http://localhost:8000", id="an address"),
    ],
)
def test_what_is_kept(kind: str, given: str, kept: str) -> None:
    assert checked_choice(f" {MODEL}", kind, given) == RendererChoice(MODEL, kind, kept)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("model", "kind", "value", "said"),
    [
        pytest.param(" ", "hub", "gpt2", "Say which served model", id="no model"),
        pytest.param("m", "hub", " ", "Give the folder, the hub id or the address", id="nothing given"),
        pytest.param("m", "folder", "/no/such", "/no/such: there is no such folder", id="no folder"),
        pytest.param("m", "folder", str(Path(__file__).parent), "no tokenizer in this folder", id="an empty folder"),
        pytest.param("m", "hub", "a/b/c", "a/b/c: not the shape of a hub id", id="more than two parts"),
        pytest.param("m", "hub", "../x", "not the shape of a hub id", id="a path"),
        pytest.param("m", "hub", "http://host", "not the shape of a hub id", id="an address as hub id"),
        pytest.param("m", "hub", "a" * 97, "not the shape of a hub id", id="too long"),
        pytest.param("m", "endpoint", "http://me:secret@host", "WHYMISS_API_KEY", id="a password"),
        pytest.param("m", "endpoint", "http://host/?key=1", "more than the address", id="a key in the query"),
        pytest.param("m", "endpoint", "ftp://host", "neither http nor https", id="another protocol"),
        pytest.param("m", "tokens", "x", "'tokens': a renderer is one of folder, hub, endpoint", id="no such kind"),
    ],
)
def test_what_is_refused(model: str, kind: str, value: str, said: str) -> None:
    with pytest.raises((ValueError, OSError), match=said.replace("/", r"\/").replace("?", r"\?")) as error:
        checked_choice(model, kind, value)
    assert "secret" not in str(error.value)


def test_a_choice_gives_a_log_its_tokens() -> None:
    assert {turn.fidelity for turn in analyse_source(source(), Renderers(), Settings()).records[0].turns} == {None}
    found = analyse_source(source(), chosen("folder", str(SAMPLE_MODEL)), Settings())
    assert [turn.fidelity for turn in found.records[0].turns] == ["approximate", "approximate"]
    assert not [problem for problem in found.all_problems if "tokenizer" in problem.message]


def test_a_chosen_server_renders() -> None:
    with TemplateServer("{% for m in messages %}{{ m.role }}:{{ m.content }}\n{% endfor %}") as server:
        found = analyse_source(source(), chosen("endpoint", server.url), Settings())
    assert [turn.prompt_tokens for turn in found.records[0].turns] == [8, 32]


@pytest.mark.parametrize(
    ("choice", "reason"),
    [
        pytest.param(RendererChoice(MODEL, "folder", "/gone/model"), "there is no such folder", id="a folder"),
        pytest.param(RendererChoice(MODEL, "endpoint", "http://127.0.0.1:9"), "refused the connection", id="a server"),
    ],
)
def test_a_choice_that_fails_is_one_problem_and_leaves_the_text(choice: RendererChoice, reason: str) -> None:
    found = analyse_source(source(), Renderers(chosen={MODEL: choice}), Settings())
    (problem,) = (one for one in found.all_problems if "usage" not in one.message)
    assert problem.message.startswith(f"the renderer chosen for the model '{MODEL}' cannot be used: ")
    assert reason in problem.message and problem.message.endswith("or give --model.")
    assert found.records[0].turns[1].text is not None and found.wrong_models == {MODEL}


def test_only_the_models_of_the_log_are_asked_for() -> None:
    renderers = Renderers(chosen={"other": RendererChoice("other", "folder", "/gone")})
    assert unusable([session("sys", "hi")], renderers) == {}


def test_another_choice_is_another_analysis_that_takes_the_place_of_the_first() -> None:
    repository, log, settings = Repository.open(":memory:"), source(), Settings()
    store(analyse_source(log, Renderers(), settings), Renderers(), repository)
    renderers = chosen("folder", str(SAMPLE_MODEL))
    assert already_stored(log, Renderers(), settings, repository)
    assert not already_stored(log, renderers, settings, repository)
    store(analyse_source(log, renderers, settings), renderers, repository)
    assert already_stored(log, renderers, settings, repository) and len(repository.imports()) == 1
    record = repository.session(1)
    assert record is not None and record.turns[1].fidelity == "approximate", "the session keeps its key"
