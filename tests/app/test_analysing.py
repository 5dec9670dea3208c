"""What commands share: the options that name a renderer, and all logs read, whatever one of them is."""

from pathlib import Path

import pytest

from analysis.formats.base import UnknownFormat
from analysis.live.errors import EndpointError
from analysis.model.settings import Settings
from analysis.pipeline import sources
from analysis.pipeline.sources import Source, read_source
from analysis.store.database import StoreError
from app import analysing
from app.analysing import analyse_all, block_size_of, renderers_of, served
from app.option_groups import RenderOptions
from tests.builders import SAMPLES


@pytest.mark.parametrize(
    ("options", "words"),
    [
        pytest.param({"normalise": "some"}, "--normalise some: use one of vllm, none", id="no such way"),
        pytest.param({"model": ""}, "--model or --endpoint is empty", id="an empty model"),
        pytest.param({"endpoint": ""}, "--model or --endpoint is empty", id="an empty address"),
        pytest.param({"model": "m", "endpoint": "e"}, "exclude each other", id="both"),
        pytest.param({"model": "/no/such/folder"}, "/no/such/folder", id="a model that cannot be loaded"),
    ],
)
def test_options_that_name_no_renderer_are_refused(options: dict[str, str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        renderers_of(RenderOptions(**options))


def test_a_given_block_size_is_said_to_be_given() -> None:
    assert Settings(**block_size_of(32)) == Settings(block_size=32, block_size_basis="given")
    assert block_size_of(None) == {}


def test_without_a_server_the_settings_are_those_given() -> None:
    given = Settings(block_size=64)
    assert served(renderers_of(RenderOptions()), given) is given


def test_every_log_is_a_source_of_its_own_unless_they_are_joined() -> None:
    renderers = renderers_of(RenderOptions())
    apart, _ = analyse_all(list(SAMPLES[:2]), renderers, Settings())
    joined, _ = analyse_all(list(SAMPLES[:2]), renderers, Settings(same_server=True))
    assert [len(one.records) for one in apart] == [1, 1]
    assert [len(one.records) for one in joined] == [2]


def test_what_cannot_be_read_is_a_problem_beside_what_can(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_text("hello")
    analysed, problems = analyse_all(
        [tmp_path / "x.log", tmp_path / "no.jsonl", SAMPLES[0]], renderers_of(RenderOptions()), Settings()
    )
    assert len(analysed) == 1
    assert [problem.file for problem in problems] == ["no.jsonl", "x.log"]


def test_a_large_log_that_is_gone_when_it_is_read_is_a_problem_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log that stays on the disk is opened again when its turn comes."""
    gone = tmp_path / "gone.jsonl"
    gone.write_bytes(SAMPLES[0].read_bytes())

    def found_and_lost(path: Path) -> Source:
        source = read_source(path)
        gone.unlink(missing_ok=True)
        return source

    monkeypatch.setattr(sources, "LARGE", 0)
    monkeypatch.setattr(analysing, "read_source", found_and_lost)
    analysed, problems = analyse_all([gone, SAMPLES[0]], renderers_of(RenderOptions()), Settings())
    assert [one.source.name for one in analysed] == [SAMPLES[0].name]
    assert [(problem.file, problem.message) for problem in problems] == [
        ("gone.jsonl", f"{gone}: No such file or directory")
    ]


@pytest.mark.parametrize("error", [EndpointError("silent"), StoreError("full")], ids=["the server", "the store"])
def test_what_concerns_every_log_ends_the_command(error: OSError, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_given: object) -> None:
        raise error

    monkeypatch.setattr(analysing, "analyse_source", failing)
    with pytest.raises(type(error), match=str(error)):
        analyse_all(list(SAMPLES[:2]), renderers_of(RenderOptions()), Settings())


def test_the_first_reason_is_raised_where_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_text("hello")
    with pytest.raises(UnknownFormat, match=r"x\.log"):
        analyse_all([tmp_path / "x.log"], renderers_of(RenderOptions()), Settings())
