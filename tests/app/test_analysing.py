"""What every command that analyses does first."""

from pathlib import Path

import pytest

from analysis.formats.base import FormatError
from analysis.model.settings import Settings
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.side_files import Beside
from app.analysing import analyse_all, block_size_given, renderers_of, settings_of
from tests.app.command_line import chat, write
from tests.builders import SAMPLE_MODEL


def test_who_renders() -> None:
    assert renderers_of(None, None, False, "vllm").has("sample/agent-8k")
    assert renderers_of(str(SAMPLE_MODEL), None, False, "none").has("any")
    assert renderers_of(None, "localhost:1", False, "vllm").server is not None


@pytest.mark.parametrize(
    ("model", "endpoint", "normalise", "said"),
    [
        ("", None, "vllm", "empty"),
        ("a", "b", "vllm", "exclude each other"),
        (None, None, "odd", "--normalise odd"),
        ("/no/such/folder", None, "vllm", "/no/such/folder"),
    ],
)
def test_what_does_not_fit(model: str | None, endpoint: str | None, normalise: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        renderers_of(model, endpoint, False, normalise)


def test_a_block_size_that_was_given_says_so() -> None:
    assert block_size_given(None) == {} and Settings(**block_size_given(32)) == Settings(32, "given")
    assert settings_of(Renderers(), Settings(32)) == Settings(32)


def test_logs_that_cannot_be_read_are_problems_until_none_is_left(tmp_path: Path) -> None:
    good = write(tmp_path / "good.jsonl", chat("a"))
    bad = write(tmp_path / "bad.jsonl", {"odd": 1})
    gone = tmp_path / "gone.jsonl"
    analysed, problems = analyse_all([good, bad, gone], Renderers(), Settings(), None, Beside())
    assert len(analysed) == 1 and sorted(problem.file for problem in problems) == ["bad.jsonl", "gone.jsonl"]
    with pytest.raises(FormatError):
        analyse_all([bad], Renderers(), Settings(), None, Beside())


def test_logs_of_one_server_are_read_together(tmp_path: Path) -> None:
    logs = [write(tmp_path / f"{name}.jsonl", chat(name)) for name in "ab"]
    analysed, _problems = analyse_all(logs, Renderers(), Settings(same_server=True), None, Beside())
    assert len(analysed) == 1 and len(analysed[0].records) == 2
