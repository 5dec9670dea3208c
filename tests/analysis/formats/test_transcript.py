"""A transcript is the requests that stand before its replies."""

from collections.abc import Sequence

from analysis.formats.transcript import key_of_run, steps
from analysis.model.session import JsonObject
from tests.builders import assistant, user


def test_every_request_is_what_stands_before_a_reply() -> None:
    messages = [{"role": "system", "content": "s"}, user("a"), assistant("b"), user("c"), assistant("d"), user("e")]
    found = list(steps(messages))
    assert [step.messages for step in found] == [tuple(messages[:2]), tuple(messages[:4])]
    assert [step.reply for step in found] == [messages[2], messages[4]]
    assert [step.position for step in found] == [2, 4]
    assert found[1].messages[0] is found[0].messages[0], "shared, not copied"


def test_what_was_not_asked_for_is_history() -> None:
    assert list(steps([assistant("hello")])) == list(steps([])) == list(steps([user("a")])) == []
    (step,) = steps([user("a"), assistant("b"), assistant("c")])
    assert step.reply == assistant("b")


def test_replies_may_be_told_otherwise() -> None:
    (step,) = steps([user("a"), {"role": "gemini"}], is_reply=lambda message: message["role"] == "gemini")
    assert step.position == 1


def test_a_key_that_names_a_task_has_several_runs() -> None:
    runs: dict[str, Sequence[JsonObject]] = {}
    one, grown, other = [user("a"), assistant("b")], [user("a"), assistant("b"), user("c")], [user("a"), assistant("x")]
    keys = [key_of_run("t", messages, runs) for messages in (one, grown, other, one, [*other, user("y")])]
    assert keys == ["t", "t", "t (run 2)", "t (run 3)", "t (run 2)"]
    assert key_of_run("u", one, runs) == "u"
