"""What changes at the head of a prompt, and values wherever they stand."""

from typing import Any

import pytest

from analysis.causes.head import changes, first_way, said_of
from tests.builders import assistant, user
from tests.visible_cases import beside, causes_of, told

HEAD = "You are a build helper. Keep answers short.\n"


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


@pytest.mark.parametrize(
    ("then", "now", "code"),
    [
        pytest.param("at 10:21:07", "at 10:21:52", "client-timestamp", id="a time"),
        pytest.param(
            "Fri Mar 14 2025, 23:59", "Sat Mar 15 2025, 00:01", "client-timestamp", id="a time takes its date"
        ),
        pytest.param("on 2025-03-14", "on 2025-03-15", "client-date", id="a date"),
        pytest.param("cch=1f3a9;", "cch=7be02;", "request-nonce", id="a value in hex"),
        pytest.param("git: clean", "git: M a.py", "live-state", id="a state"),
        pytest.param("x" * 300, "Another agent altogether. " * 9, "system-replaced", id="another text"),
    ],
)
def test_a_system_text_that_differs(then: str, now: str, code: str) -> None:
    head = "" if code == "system-replaced" else HEAD
    found = list(changes(beside([system(head + then), user("a")], [system(head + now), user("a")])))
    assert told(found) == [(f"volatile-head/{code}", "messages[0].content")]
    assert now[:8] in found[0].evidence and then[:8] in found[0].evidence, "both values"


@pytest.mark.parametrize(
    ("then", "now"),
    [
        pytest.param(HEAD + "on 2025-03-14 at commit 1f3a9", HEAD + "on 2025-03-14 at commit 1f3a9", id="equal values"),
        pytest.param(HEAD, HEAD + "\n", id="blanks only"),
    ],
)
def test_what_does_not_differ_is_no_cause(then: str, now: str) -> None:
    assert told(changes(beside([system(then), user("a")], [system(now), user("a")]))) == []


def test_a_system_message_that_comes_and_goes() -> None:
    with_it, without = [system("rules"), user("a")], [user("a")]
    assert told(changes(beside(without, with_it))) == [("volatile-head/system-added", "messages[0].content")]
    (gone,) = changes(beside(with_it, without))
    assert (gone.code, gone.undo) == ("volatile-head/system-replaced", "volatile-head/system-added")


def test_a_value_in_any_message_before_the_newest() -> None:
    then = [user("It is 10:21. Go on."), assistant("ok"), user("b")]
    now = [user("It is 10:22. Go on."), *then[1:], assistant("c"), user("d")]
    assert told(changes(beside(then, now))) == [("volatile-head/client-timestamp", "messages[0].content")]


def test_options_of_the_template() -> None:
    kwargs = ({"effort": "low"}, {"effort": "high"})
    (found,) = changes(beside([user("a")], [user("a")], template_kwargs=kwargs))
    assert (found.code, found.path) == ("volatile-head/template-kwarg", "chat_template_kwargs.effort")
    assert found.fix == 'Keep chat_template_kwargs: “{"effort": "low"}” for the whole session.'


def test_an_option_that_the_template_ignores_is_no_cause() -> None:
    then = {"messages": [user("a")], "chat_template_kwargs": {"effort": "low"}}
    now = {"messages": [user("a"), assistant("b"), user("c")], "chat_template_kwargs": {"effort": "high"}}
    assert causes_of("arguments_verbatim", then, now) == []


def test_the_clock_of_the_analysis_is_not_the_servers() -> None:
    """A template with a frozen date, rendered days apart."""
    then = {"messages": [user("a")], "at": 0.0}
    now = {"messages": [user("a"), assistant("b"), user("c")], "at": 9e6}
    assert causes_of("llama_frozen_date", then, now) == []


def test_the_first_difference_names_a_text() -> None:
    assert first_way("a 10:21\nclean", "a 10:22\ndirty") == "volatile-head/client-timestamp"
    assert first_way("clean\na 10:21", "dirty\na 10:22") == "volatile-head/live-state"
    said = said_of("volatile-head/client-date", "prompt", "on 2025-03-14", "on 2025-03-15").evidence
    assert said == "a date differs: “on 2025-03-15” now, “on 2025-03-14” before"
