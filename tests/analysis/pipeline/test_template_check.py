"""Template files, models and live servers are checked by the same probes."""

import time
from pathlib import Path

import pytest

from analysis.live.errors import EndpointError
from analysis.live.vllm import VllmServer
from analysis.model.template_check import Behaviour, ProbeResult, TemplateCheck
from analysis.pipeline.template_check import (
    HARMONY,
    NOT_RENDERED,
    UNSEEN_TEMPLATE,
    behaving_alike,
    check_model,
    check_server,
    check_target,
    check_template,
    source_of,
)
from analysis.render.errors import RenderError
from tests.builders import SAMPLE_MODEL
from tests.template_server import MODEL, TemplateServer

SAMPLE = (SAMPLE_MODEL / "chat_template.jinja").read_text("utf-8")
PLAIN = "{% for m in messages %}[{{ m.role }}|{{ m.content }}]{% endfor %}"


def connect(address: str) -> VllmServer:
    return VllmServer(address)


def by_behaviour(check: TemplateCheck) -> dict[Behaviour, ProbeResult]:
    return {probe.behaviour: probe for probe in check.probes}


@pytest.mark.parametrize(
    ("target", "source"),
    [
        ("http://localhost:8000", "endpoint"),
        ("https://gpu.example/v1", "endpoint"),
        ("localhost:8000", "endpoint"),
        ("[::1]:8000/v1", "endpoint"),
        ("missing.jinja", "template"),
        (str(SAMPLE_MODEL / "chat_template.jinja"), "template"),
        (str(SAMPLE_MODEL), "model"),
        ("Qwen/Qwen3-8B", "model"),
    ],
)
def test_what_a_name_means(target: str, source: str) -> None:
    assert source_of(target) == source


def test_the_sample_model_strips_reasoning_and_has_a_knob() -> None:
    check = check_model(str(SAMPLE_MODEL))
    found = by_behaviour(check)
    assert (check.source, check.verdict) == ("model", "not-pure")
    assert [name for name, probe in found.items() if probe.verdict == "not-pure"] == ["reasoning-stripped"]
    assert found["reasoning-stripped"].knob == "preserve_reasoning=true"
    assert found["tools-relocated"].finding == "after the system text"
    assert found["arguments"].finding == "object: JSON; string: verbatim"
    assert found["trims"].finding == "system, user, assistant, content beside tool calls"


def test_a_file_and_its_model_are_found_alike() -> None:
    check = check_target(str(SAMPLE_MODEL / "chat_template.jinja"), connect)
    assert (check.name, check.source) == ("chat_template", "template")
    assert check.probes == check_target(str(SAMPLE_MODEL), connect).probes


def test_arguments_that_every_request_carries() -> None:
    kept = by_behaviour(check_target(str(SAMPLE_MODEL), connect, {"preserve_reasoning": True}))
    assert {probe.verdict for probe in kept.values()} == {"pure"}
    silent = by_behaviour(check_template("sample", SAMPLE, {"enable_thinking": False}))
    assert silent["generation-prompt"].verdict == "not-pure" and silent["generation-prompt"].knob is None
    assert silent["reasoning-stripped"].knob == "preserve_reasoning=true"
    with TemplateServer(SAMPLE) as server:
        live = by_behaviour(check_target(server.url, connect, {"show_date": True}))
    assert live["date"].verdict == "not-pure" and live["date"].knob == "date_string=26 Jul 2024"


def test_a_live_server_is_found_as_its_template_is() -> None:
    with TemplateServer(SAMPLE) as server:
        check = check_target(server.url, connect)
    offline = by_behaviour(check_template("sample", SAMPLE))
    assert (check.name, check.source, check.notes) == (f"{MODEL} at {server.url}", "endpoint", (UNSEEN_TEMPLATE,))
    for name, probe in by_behaviour(check).items():
        same = (probe.verdict, probe.knob, probe.evidence)
        assert same == (offline[name].verdict, offline[name].knob, offline[name].evidence), name
    assert by_behaviour(check)["arguments"].finding == "object: JSON", "the server parses strings itself"


def test_nothing_is_asked_of_a_server_twice() -> None:
    with TemplateServer(SAMPLE) as server:
        check_server(VllmServer(server.url), time.time())
        bodies = [repr(seen.body) for seen in server.seen if seen.path.endswith("/render")]
    assert len(bodies) == len(set(bodies)) < 120


@pytest.mark.parametrize("shown", ["%Y-%m-%d", "%d %B %Y"])
def test_the_date_of_a_live_server(shown: str) -> None:
    with TemplateServer(f"{{{{ date_string or strftime_now('{shown}') }}}}\n{PLAIN}") as server:
        found = by_behaviour(check_server(VllmServer(server.url), time.time()))["date"]
    assert (found.verdict, found.finding, found.knob) == ("not-pure", "follows the clock", "date_string=26 Jul 2024")


def test_a_server_without_the_render_route_is_checked_and_said_to_be() -> None:
    with TemplateServer(SAMPLE, tokenizes=True) as server:
        check = check_server(VllmServer(server.url), time.time())
    assert check.notes == (UNSEEN_TEMPLATE, NOT_RENDERED)
    assert by_behaviour(check)["reasoning-stripped"].knob == "preserve_reasoning=true"


def test_what_a_server_refuses_is_told_in_its_words() -> None:
    late = (
        "{% if messages[1:] | selectattr('role', 'eq', 'system') | list %}{{ raise_exception('too late') }}{% endif %}"
    )
    with TemplateServer(late + PLAIN) as server:
        found = by_behaviour(check_server(VllmServer(server.url), time.time()))["late-system"]
    assert found.verdict == "raises" and "too late" in str(found.message)


def test_a_server_that_renders_nothing_is_an_error() -> None:
    with TemplateServer(PLAIN, refuses_all=True) as server, pytest.raises(RenderError, match="answered 400"):
        check_server(VllmServer(server.url), time.time())


def test_a_server_that_is_not_there_is_an_error() -> None:
    with pytest.raises(EndpointError, match="refused the connection"):
        check_target("127.0.0.1:9", connect)


def test_gpt_oss_is_rendered_by_code() -> None:
    source = "<|start|>system<|message|>" + PLAIN + "{# <|channel|> #}"
    assert check_template("gptoss", source).notes == (HARMONY,)
    assert check_template("other", PLAIN).notes == ()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        pytest.param("bad.jinja", b"{% if %}", "cannot be compiled", id="no template"),
        pytest.param("image.jinja", b"\xff\xfe\x00", "not a text file", id="binary"),
        pytest.param("tokenizer_config.json", b"{}", "Give the folder", id="JSON"),
    ],
)
def test_files_that_hold_no_template(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(RenderError, match=said):
        check_target(str(tmp_path / name), connect)


def test_a_model_without_a_template(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes((SAMPLE_MODEL / "tokenizer.json").read_bytes())
    with pytest.raises(RenderError, match="no chat template"):
        check_model(str(tmp_path))


def test_a_template_that_tries_to_leave_the_sandbox_is_refused() -> None:
    check = check_template("evil", "{{ ''.__class__.__mro__[1].__subclasses__() }}" + PLAIN)
    assert check.verdict == "cannot-tell"
    assert "SecurityError" in str(by_behaviour(check)["generation-prompt"].message)


def test_templates_that_behave_alike_are_grouped() -> None:
    one, other, same = (
        check_template(name, text) for name, text in (("a", PLAIN), ("b", SAMPLE), ("c", PLAIN.replace("|", ": ")))
    )
    assert [[check.name for check in group] for group in behaving_alike([one, other, same])] == [["a", "c"], ["b"]]
