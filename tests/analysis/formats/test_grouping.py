"""Turns into sessions: with the log's own key, and without one the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.formats.grouping import Entry, by_first_turn, grouped, known_times
from analysis.model.session import JsonObject, Request, Session, Turn
from tests.builders import RECORDED, SAMPLES, assistant, lines_of, log_of, request, tokens, user

CHATS = [path for path in (*SAMPLES, *RECORDED) if not path.stem.startswith("sliding-window")]  # no sessions in there


def asked(*requests: Request | tuple[JsonObject, ...], keys: str = "", times: str = "") -> list[str]:
    """Group requests; keys and times are one letter or digit each, "-" for none.  Return the lines of each session."""
    entries = []
    for index, item in enumerate(requests):
        at = float(times[index]) if times and times[index] != "-" else None
        turn = Turn(0, index + 1, f"r{index}", item if isinstance(item, Request) else request(*item), started_at=at)
        entries.append(Entry(turn, keys[index] if keys and keys[index] != "-" else None))
    return lines(grouped(entries, "f", "f", "test"))


def lines(sessions: tuple[Session, ...]) -> list[str]:
    for session in sessions:
        assert [turn.number for turn in session.turns] == list(range(1, len(session.turns) + 1))
    return ["".join(str(turn.line) for turn in session.turns) for session in sessions]


def without_keys(line: dict[str, Any]) -> dict[str, Any]:
    line["request"].pop("session_id", None)
    return {key: value for key, value in line.items() if key not in ("session_id", "request_headers")}


@pytest.mark.slow
@pytest.mark.parametrize("path", CHATS, ids=lambda path: path.stem)
def test_files_without_keys_group_as_with_them(path: Path, tmp_path: Path) -> None:
    bare = tmp_path / path.name
    bare.write_text("\n".join(json.dumps(without_keys(line)) for line in lines_of(path)))
    keyed, inferred = log_of(path).sessions, log_of(bare).sessions
    assert [[turn.line for turn in session.turns] for session in inferred] == [
        [turn.line for turn in session.turns] for session in keyed
    ]
    assert all(session.inferred for session in inferred) and not any(session.inferred for session in keyed)


def test_the_key_decides() -> None:
    growing = (user("a"),), (user("a"), assistant("b"), user("c"))
    assert asked(*growing, keys="xy") == ["1", "2"]
    assert asked((user("a"),), (user("z"),), keys="xx") == ["12"]


@pytest.mark.parametrize(
    ("traces", "sessions"),
    [
        pytest.param("abc", ["123"], id="a trace for every call"),
        pytest.param("aaa", ["123"], id="a trace for all"),
        pytest.param("aab", ["12", "3"], id="several calls of one"),
        pytest.param("---", ["123"], id="none"),
    ],
)
def test_a_trace_is_a_session_where_turns_share_it(traces: str, sessions: list[str]) -> None:
    histories = [(user("a"),), (user("a"), assistant("b"), user("c")), (user("a"), assistant("b"), user("d"))]
    entries = [
        Entry(Turn(0, line, "r", request(*sent)), None, trace=None if trace == "-" else trace)
        for line, (sent, trace) in enumerate(zip(histories, traces, strict=True), 1)
    ]
    made = grouped(entries, "f", "f", "test")
    assert lines(made) == sessions
    assert [one.inferred for one in made] == [one.session_id != "a" for one in made]


def test_sessions_stand_in_the_order_of_their_first_turn() -> None:
    hi = (user("hi"),)
    assert asked(hi, hi, hi, keys="yxy") == ["13", "2"]


@pytest.mark.parametrize(
    ("times", "order"),
    [
        pytest.param("321", "321", id="by start time"),
        pytest.param("111", "123", id="equal times: by line"),
        pytest.param("3-1", "312", id="no time: that of the line before"),
        pytest.param("-31", "312", id="no time at the beginning: the first there is"),
        pytest.param("-13", "123", id="nor does it jump ahead"),
        pytest.param("---", "123", id="no times: by line"),
    ],
)
def test_turns_stand_in_the_order_the_server_got_them(times: str, order: str) -> None:
    hi = (user("hi"),)
    assert asked(hi, hi, hi, keys="xxx", times=times) == [order]


@pytest.mark.parametrize(
    ("times", "known"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param([None, None], [0.0, 0.0], id="none"),
        pytest.param([None, 5.0, None, 3.0, None], [5.0, 5.0, 5.0, 3.0, 3.0], id="the one before, at first the next"),
        pytest.param([2.0, 1.0], [2.0, 1.0], id="all"),
    ],
)
def test_times_without_gaps(times: list[float | None], known: list[float]) -> None:
    assert known_times(times) == known


SYSTEM = {"role": "system", "content": "You are an agent."}
FIRST = (SYSTEM, user("find it"))
THEN = (*FIRST, assistant("ok"), user("go on"))


@pytest.mark.parametrize(
    ("requests", "sessions"),
    [
        pytest.param([FIRST, THEN], ["12"], id="a growing history"),
        pytest.param([FIRST, (SYSTEM, user("other"))], ["1", "2"], id="a shared system text is no session"),
        pytest.param([FIRST, ({"role": "system", "content": "New day."}, *THEN[1:])], ["12"], id="another system text"),
        pytest.param([FIRST, (*FIRST[:1], user(" find it\n"), *THEN[2:])], ["12"], id="stripped text"),
        pytest.param([THEN, FIRST], ["12"], id="a shorter history: an edit or a retry"),
        pytest.param(
            [(*FIRST, assistant("ok", reasoning="hm"), user("x")), (*FIRST, assistant("ok"), user("x"))],
            ["12"],
            id="reasoning is ignored",
        ),
        pytest.param(
            [request(*FIRST, model="a"), request(*FIRST, model="b"), request(*THEN, model="a")],
            ["13", "2"],
            id="models are kept apart",
        ),
        pytest.param(
            [FIRST, FIRST, THEN, (*FIRST, assistant("no"), user("stop"))],
            ["1234"],
            id="equal openings continue the latest",
        ),
        pytest.param(
            [request(*FIRST, tools=({"function": {"name": "a"}},)), request(*THEN)], ["12"], id="tools are ignored"
        ),
    ],
)
def test_inference(requests: list[Any], sessions: list[str]) -> None:
    assert asked(*requests) == sessions


SUMMARY = "The user asked why parcels for postcode 40213 end up in the wrong bin. So far the sorter table was checked."


def test_a_summary_continues_the_session_it_sums_up() -> None:
    asks = user("Why do parcels for postcode 40213 end up in the wrong bin? Please check the sorter.")
    history = (SYSTEM, asks, assistant("So far the sorter table was checked and is fine."), user("and now?"))
    assert asked(history, (SYSTEM, user(SUMMARY))) == ["12"]
    assert asked(history, (SYSTEM, user("A fresh question about something else, please answer it."))) == [
        "1",
        "2",
    ]
    assert asked(history[:2], (SYSTEM, user(SUMMARY + " " + str(asks["content"])))) == ["1", "2"], "nothing collapsed"
    assert asked(history, ({"role": "system", "content": "Another agent."}, user(SUMMARY))) == ["1", "2"]


def completion(prompt: Any) -> Request:
    return Request("completion", "m", prompt=prompt)


@pytest.mark.parametrize(
    ("prompts", "sessions"),
    [
        pytest.param(["abcdef", "abcdefgh"], ["12"], id="a growing text"),
        pytest.param(["abcdefgh", "abcd"], ["12"], id="a shorter text"),
        pytest.param(["abcdefgh", "abcXXXXX"], ["1", "2"], id="less than half in common"),
        pytest.param([tokens(1, 2, 3), tokens(1, 2, 3, 4)], ["12"], id="growing ids"),
        pytest.param([tokens(1, 2, 3), tokens(5, 2, 3)], ["1", "2"], id="other ids"),
        pytest.param(["[1 2", tokens(1, 2)], ["1", "2"], id="text and ids"),
    ],
)
def test_completions(prompts: list[Any], sessions: list[str]) -> None:
    assert asked(*map(completion, prompts)) == sessions


TITLE = {"role": "system", "content": "You write titles."}


def lineages(*requests: Request | tuple[JsonObject, ...], named: str = "") -> list[str | None]:
    """The lineages of the turns of one session; ``named`` are those that the log names, a letter each."""
    turns = [
        Turn(
            0,
            index,
            "r",
            item if isinstance(item, Request) else request(*item),
            lineage=named[index : index + 1] or None,
        )
        for index, item in enumerate(requests)
    ]
    (session,) = grouped([Entry(turn, "s") for turn in turns], "f", "f", "test")
    return [turn.lineage for turn in session.turns]


def test_side_calls_of_a_session_are_set_apart() -> None:
    title, agent = (TITLE, user("A title for this?")), ({"role": "system", "content": "You search."}, user("find"))
    assert lineages(FIRST, title, THEN, title, agent, THEN) == [None, "side-1", None, "side-1", "side-2", None]
    assert lineages(FIRST, request(user("Sum up."), tools=({"function": {"name": "look"}},))) == [None, "side-1"]


def test_what_changes_within_a_conversation_is_no_side_call() -> None:
    renamed = ({"role": "system", "content": "It is 10:01."}, *FIRST[1:])
    summed = (FIRST[0], user("So far: the parcel was found."))
    other_model = request(*THEN, model="lora")
    assert lineages(FIRST, renamed, summed, other_model, FIRST) == [None] * 5
    assert lineages(completion("ab"), completion("cd")) == [None, None]


def test_lineages_that_the_log_names_stay() -> None:
    assert lineages(FIRST, FIRST, named="ab") == ["a", "b"]


def test_sessions_of_several_files_stand_in_the_order_of_their_first_turn() -> None:
    made = [
        grouped([Entry(Turn(0, 1, "r", request(*FIRST), started_at=at), key)], "f", "f", "test")[0]
        for key, at in (("a", 9.0), ("b", 2.0), ("c", None))
    ]
    assert [session.session_id for session in by_first_turn(made)] == ["c", "b", "a"]
