"""``whymiss template``: exit codes, several templates at once, JSON, a live server."""

import json
from pathlib import Path

import pytest

from app.template_command import check_all
from tests.app.command_line import error_of, run
from tests.builders import SAMPLE_MODEL
from tests.template_server import TemplateServer

PURE = "{% for m in messages %}[{{ m.role }}|{{ m.content }}{{ m.tool_calls }}]{% endfor %}"
BLIND = "{% for m in messages if m.role == 'tool' %}{{ raise_exception('no') }}{% endfor %}" + PURE


def template(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.jinja"
    path.write_text(text, "utf-8")
    return path


def test_pure_is_0_not_pure_1_and_cannot_tell_2(tmp_path: Path) -> None:
    pure, blind = template(tmp_path, "pure", PURE), template(tmp_path, "blind", BLIND)
    assert "Pure: a growing conversation only grows" in run("template", pure).stdout
    assert "preserve_reasoning=true cures 1 of 1" in run("template", SAMPLE_MODEL, code=1).stdout
    said = run("template", blind, code=2).stdout
    assert "Cannot tell: an agent's conversation cannot be rendered (tool loop: TemplateError: no)" in said
    run("template", pure, blind, SAMPLE_MODEL, code=1)


def test_templates_that_behave_alike_share_a_table(tmp_path: Path) -> None:
    paths = [template(tmp_path, name, PURE.replace("|", mark)) for name, mark in (("a", "|"), ("b", "/"))]
    assert "a, b  (2 that behave alike)" in run("template", *paths).stdout


def test_the_json_answer_on_stdout_and_in_a_file(tmp_path: Path) -> None:
    answer = json.loads(run("template", SAMPLE_MODEL, "--json", "-", code=1).stdout)
    (checked,) = answer["templates"]
    found = {probe["behaviour"]: probe for probe in checked["probes"]}
    assert found["reasoning-stripped"]["knob"] == "preserve_reasoning=true"
    assert found["reasoning-stripped"]["knob_arguments"] == {"preserve_reasoning": True}
    assert "Perhaps page seven" in found["reasoning-stripped"]["evidence"]["old"]
    result = run("template", SAMPLE_MODEL, "--json", tmp_path / "answer.json", code=1)
    assert "Not pure" in result.stdout and json.loads((tmp_path / "answer.json").read_text("utf-8")) == answer


def test_one_that_cannot_be_read_does_not_hide_the_others(tmp_path: Path) -> None:
    result = run("template", template(tmp_path, "pure", PURE), tmp_path / "none.jinja", code=2)
    assert "Pure:" in result.stdout
    assert result.stderr == f"{tmp_path / 'none.jinja'}: No such file or directory\n"
    checks, problems = check_all([str(SAMPLE_MODEL), str(tmp_path / "none.jinja")])
    assert len(checks) == len(problems) == 1


@pytest.mark.parametrize(
    ("target", "said"),
    [
        pytest.param("none.jinja", "No such file or directory", id="no file"),
        pytest.param("127.0.0.1:9", "refused the connection", id="no server"),
    ],
)
def test_what_cannot_be_checked_is_one_line(target: str, said: str) -> None:
    assert said in error_of("template", target)


def test_a_live_server_is_checked() -> None:
    with TemplateServer((SAMPLE_MODEL / "chat_template.jinja").read_text("utf-8")) as server:
        said = run("template", server.url, code=1).stdout
    assert said.startswith(f"sample/agent-8k at {server.url}\n") and "preserve_reasoning=true" in said


def test_template_arguments_of_every_request() -> None:
    kept = run("template", SAMPLE_MODEL, "--kwargs", '{"preserve_reasoning": true}')
    assert "Pure: a growing conversation only grows, in 11 of 11 probes." in kept.stdout


@pytest.mark.parametrize("kwargs", ["{", "[1]", "", "keep=true"])
def test_template_arguments_that_are_no_object(kwargs: str) -> None:
    assert error_of("template", SAMPLE_MODEL, "--kwargs", kwargs).startswith("--kwargs: not a JSON object")


def test_a_hostile_template_is_one_line_and_does_not_hide_the_others(tmp_path: Path) -> None:
    hostile = template(tmp_path, "hostile", "{{ messages[0].content * 999999999 }}")
    result = run("template", hostile, template(tmp_path, "pure", PURE), code=2)
    assert result.stderr == f"{hostile}: the chat template needs more than 1 GB of memory and was stopped\n"
    assert "Pure:" in result.stdout
