"""What the process of a stranger's template reads and answers."""

import io
from typing import Any

import pytest

from analysis.render import confinement
from analysis.render.confinement import ANSWERED, REFUSED, TOO_LARGE, Action, answer, received, send
from analysis.render.jinja import ChatTemplate


def asked(source: str, action: Action = "render", known: dict[str, ChatTemplate] | None = None, **given: Any) -> bytes:
    return answer((action, source, 1.0, given, 0.0), {} if known is None else known)


def test_messages_go_through_a_pipe_and_end_with_it() -> None:
    pipe = io.BytesIO()
    for message in (b"", b"one", b"x" * 1000):
        send(pipe, message)
    pipe.seek(0)
    assert [received(pipe), received(pipe), received(pipe, 999)] == [b"", b"one", None]
    assert received(io.BytesIO(pipe.getvalue()[8:-1][11:])) is None, "cut off"
    assert received(io.BytesIO()) is None


def test_answers_and_refusals() -> None:
    assert asked("{{ a }}", a="é") == ANSWERED + "é".encode()
    assert asked("{{ a }}{% set b = c %}", "names") == ANSWERED + b'["a", "c"]'
    assert asked("{{ raise_exception('no') }}").startswith(REFUSED + b"the chat template refuses the request: ")


def test_templates_stay_compiled_but_not_all_of_them() -> None:
    known: dict[str, ChatTemplate] = {}
    for number in range(confinement.MOST_KNOWN + 1):
        asked(f"{number}", known=known)
    assert list(known) == [str(confinement.MOST_KNOWN)]


@pytest.mark.parametrize("action", ["render", "names", "argument_names"])
def test_a_template_for_which_the_memory_is_too_small(monkeypatch: pytest.MonkeyPatch, action: Action) -> None:
    def no_memory(*_given: object, **_options: object) -> None:
        raise MemoryError

    monkeypatch.setattr("jinja2.Template.render", no_memory)
    monkeypatch.setattr("jinja2.meta.find_undeclared_variables", no_memory)
    known = {"{{ a }}": ChatTemplate("{{ a }}")}
    assert asked("{{ a }}", action, known) == TOO_LARGE and known == {}
