"""ATIF: a run with an embedded and a linked sub-agent and a continuation, made after Harbor's RFC 0001."""

import json
from itertools import permutations
from typing import Any

import pytest

from analysis.formats import atif, read_logs
from analysis.formats.base import FormatError
from analysis.model.session import Log
from tests.format_samples import counts, log_of_sample, sample, turns

RUN, SUMMARY, CONTINUED = (f"atif/{name}.json" for name in ("trajectory", "summary", "trajectory.cont-1"))


def test_a_run_with_its_embedded_sub_agent() -> None:
    log = log_of_sample(RUN)
    (session,) = log.sessions
    assert (session.session_id, session.inferred) == ("s1", False) and not log.problems
    assert counts(log) == [(40, 0), (64, 32), (30, None), (120, 64), (50, 16)]
    assert [turn.lineage for turn in session.turns] == [None, None, "sub-agent t-help", None, None]
    assert [turn.request.model for turn in session.turns] == ["qwen3"] * 3 + ["qwen3-large", "qwen3"]
    first, second = session.turns[:2]
    assert first.prompt_ids is not None and len(first.prompt_ids) == 40 and first.client == "harbor-agent 2.1"
    assert [message["role"] for message in second.request.messages] == ["system", "user", "assistant", "tool"]
    assert second.request.tools[0]["type"] == "function" and first.completeness == {"reconstructed"}
    assert session.turns[2].usage.cached_basis == "omitted"


@pytest.mark.parametrize("names", [*permutations((RUN, SUMMARY, CONTINUED))], ids=range(6))
def test_all_files_of_a_run_are_one_session_whatever_their_order(names: tuple[str, ...]) -> None:
    found = {turn.request_id: turn.lineage for turn in turns(log_of_sample(*names))}
    assert [session.session_id for session in log_of_sample(*names).sessions] == ["s1"]
    assert found == {
        "t-main step 3": None,
        "t-main step 4": None,
        "t-help step 2": "sub-agent t-help",
        "t-main step 6": None,
        "s1-summary step 2": "sub-agent s1-summary",
        "t-main step 9": None,
        "t-cont step 5": None,
    }


def test_a_sub_agent_alone_is_a_session() -> None:
    (session,) = log_of_sample(SUMMARY).sessions
    assert (session.session_id, session.turns[0].lineage) == ("s1-summary", None)


def test_what_a_continuation_copied_is_history() -> None:
    log = log_of_sample(CONTINUED)
    (turn,) = turns(log)
    assert counts(log) == [(70, 48)] and log.sessions[0].session_id == "s1"
    assert [message["role"] for message in turn.request.messages] == ["system", "user", "assistant", "user"]


def trajectory(session_id: str | None, refers_to: dict[str, Any] | None = None, **fields: Any) -> bytes:
    """A trajectory of one call, which may refer to another one."""
    results = [{"subagent_trajectory_ref": [refers_to]}] if refers_to else []
    step = {"source": "agent", "message": "a", "observation": {"results": results}}
    named = {} if session_id is None else {"session_id": session_id}
    steps = [{"source": "user", "message": "u"}, step]
    return json.dumps(
        {"schema_version": "ATIF-v1.7", "agent": {"name": "n"}, "steps": steps, **named, **fields}
    ).encode()


REFERENCES: dict[str, tuple[dict[str, Any], bytes, bool]] = {
    "by its id": ({"trajectory_id": "t"}, trajectory("run", trajectory_id="t"), True),
    "by its file": ({"trajectory_path": "logs/b.json"}, trajectory("run"), True),
    "by its session": ({"session_id": "sub"}, trajectory("sub"), True),
    "by its session, continued": ({"session_id": "sub"}, trajectory("sub-cont-2"), True),
    "by the session both share": ({"session_id": "run"}, trajectory("run"), False),
    "to another one": ({"trajectory_id": "x"}, trajectory("other", trajectory_id="t"), False),
}


@pytest.mark.parametrize(("reference", "other", "linked"), REFERENCES.values(), ids=REFERENCES)
def test_references_to_other_files(reference: dict[str, Any], other: bytes, linked: bool) -> None:
    ((_name, log),) = read_logs([("a.json", trajectory("run", reference)), ("b.json", other)], "s")
    assert isinstance(log, Log)
    found = [(session.session_id, turn.lineage is not None) for session in log.sessions for turn in session.turns]
    assert found == [("run", False), ("run" if linked or b'"run"' in other else "other", linked)]


def test_continuations_without_times_stand_in_their_order() -> None:
    files = [(f"{number}.json", trajectory(f"run-cont-{number}")) for number in (10, 2)]
    ((_name, log),) = read_logs([*files, ("a.json", trajectory("run"))], "s")
    assert isinstance(log, Log)
    (session,) = log.sessions
    assert [turn.request_id.partition(" ")[0] for turn in session.turns] == ["run", "run-cont-2", "run-cont-10"]
    assert session.file == "a.json + 2.json + 10.json"


def test_references_in_a_circle_end() -> None:
    files = [("a", trajectory("a", {"session_id": "b"})), ("b", trajectory("b", {"session_id": "a"}))]
    ((_name, log),) = read_logs(files, "s")
    assert isinstance(log, Log) and sum(len(session.turns) for session in log.sessions) == 2


def test_a_step_of_several_calls_is_said_to_be_one() -> None:
    steps = [{"source": "user", "message": "u"}, {"source": "agent", "message": "a", "llm_call_count": 3}]
    log = atif.read(trajectory("s", steps=steps), "f", "f")
    assert [problem.message for problem in log.problems] == [atif.COMBINED]


def test_without_a_call_it_is_refused() -> None:
    with pytest.raises(FormatError, match=r"^f: no step in it for which a model was called"):
        atif.read(trajectory("s", steps=[]), "f", "f")


def test_a_long_file_is_known_by_its_names() -> None:
    whole = sample(RUN).read_bytes()
    assert atif.sniff(whole) and not atif.sniff(whole.replace(b"ATIF-v1.7", b"other"))
    long = {"schema_version": "ATIF-v1.6", "agent": {}, "steps": [], "notes": "x" * 999}
    assert atif.sniff(json.dumps(long).encode()[:-99])
