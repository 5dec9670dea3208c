"""Chat templates as transformers runs them: same environment, a clock that stands still, no way out."""

from typing import Any

import pytest
from jinja2 import Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment, SecurityError

from analysis.render.errors import RenderError
from analysis.render.jinja import LOOP_ATTRIBUTES, ChatTemplate, PlainEnvironment

AT = 1795962033.0  # Sunday, 29 November 2026, 14:20:33 UTC


def rendered(source: str, **variables: Any) -> str:
    return ChatTemplate(source).render(variables, AT)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        pytest.param("{{ strftime_now('%A, %d %B %Y %H:%M:%S') }}", "Sunday, 29 November 2026 14:20:33", id="clock"),
        pytest.param("a\n  {% if true %}\nb\n  {% endif %}\nc", "a\nb\nc", id="blocks leave no lines"),
        pytest.param("{% for i in [1, 2] %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}", "1", id="break"),
        pytest.param("{% generation %}a{{ 1 }}{% endgeneration %}b", "a1b", id="generation tags print"),
        pytest.param("{{ {'é': [1, 25.0, none, '<']} | tojson }}", '{"é": [1, 25.0, null, "<"]}', id="tojson"),
        pytest.param(
            "{{ {'b': 1, 'a': 'é'} | tojson(indent=1) }}", '{\n "b": 1,\n "a": "é"\n}', id="tojson with options"
        ),
        pytest.param("{{ 'é' | tojson(ensure_ascii=true) }}", '"\\u00e9"', id="tojson in ASCII"),
        pytest.param("[{{ missing }}]", "[]", id="undefined prints nothing"),
        pytest.param("{{ '<b>' }}", "<b>", id="nothing is escaped"),
    ],
)
def test_render(source: str, text: str) -> None:
    assert rendered(source) == text


@pytest.mark.parametrize(
    ("source", "message"),
    [
        pytest.param("{{ raise_exception('roles must\nalternate') }}", "TemplateError: roles must$", id="raised"),
        pytest.param("{{ none.x.y }}", "UndefinedError", id="undefined"),
        pytest.param("{{ 'a' + 1 }}", "TypeError", id="types"),
        pytest.param("{{ 1 / 0 }}", "ZeroDivisionError", id="arithmetic"),
        pytest.param("{{ ''.__class__.__mro__ }}", "SecurityError", id="no way out of the sandbox"),
        pytest.param("{{ items.append(1) }}", "SecurityError", id="nothing given is changed"),
    ],
)
def test_a_template_that_refuses(source: str, message: str) -> None:
    with pytest.raises(RenderError, match=f"refuses the request: {message}"):
        rendered(source, items=[])


def test_a_template_that_cannot_be_compiled() -> None:
    with pytest.raises(RenderError, match="cannot be compiled"):
        ChatTemplate("{% if %}")


def test_objects_printed_again_are_dumped_as_they_are() -> None:
    template, first, second = ChatTemplate("{{ tool | tojson }}"), {"a": 1}, {"a": 2}
    assert [template.render({"tool": tool}, AT) for tool in (first, second, first)] == [
        '{"a": 1}',
        '{"a": 2}',
        '{"a": 1}',
    ]


def test_dumps_are_remembered_but_not_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.render.jinja.REMEMBERED_CHARACTERS", 1000)
    template, tools = ChatTemplate("{{ tool | tojson }}"), [{"a": "x" * 400, "b": number} for number in range(10)]
    for tool in tools * 2:
        template.render({"tool": tool}, AT)
    assert 0 < len(template._dumps) < 4
    template.forget()
    assert not template._dumps and template.render({"tool": {"a": 1}}, AT) == '{"a": 1}'


def test_a_traced_render_is_the_same_text() -> None:
    template = ChatTemplate("{% generation %}{{ a ~ b }}{% endgeneration %}{{ t | tojson }}{{ strftime_now('%d') }}")
    variables = {"a": "x", "b": 1, "t": {"k": "v"}}
    assert template.render_traced(variables, AT) == template.render(variables, AT) == 'x1{"k": "v"}29'


ASKED: list[tuple[Any, str]] = [
    *(({"role": "user", "items": 1, "None": None}, name) for name in ("role", "items", "None", "missing", "__class__")),
    *(({}, name) for name in ("get", "update", "pop", "x", "")),
    *((obj, name) for obj in (None, "text", 3, [1]) for name in ("x", "format", "append", "__len__")),
]


@pytest.mark.parametrize(("obj", "attribute"), ASKED, ids=[f"{type(obj).__name__}.{name}" for obj, name in ASKED])
def test_the_short_way_to_a_field_ends_where_the_sandbox_does(obj: Any, attribute: str) -> None:
    ours, theirs = PlainEnvironment().getattr(obj, attribute), ImmutableSandboxedEnvironment().getattr(obj, attribute)
    if isinstance(theirs, Undefined):
        assert type(ours) is type(theirs)
        assert ours._undefined_message == theirs._undefined_message
    elif not callable(theirs):
        assert ours == theirs and type(ours) is type(theirs)
    else:
        assert ours.__name__ == theirs.__name__


@pytest.mark.parametrize(
    "name", [*sorted(LOOP_ATTRIBUTES), "previtem", "nextitem", "cycle('a', 'b')", "_iterable", "x"]
)
def test_a_loop_says_the_same(name: str) -> None:
    source = "{% for x in [3, 4] %}[{{ loop.NAME }}]{% endfor %}".replace("NAME", name)
    results = []
    for environment in (PlainEnvironment(), ImmutableSandboxedEnvironment()):
        try:
            results.append(environment.from_string(source).render())
        except SecurityError as error:
            results.append(str(error))
    assert results[0] == results[1]
