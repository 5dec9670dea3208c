"""The processes that run templates: what is sent to them, how they end, and that they are used again."""

import os
import pickle
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis.render import processes
from analysis.render.confinement import ANSWERED, TOO_LARGE, Question
from analysis.render.errors import RenderError
from analysis.render.processes import Ended, OutOfTime, Process, Sent, end_all, reply_of_any

QUESTION = Question("render", "{{ a }}", 5.0, {"a": "x"}, 0.0)


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    end_all()
    yield
    end_all()


def about(*messages: object, **others: object) -> Question:
    return QUESTION._replace(variables={"messages": list(messages), **others})


def unpacked(sent: Sent, question: Question) -> Question:
    return Question(*pickle.loads(sent.packed(question)[0]))


def test_a_message_is_sent_once() -> None:
    sent, first, second = Sent(), {"content": "1"}, {"content": "2"}
    whole, grown = unpacked(sent, about(first, b=1)), unpacked(sent, about(first, second, first))
    assert (whole.variables, whole.lists, whole.new) == ({"b": 1}, {"messages": [0]}, {0: pickle.dumps(first, 5)})
    assert (grown.lists, list(grown.new), grown.forgets) == ({"messages": [0, 1, 0]}, [1], False)


def test_what_a_question_is_about_has_as_many_bytes_when_it_is_asked_again() -> None:
    sent, question = Sent(), about({"content": "x" * 5000}, {"content": "y"})
    sizes = [sent.packed(question)[1] for _again in range(3)]
    assert 5000 + processes.SMALLEST < sizes[0] < 6000 and max(sizes) - min(sizes) < 100


def test_all_messages_are_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "MOST_KEPT", 1000)
    sent, long, short = Sent(), {"content": "x" * 1000}, {"content": "y"}
    questions = [unpacked(sent, about(long, short)), unpacked(sent, about(short)), unpacked(sent, about(short))]
    assert [one.forgets for one in questions] == [False, True, False]
    assert [list(one.new) for one in questions] == [[0, 1], [0], []]


def test_a_process_is_used_again() -> None:
    assert reply_of_any(QUESTION) == ANSWERED + b"x"
    (process,) = processes._idle
    assert reply_of_any(QUESTION._replace(source="{{ messages }}", variables={"messages": [1]})) == ANSWERED + b"[1]"
    assert processes._idle == [process] and process.alive


def test_a_process_that_was_ended_while_it_waited_is_replaced() -> None:
    reply_of_any(QUESTION)
    (process,) = processes._idle
    process.child.kill()
    process.child.wait()
    assert reply_of_any(QUESTION) == ANSWERED + b"x" and processes._idle != [process]


def test_a_process_that_had_too_little_memory_is_not_used_again() -> None:
    assert reply_of_any(QUESTION._replace(source="{{ a * 99999999999 }}")) == TOO_LARGE
    assert processes._idle == []


@pytest.mark.parametrize(
    ("child", "said"),
    [
        pytest.param(
            "import os, signal; os.kill(os.getpid(), signal.SIGABRT)", "crashed its process (SIGABRT)", id="it crashes"
        ),
        pytest.param("raise SystemExit(3)", "ended its process (exit code 3)", id="it ends"),
        pytest.param("import os, time; os.close(1); time.sleep(60)", "stopped answering", id="it says nothing more"),
    ],
)
def test_how_a_process_ended_is_told(monkeypatch: pytest.MonkeyPatch, child: str, said: str) -> None:
    monkeypatch.setattr(processes, "CHILD", child)
    monkeypatch.setattr(processes, "PATIENCE", 0.2)
    with pytest.raises(Ended) as caught:
        reply_of_any(QUESTION)
    assert str(caught.value) == said and processes._idle == []


@pytest.mark.parametrize(("seconds", "is_late"), [(0.0, True), (1e9, False)])
def test_where_the_system_has_no_timer_the_clock_tells(
    monkeypatch: pytest.MonkeyPatch, seconds: float, is_late: bool
) -> None:
    monkeypatch.setattr(processes, "CHILD", "raise SystemExit(1)")
    monkeypatch.setattr(processes, "TIMER", None)
    with pytest.raises(Ended) as caught:
        reply_of_any(QUESTION._replace(seconds=seconds))
    assert isinstance(caught.value, OutOfTime) is is_late


def test_a_process_that_a_signal_ends_before_it_reads_is_told_so() -> None:
    process = Process()
    process.child.send_signal(signal.SIGKILL)
    process.child.wait()
    with pytest.raises(Ended, match="SIGKILL"):
        process.reply(QUESTION)
    process.end()


def test_a_request_that_is_nested_too_deeply() -> None:
    deep: list[object] = []
    for _level in range(200_000):
        deep = [deep]
    with pytest.raises(RenderError, match="nested too deeply"):
        reply_of_any(about(deep))
    assert reply_of_any(QUESTION) == ANSWERED + b"x"
    while deep:  # the interpreter would free it by recursion
        deep = deep[0]  # type: ignore[assignment]


def test_a_process_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes.sys, "executable", "/nowhere/python")
    with pytest.raises(RenderError, match="no process can be started"):
        reply_of_any(QUESTION)


def test_the_environment_stays_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHYMISS_API_KEY", "sk-secret")
    process = Process()
    assert b"sk-secret" not in Path(f"/proc/{process.child.pid}/environ").read_bytes()
    process.end()
    assert not process.alive


def test_a_process_of_another_one_is_not_used() -> None:
    process = Process()
    process.owner = os.getpid() + 1
    assert not process.alive
    process.end()
