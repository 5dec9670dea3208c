"""Templates of strangers: the same text as in this process, and an end to what does not end."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from analysis.render import confined, processes, provenance
from analysis.render.confined import ConfinedTemplate
from analysis.render.confinement import MEMORY
from analysis.render.errors import RenderError
from analysis.render.jinja import ChatTemplate
from analysis.render.processes import end_all

SECONDS = 1.0
LOOP = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
DOUBLING = (
    "{% set n = namespace(x='0123456789') %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}{{ n.x }}"
)


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    yield
    end_all()


def failure(source: str, **options: Any) -> str:
    with pytest.raises(RenderError) as caught:
        ConfinedTemplate(source, **options).render({"messages": [{"content": "x"}]}, 0.0)
    return str(caught.value)


def test_it_renders_as_in_this_process() -> None:
    source = "{% for m in messages %}{{ m.content ~ m | tojson }}{{ strftime_now('%d %B') }}{% endfor %}{{ half }}"
    variables: dict[str, Any] = {"messages": [{"content": "é\x00\n"}, {"content": 5}], "half": "\ud83d"}
    here, there = ChatTemplate(source), ConfinedTemplate(source)
    assert there.render(variables, 1e9) == here.render(variables, 1e9)
    assert there.names == here.names and there.argument_names() == ("half",)
    traced = {**variables, "messages": provenance.trace_items("messages", variables["messages"])}
    found = there.render_traced(variables, 1e9)
    assert found == here.render_traced(traced, 1e9)
    assert provenance.spans(found) == provenance.spans(here.render_traced(traced, 1e9)) != []
    assert len(processes._idle) == 1, "one process for all of it"


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(LOOP, id="a loop"),
        pytest.param("{{ 10 ** (10 ** 10) }}", id="a power, while it is compiled"),
        pytest.param("{% set x = messages | length %}{{ (9 + x) ** ((9 + x) ** 10) }}", id="a power"),
    ],
)
def test_what_does_not_end_is_stopped(source: str) -> None:
    assert failure(source, seconds=SECONDS) == "the chat template did not end within 1 s and was stopped"


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("{{ 'a' * 9999999999 }}", id="a product, while it is compiled"),
        pytest.param("{{ messages[0].content * 9999999999 }}", id="a product"),
        pytest.param("{{ '%9999999999d' % 1 }}", id="a width"),
        pytest.param("{{ messages[0].content | center(9999999999) }}", id="a filter"),
        pytest.param(DOUBLING, id="doubling"),
    ],
)
def test_what_takes_too_much_memory_is_stopped(source: str) -> None:
    assert failure(source) == f"the chat template needs more than {MEMORY >> 30} GB of memory and was stopped"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        pytest.param("{% if %}", "cannot be compiled: ", id="no template"),
        pytest.param("{{ " + "(" * 5000 + ")" * 5000 + " }}", "cannot be compiled: RecursionError", id="nested"),
        pytest.param("{% for i in x %}" * 30 + "{% endfor %}" * 30, "cannot be compiled: SyntaxError", id="loops"),
        pytest.param("{{ raise_exception('no\nmore') }}", "refuses the request: TemplateError: no", id="it refuses"),
    ],
)
def test_other_failures_are_those_of_any_template(source: str, said: str) -> None:
    assert said in failure(source) and "\n" not in failure(source)


def test_a_template_that_was_stopped_is_not_asked_again_and_others_are() -> None:
    hostile = ConfinedTemplate(LOOP, seconds=SECONDS)
    for _again in range(50):
        with pytest.raises(RenderError, match="was stopped"):
            hostile.render({}, 0.0)
    assert hostile.stopped and ConfinedTemplate("{{ 1 }}").render({}, 0.0) == "1"


def test_all_renders_together_have_a_limit() -> None:
    slow = ConfinedTemplate("{% for i in range(n) %}{% for j in range(9999) %}{% endfor %}{% endfor %}", budget=0.3)
    with pytest.raises(RenderError, match=r"did not end within 0\.3 s"):
        for _turn in range(200):
            slow.render({"n": 40}, 0.0)


def test_a_template_that_was_stopped_is_tried_again_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    template = ConfinedTemplate("{% for i in range(n) %}{% for j in range(9999) %}{% endfor %}{% endfor %}1", SECONDS)
    with pytest.raises(RenderError, match="was stopped"):
        template.render({"n": 99999}, 0.0)
    with pytest.raises(RenderError, match="was stopped"):
        template.render({"n": 1}, 0.0)
    later = time.monotonic() + confined.REST
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert template.render({"n": 1}, 0.0) == "1"


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("{% for i in range(3000) %}{{ 'x' * 1000 }}{% endfor %}", id="much"),
        pytest.param("{% for i in range(9999) %}{{ messages[0].content * 9999 }}{% endfor %}", id="of a message"),
    ],
)
def test_a_template_that_prints_far_more_than_there_is_is_stopped(source: str) -> None:
    assert failure(source) == "the chat template prints over 1 MB, far more than the request has, and was stopped"


def test_a_long_request_may_be_printed_several_times() -> None:
    long = {"messages": [{"content": "x" * (4 << 20)}]}
    template = ConfinedTemplate("{% for i in range(n) %}{{ messages[0].content }}{% endfor %}")
    assert len(template.render({**long, "n": 8}, 0.0)) == 8 * 4 << 20
    with pytest.raises(RenderError, match="prints over 33 MB"):
        template.render({**long, "n": 9}, 0.0)


def test_a_process_that_crashes_is_not_said_to_need_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "CHILD", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    template = ConfinedTemplate("x", model="org/m")
    with pytest.raises(RenderError) as caught:
        template.render({}, 0.0)
    assert str(caught.value) == template.stopped == "the chat template of org/m crashed its process (SIGSEGV)"


def test_a_template_that_cannot_be_traced_in_time_is_still_rendered() -> None:
    slow = "{% for i in range(n) %}{% set x = messages[0].content.replace('a', 'b') %}{% endfor %}1"
    template = ConfinedTemplate(slow, seconds=SECONDS)
    variables = {"messages": [{"content": "a" * 20_000}], "n": 200}
    assert template.render(variables, 0.0) == "1"
    for _again in range(2):
        with pytest.raises(RenderError, match="was stopped"):
            template.render_traced(variables, 0.0)
    assert template.stopped is None and template.render(variables, 0.0) == "1"
