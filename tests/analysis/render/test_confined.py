"""Templates of strangers: the same text as in this process, and an end to what does not end."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analysis.render import confined, provenance
from analysis.render.confined import ConfinedTemplate, end_all
from analysis.render.confinement import MEMORY
from analysis.render.errors import RenderError
from analysis.render.jinja import ChatTemplate

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
    variables = {"messages": [{"content": "é\x00\n"}, {"content": 5}], "half": "\ud83d"}
    here, there = ChatTemplate(source), ConfinedTemplate(source)
    assert there.render(variables, 1e9) == here.render(variables, 1e9)
    assert there.names == here.names and there.argument_names() == ("half",)
    traced = {**variables, "messages": provenance.trace(variables["messages"], "messages")}
    found = there.render_traced(traced, 1e9)
    assert provenance.spans(found) == provenance.spans(here.render_traced(traced, 1e9)) != []
    assert len(confined._idle) == 1, "one process for all of it"


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


def test_the_environment_stays_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHYMISS_API_KEY", "sk-secret")
    process = confined._Process()
    assert b"sk-secret" not in Path(f"/proc/{process._child.pid}/environ").read_bytes()
    process.end()
    assert not process.alive
