"""A transcript is the requests that stand before its replies."""

from analysis.formats.transcript import steps
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
