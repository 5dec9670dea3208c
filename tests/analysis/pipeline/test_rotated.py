"""One key in several files: a session that goes on, or another run of the same task."""

import json
from dataclasses import replace

import pytest

from analysis.model.session import JsonObject, Request, Session, Turn
from analysis.pipeline.importing import analyse_source
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.rotated import continued
from analysis.pipeline.sources import LogFile, Source
from tests.builders import assistant, request, user
from tests.sample_store import GIVEN

ASKED: tuple[JsonObject, ...] = (user("fix it"),)
FIRST = (*ASKED, assistant("ls"), user("files"))
THEN = (*FIRST, assistant("cat"), user("text"))


def piece(file: str, *requests: tuple[JsonObject, ...], log_format: str = "mini-swe-agent", key: str = "t") -> Session:
    turns = tuple(Turn(at, 1, f"{file} {at}", request(*sent)) for at, sent in enumerate(requests, 1))
    return Session(key, "s", file, log_format, turns)


def told(*pieces: Session) -> list[tuple[str, str, list[str]]]:
    made = continued(pieces)
    assert all([turn.number for turn in one.turns] == list(range(1, len(one.turns) + 1)) for one in made)
    return [(one.session_id, one.file, [turn.request_id for turn in one.turns]) for one in made]


RUNS = (piece("a", ASKED, FIRST), piece("b", ASKED, (*ASKED, assistant("pwd"), user("/"))))


def test_two_runs_of_one_task_are_two_sessions() -> None:
    assert told(*RUNS) == [("t", "a", ["a 1", "a 2"]), ("t (b)", "b", ["b 1", "b 2"])]


def test_runs_of_one_file_have_names_of_their_own() -> None:
    one, other = RUNS
    same = [one, replace(other, file="a"), replace(other, file="a")]
    assert [session.session_id for session in continued(same)] == ["t", "t (a)", "t (a, 2)"]


def test_a_log_of_calls_goes_on_under_its_key_whatever_was_asked() -> None:
    pieces = [replace(run, log_format="litellm") for run in RUNS]
    assert told(*pieces) == [("t", "a + b", ["a 1", "a 2", "b 1", "b 2"])]


@pytest.mark.parametrize(
    ("later", "is_joined"),
    [
        pytest.param((THEN,), True, id="begins with all there was"),
        pytest.param((ASKED, FIRST, THEN), False, id="begins anew"),
        pytest.param((FIRST,), False, id="no more than there was"),
        pytest.param(((user("Look."), *THEN),), False, id="another beginning"),
    ],
)
def test_a_transcript_goes_on_where_it_begins_with_what_there_was(
    later: tuple[tuple[JsonObject, ...], ...], is_joined: bool
) -> None:
    pieces = piece("a", ASKED, FIRST), piece("b", *later)
    assert len(continued(pieces)) == len(continued(pieces[::-1])) == (1 if is_joined else 2)


def test_prompts_without_messages_say_nothing() -> None:
    bare = replace(RUNS[0], turns=(Turn(1, 1, "r", Request("completion", "m", prompt="x")),))
    assert len(continued([bare, replace(bare, file="b")])) == 2


def test_sessions_without_a_key_stay_as_they_are() -> None:
    found = [replace(run, inferred=True) for run in RUNS]
    assert continued(found) == found


def test_two_trajectories_of_one_instance_are_two_sessions_of_an_import() -> None:
    files = []
    for folder, command in (("a", "ls"), ("b", "pwd")):
        said = {
            "trajectory_format": "mini-swe-agent-1",
            "instance_id": "django-1",
            "messages": [*ASKED, assistant(command), user("ok"), assistant("done")],
        }
        files.append(LogFile(f"{folder}/run.json", json.dumps(said).encode()))
    records = analyse_source(Source("runs", tuple(files)), Renderers(), GIVEN).records
    assert [(one.session_id, len(one.turns)) for one in records] == [("django-1", 2), ("django-1 (b/run.json)", 2)]
