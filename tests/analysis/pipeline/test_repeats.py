"""Calls that were logged twice: which are the same, and what an import makes of copies of a log."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.model.session import Request, Session, Turn, Usage
from analysis.pipeline.importing import analyse_source
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.repeats import MESSAGE, once
from analysis.pipeline.sources import read_source
from tests.builders import RECORDED, assistant, request, tokens, user
from tests.sample_store import GIVEN

LOOP = next(path for path in RECORDED if path.stem == "clean-tool-loop")
CALL = Turn(1, 3, "chatcmpl-1", request(user("hi")), assistant("yes"), Usage(9, 1), started_at=5.0)
IDS = replace(CALL, request=Request("completion", "m", prompt=tokens(1, 2)))
SAID = replace(CALL, request=request(user("hi")), reply=assistant("yes"))


def session(*turns: Turn, file: str = "a") -> Session:
    numbered = tuple(replace(turn, number=number) for number, turn in enumerate(turns, 1))
    return Session("s", "s", file, "openai-chat", numbered)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        pytest.param(CALL, SAID, True, id="all that was said"),
        pytest.param(CALL, replace(SAID, line=9, note="n"), True, id="on another line"),
        pytest.param(replace(CALL, started_at=None), replace(SAID, started_at=None), True, id="no times"),
        pytest.param(CALL, replace(SAID, request_id="chatcmpl-2"), False, id="another id"),
        pytest.param(CALL, replace(SAID, started_at=6.0), False, id="sent again with its id"),
        pytest.param(CALL, replace(SAID, request=request(user("ho"))), False, id="another request"),
        pytest.param(CALL, replace(SAID, reply=assistant("no")), False, id="another reply"),
        pytest.param(CALL, replace(SAID, usage=Usage(9, 1, 8, "reported")), False, id="other counts"),
        pytest.param(IDS, replace(IDS, request=replace(IDS.request, prompt=tokens(1, 2))), True, id="equal ids"),
        pytest.param(IDS, replace(IDS, request=replace(IDS.request, prompt=tokens(1, 3))), False, id="other ids"),
        pytest.param(IDS, replace(IDS, request=replace(IDS.request, prompt="x")), False, id="ids and text"),
        *(
            pytest.param(replace(CALL, request_id=made_up), replace(SAID, request_id=made_up), False, id=made_up)
            for made_up in (
                "line-3",
                "django-1 message 2",
                "step 4",
                "rollout line 12",
                "s step 1",
                "observation 2",
                "run 3",
            )
        ),
    ],
)
def test_a_call_is_counted_once(one: Turn, other: Turn, is_same: bool) -> None:
    (found,), problems = once([session(one, other)])
    assert [turn.number for turn in found.turns] == ([1] if is_same else [1, 2])
    assert [(one.file, one.line, one.message) for one in problems] == ([("a", other.line, MESSAGE)] if is_same else [])


def test_a_copy_leaves_no_session_and_is_one_problem() -> None:
    both = session(CALL, replace(CALL, request_id="chatcmpl-2"))
    found, problems = once([both, replace(both, file="b")])
    assert found == [both] and [(one.file, one.line) for one in problems] == [("b", 3)]
    assert problems[0].message == f"{MESSAGE} (and 1 more such line)"


def test_what_overlaps_goes_on() -> None:
    second, third = replace(CALL, request_id="chatcmpl-2"), replace(CALL, request_id="chatcmpl-3")
    found, _problems = once([session(CALL, second), session(second, third, file="b")])
    assert [[(turn.number, turn.request_id) for turn in one.turns] for one in found] == [
        [(1, "chatcmpl-1"), (2, "chatcmpl-2")],
        [(1, "chatcmpl-3")],
    ]


def test_a_log_beside_its_packed_copy_is_read_once(tmp_path: Path) -> None:
    text = LOOP.read_bytes()
    (tmp_path / "x.jsonl").write_bytes(text)
    alone = analyse_source(read_source(tmp_path), Renderers(), GIVEN)
    (tmp_path / "x.jsonl.gz").write_bytes(gzip.compress(text))
    (tmp_path / "y.jsonl").write_bytes(text.splitlines(keepends=True)[0] * 2)
    together = analyse_source(read_source(tmp_path), Renderers(), GIVEN)
    assert together.records == alone.records
    told = {one.file: one.message for one in together.problems if one.message.startswith(MESSAGE)}
    assert told == {
        "x.jsonl.gz/x.jsonl": f"{MESSAGE} (and 7 more such lines)",
        "y.jsonl": f"{MESSAGE} (and 1 more such line)",
    }


def test_lines_without_ids_are_calls_of_their_own(tmp_path: Path) -> None:
    line = json.dumps({"request": {"model": "m", "messages": [user("hi")]}}) + "\n"
    (tmp_path / "x.jsonl").write_text(line * 3)
    (record,) = analyse_source(read_source(tmp_path), Renderers(), GIVEN).records
    assert len(record.turns) == 3
