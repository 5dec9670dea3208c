"""The command line on logs of somebody who means harm: terminals, names without an end, archives that reach outside."""

import json
import zipfile
from pathlib import Path

import pytest

from analysis.pipeline.analyse import REMEDY
from analysis.render import confined
from tests.app.command_line import chat, run, write
from tests.builders import SAMPLE_MODEL, model_with_template

EVIL = "\x1b]0;owned\x07\x1b[2J\u202e\x9b31m"
HUGE = "n" * 1_000_000


def test_control_characters_of_a_log_never_reach_the_terminal(tmp_path: Path) -> None:
    bodies = [chat(f"{EVIL} one", EVIL, model=f"sample{EVIL}"), chat(f"{EVIL} two", EVIL, EVIL, model=f"sample{EVIL}")]
    bodies[1]["messages"][0]["role"] = f"user{EVIL}"
    records = [{"session_id": EVIL, "request_id": EVIL, "note": EVIL, "request": one} for one in bodies]
    log = write(tmp_path / f"a{EVIL}.jsonl".replace("/", ""), *records, "not an object")
    whole = write(tmp_path / f"b{EVIL}.jsonl", *records)
    files = [write(tmp_path / f"{name}{EVIL}.json", one) for name, one in zip("ab", bodies, strict=True)]
    for result in (
        run("analyze", log, "--model", SAMPLE_MODEL),
        run("analyze", log),
        run("analyze", log, "--model", SAMPLE_MODEL, "--json", "-"),
        run("analyze", log, "--format", EVIL, code=2),
        run("diff", *files, "--model", SAMPLE_MODEL),
        run("diff", *files, code=2),
        run("check", whole, "--model", SAMPLE_MODEL, "--save", tmp_path / "b.json"),
        run("check", whole, "--model", SAMPLE_MODEL, "--baseline", tmp_path / "b.json"),
        run("check", log, "--model", SAMPLE_MODEL, "--baseline", tmp_path / "b.json", code=2),
        run("report", log, "--redact", "nothing", "-o", "-"),
        run("convert", log, "-o", "-"),
        run("template", f"{EVIL}.jinja", code=2),
        run("analyze", f"--{EVIL}", code=2),
        run(EVIL, code=2),
    ):
        raw = [char for char in result.output if not char.isprintable() and char != "\n"]
        assert raw == []
        assert any(shown in result.output for shown in ("\\x1b]0;owned\\x07", "\\u001b]0;owned\\u0007"))


@pytest.mark.parametrize("form", ["{}", "{} and more"])
def test_a_name_without_an_end_is_cut(tmp_path: Path, form: str) -> None:
    name = form.format(HUGE)
    lines = ({"session_id": name, "request_id": name, "request": chat("a", "b", "c", model=name)} for _twice in "ab")
    log = write(tmp_path / "a.jsonl", *lines)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("n" * 60_000 + ".jsonl", log.read_text("utf-8"))
    for result in (
        run("analyze", log, "--model", SAMPLE_MODEL),
        run("analyze", tmp_path / "a.zip"),
        run("diff", log, log, code=2),
    ):
        assert "nnnn…" in result.output and len(result.output) < 10_000


def test_an_archive_writes_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    with zipfile.ZipFile(tmp_path / "in" / "deep" / "a.zip", "w") as archive:
        for name in ("../../up.jsonl", "/abs.jsonl", "..\\back.jsonl", "plain.jsonl"):
            archive.writestr(name, write(tmp_path / "one.jsonl", {"request": chat("a")}).read_text("utf-8"))
    run("analyze", tmp_path / "in", "--db", tmp_path / "w.duckdb", "--json", tmp_path / "out.json")
    found = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert found == {"in/deep/a.zip", "one.jsonl", "w.duckdb", "out.json"} and not Path("/abs.jsonl").exists()


PRINTS = "{% for m in messages %}<|im_start|>{{ m.role }} {{ m.content }}<|im_end|>{% endfor %}"
LOOP = "{% for i in range(99999) %}" * 2 + "{% endfor %}" * 2
DOUBLES = "{% set n = namespace(x='0123') %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}{{ n.x }}"
FLOODS = "{% for i in range(30000) %}{{ 'x ' * 1000 }}{% endfor %}"


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        pytest.param(LOOP, "did not end within 1 s and was stopped", id="a loop"),
        pytest.param("{{ 9 ** ((messages | length) ** 30) }}", "did not end within 1 s and was stopped", id="a power"),
        pytest.param(DOUBLES, "needs more than 1 GB of memory and was stopped", id="doubling"),
        pytest.param(FLOODS, "prints over 1 MB, far more than the request has, and was stopped", id="a flood"),
    ],
)
def test_a_template_of_a_model_that_means_harm_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str, said: str
) -> None:
    if "1 s" in said:  # the others end long before
        monkeypatch.setattr(confined, "SECONDS", 1.0)
    model = model_with_template(tmp_path / "model", f"{PRINTS}{{% if messages | length > 2 %}}{harm}{{% endif %}}")
    bodies = [chat(*"ab"[:1]), chat(*"abc"), chat(*"abcde")]
    log = write(tmp_path / "a.jsonl", *({"session_id": "s", "request": one} for one in bodies))
    result = run("analyze", log, "--model", model, "--json", tmp_path / "a.json")
    lines = [line for line in result.stderr.splitlines() if "chat template" in line]
    assert lines == [
        f"a.jsonl: line 2: not rendered: the chat template of {model} {said}. {REMEDY} (and 1 more such line)"
    ]
    turns = json.loads((tmp_path / "a.json").read_text("utf-8"))["sessions"][0]["turns"]
    assert [turn["prompt_tokens"] is not None for turn in turns] == [True, False, False]
    assert "max-lost" in run("analyze", log, "--model", model, "--max-lost", "5", code=2).stderr
