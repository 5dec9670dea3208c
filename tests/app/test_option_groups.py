"""Options that several commands take: spread into a command's own, and given to it as one."""

import inspect

import pytest
import typer
from typer.testing import CliRunner

from app.option_groups import LogOptions, RenderOptions, spread
from tests.app.command_line import run


def command_line(without: tuple[str, ...], given: list[LogOptions]) -> typer.Typer:
    """A command line of one command, which keeps what it is asked for."""
    made = typer.Typer()

    @made.command()
    @spread(without=without)
    def tell(name: str, *, asked: LogOptions, loud: bool = False) -> None:
        """Tell it."""
        given.append(asked)
        typer.echo(name.upper() if loud else name)

    return made


def test_a_group_reaches_the_command_as_one_beside_its_own_options() -> None:
    given: list[LogOptions] = []
    words = ["b", "--block-size", "32", "--loud", "--metrics", "a", "--metrics", "b", "--dcp", "2"]
    assert CliRunner().invoke(command_line((), given), words).output == "B\n"
    (asked,) = given
    assert (asked.block_size, asked.dcp, asked.normalise, asked.model) == (32, 2, "vllm", None)
    assert [path.name for path in asked.metrics or []] == ["a", "b"]


def test_what_a_command_does_without_is_no_option_of_it() -> None:
    given: list[LogOptions] = []
    refused = CliRunner().invoke(command_line(("kv_events",), given), ["b", "--kv-events", "x"])
    assert refused.exit_code == 2 and not given
    assert CliRunner().invoke(command_line(("kv_events",), given), ["b"]).exit_code == 0
    assert given == [LogOptions()]


def test_the_options_stand_in_the_place_of_the_group() -> None:
    @spread()
    def tell(name: str, *, asked: RenderOptions, loud: bool = False) -> None:
        """Tell it."""

    names = list(inspect.signature(tell).parameters)
    assert names == ["name", "model", "endpoint", "allow_generation", "block_size", "normalise", "loud"]


@pytest.mark.parametrize("command", ["analyze", "check", "report"])
def test_commands_that_read_logs_ask_for_the_same(command: str) -> None:
    said = run(command, "--help").stdout
    missing = {"--allow-generation", "--kv-events"} if command == "check" else set()
    for option in ("--model", "--endpoint", "--allow-generation", "--same-server", "--window", "--kv-events"):
        assert (option in said) is (option not in missing), option
