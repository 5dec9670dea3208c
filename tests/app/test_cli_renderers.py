"""The command line with renderers that were chosen by model: those of the database, and --model before them."""

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.model.renderer import RendererChoice, RendererKind
from analysis.store.repository import Repository
from tests.app.command_line import chat, error_of, run, write
from tests.builders import SAMPLE_MODEL
from tests.replay_server import Reply
from tests.template_server import RENDER, TemplateServer

MODEL = "acme/unknown-7b"
KEY = "sk-0123456789abcdef"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    lines = [
        {"session_id": "s", "request": chat(*texts, model=MODEL)}
        for texts in (("at 10:21",), ("at 10:22", "yes", "go"))
    ]
    return write(tmp_path / "proxy.jsonl", *lines)


def database(tmp_path: Path, value: str, kind: RendererKind = "folder") -> Path:
    file = tmp_path / "chosen.duckdb"
    repository = Repository.open(file)
    repository.choose_renderer(RendererChoice(MODEL, kind, value))
    repository.close()
    return file


def turns(*arguments: object) -> list[dict[str, Any]]:
    (session,) = json.loads(run("analyze", *arguments, "--json", "-").stdout)["sessions"]
    found: list[dict[str, Any]] = session["turns"]
    return found


def test_without_a_renderer_the_text_is_compared_and_no_token_is_pretended(log: Path) -> None:
    first, second = turns(log)
    assert first["text"] is None and second["text"]["divergence"]["segment"] == "messages[0].content"
    assert second["text"]["divergence"]["char"] == 7 and second["text"]["equal_messages"] == 0
    (cause,) = second["causes"]
    assert (cause["code"], cause["confidence"], cause["tokens"]) == ("volatile-head/client-timestamp", "likely", None)
    assert {second[name] for name in ("fidelity", "prompt_tokens", "account", "divergence", "reusable_tokens")} == {
        None
    }


def test_the_renderers_of_the_database_are_used(log: Path, tmp_path: Path) -> None:
    found = turns(log, "--db", database(tmp_path, str(SAMPLE_MODEL)))
    assert [turn["fidelity"] for turn in found] == ["approximate", "approximate"]
    assert found[1]["text"] is None and found[1]["divergence"]["token"] > 0


def test_a_named_model_goes_before_them(log: Path, tmp_path: Path) -> None:
    found = turns(log, "--db", database(tmp_path, "/gone"), "--model", SAMPLE_MODEL)
    assert [turn["fidelity"] for turn in found] == ["approximate", "approximate"]
    assert "no-such" in error_of("analyze", log, "--db", database(tmp_path, "/gone"), "--model", "/no-such")


def test_one_that_is_gone_is_a_problem(log: Path, tmp_path: Path) -> None:
    result = run("analyze", log, "--db", database(tmp_path, "/gone"))
    assert (
        f"the renderer chosen for the model '{MODEL}' cannot be used: /gone: there is no such folder" in result.stderr
    )
    assert "approximate, by text" in result.stdout


def test_the_key_goes_to_the_server_that_was_named_and_stays_nowhere(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("WHYMISS_API_KEY", KEY)
    caplog.set_level("DEBUG")
    with TemplateServer("{% for m in messages %}{{ m.role }}:{{ m.content }}\n{% endfor %}") as server:
        file = database(tmp_path, server.url, "endpoint")
        refused = run("analyze", log, "--db", file)
        assert f"{server.url} only stands in the database, so WHYMISS_API_KEY is not sent there" in refused.stderr
        assert server.seen == []
        named = run("analyze", log, "--db", file, "--endpoint", server.url, "--json", tmp_path / "out.json")
        report = run("report", log, "--endpoint", server.url, "--redact", "nothing", "-o", tmp_path / "r.html")
        assert {seen.headers.get("Authorization") for seen in server.seen} == {f"Bearer {KEY}"}
        server.canned[RENDER] = Reply(400, f'{{"message": "who is {KEY}?"}}'.encode())
        monkeypatch.setattr(server, "answer", lambda *_asked: server.canned[RENDER])
        echoed = run("analyze", log, "--endpoint", server.url, code=2)
    assert "who is [API key]?" in echoed.stderr
    said = "".join(one.output for one in (refused, named, report, echoed)) + caplog.text
    written = b"".join(one.read_bytes() for one in tmp_path.rglob("*") if one.is_file())
    assert KEY not in said and KEY.encode() not in written and len(written) > 10_000
