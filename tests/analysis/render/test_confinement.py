"""What the process of a stranger's template reads and answers."""

import io
import subprocess
import sys
from pickle import dumps
from typing import Any

import pytest

from analysis.render import confinement
from analysis.render.confinement import (
    ANSWERED,
    BLOCK,
    REFUSED,
    TOO_LARGE,
    Action,
    Kept,
    Question,
    answer,
    received,
    received_after,
    send,
    send_after,
)


def asked(source: str, action: Action = "render", kept: Kept | None = None, **given: Any) -> bytes:
    return answer(Question(action, source, 1.0, given, 0.0), kept or Kept())


def test_messages_go_through_a_pipe_and_end_with_it() -> None:
    pipe = io.BytesIO()
    for message in (b"", b"one", b"x" * 1000):
        send(pipe, message)
    pipe.seek(0)
    assert [received(pipe), received(pipe)] == [b"", b"one"]
    with pytest.raises(OverflowError):
        received(pipe, 999)
    assert received(io.BytesIO(pipe.getvalue()[8:-1][11:])) is None, "cut off"
    assert received(io.BytesIO()) is None


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param([b"a" * 3 * BLOCK, b"a" * 3 * BLOCK + b"b"], id="it grew"),
        pytest.param([b"a" * 3 * BLOCK, b"a" * 2 * BLOCK], id="it shrank"),
        pytest.param([b"a" * BLOCK + b"b" * BLOCK, b"a" * BLOCK + b"c" * BLOCK, b"c"], id="it changed"),
        pytest.param([b"", b"x", b""], id="nothing"),
        pytest.param([b"x", b"x", b"x"], id="the same"),
    ],
)
def test_a_message_after_another_is_whole(messages: list[bytes]) -> None:
    pipe, found = io.BytesIO(), [b""]
    for last, message in zip([b"", *messages], messages, strict=False):
        send_after(pipe, last, message)
    pipe.seek(0)
    for message in messages:
        found.append(received_after(pipe, found[-1], len(message)) or b"")
    assert found[1:] == messages and not pipe.read()


def test_what_grows_sends_what_is_new_and_its_limit_is_for_all_of_it() -> None:
    pipe, last = io.BytesIO(), b"a" * 100 * BLOCK
    send_after(pipe, last, last + b"b")
    assert len(pipe.getvalue()) < 100
    pipe.seek(0)
    with pytest.raises(OverflowError):
        received_after(pipe, last, len(last))
    assert received_after(io.BytesIO(pipe.getvalue()[:5]), last, 1) is None


def test_messages_are_known_by_their_numbers_until_all_are_forgotten() -> None:
    kept, source = Kept(), "{{ messages | tojson }}"
    question = Question("render", source, 1.0, {}, 0.0, {"messages": [0, 1]}, {0: dumps("a"), 1: dumps("b")})
    assert answer(question, kept) == ANSWERED + b'["a", "b"]'
    assert answer(question._replace(lists={"messages": [1, 2]}, new={2: dumps("c")}), kept) == ANSWERED + b'["b", "c"]'
    again = question._replace(lists={"messages": [0]}, new={0: dumps("d")}, forgets=True)
    assert answer(again, kept) == ANSWERED + b'["d"]' and kept.objects == {0: "d"}


def test_messages_of_a_question_that_is_refused_are_known_to_the_next_one() -> None:
    kept = Kept()
    refused = Question("render", "{% if %}", 1.0, {}, 0.0, {"messages": [0]}, {0: dumps("a")})
    assert answer(refused, kept).startswith(REFUSED)
    assert answer(refused._replace(source="{{ messages[0] }}", new={}), kept) == ANSWERED + b"a"


def test_answers_and_refusals() -> None:
    assert asked("{{ a }}", a="é") == ANSWERED + "é".encode()
    assert asked("{{ a }}{% set b = c %}", "names") == ANSWERED + b'["a", "c"]'
    assert asked("{{ raise_exception('no') }}").startswith(REFUSED + b"the chat template refuses the request: ")


def test_templates_stay_compiled_but_not_all_of_them() -> None:
    kept = Kept()
    for number in range(confinement.MOST_KNOWN + 1):
        asked(f"{number}", kept=kept)
    assert list(kept.templates) == [str(confinement.MOST_KNOWN)]


@pytest.mark.parametrize("action", ["render", "names", "argument_names"])
def test_a_template_for_which_the_memory_is_too_small(monkeypatch: pytest.MonkeyPatch, action: Action) -> None:
    def no_memory(*_given: object, **_options: object) -> None:
        raise MemoryError

    monkeypatch.setattr("jinja2.Template.render", no_memory)
    monkeypatch.setattr("jinja2.meta.find_undeclared_variables", no_memory)
    assert asked("{{ a }}", action) == TOO_LARGE


@pytest.mark.parametrize("has_timer", [True, False], ids=["a timer of the system", "a thread"])
def test_what_takes_too_long_ends_the_process(has_timer: bool) -> None:
    without = "" if has_timer else "del signal.setitimer; "
    code = "import signal; " + without + "from analysis.render.confinement import limited_to\n"
    ended = [
        subprocess.run([sys.executable, "-c", f"{code}with limited_to({seconds}): {what}"], stderr=subprocess.DEVNULL)
        for seconds, what in ((0.2, "9 ** 9 ** 9"), (60, "print()"))
    ]
    assert [bool(one.returncode) for one in ended] == [True, False]
