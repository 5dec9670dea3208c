"""One divergence after the other: taken back by a render, with what each step saves."""

from typing import Any

from tests.builders import assistant, user
from tests.visible_cases import analysed, causes_of, own_renderer

LONG = "The build log says that the linker ran out of memory while it wrote the second archive. "


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": f"Be brief.\nIt is {text}.\n{LONG * 4}"}


THEN = {"messages": [system("10:21"), user(LONG * 3), assistant("1"), user(LONG * 2)]}
BOTH = {"messages": [system("10:22"), user(LONG * 3), assistant("one"), user(LONG * 2), assistant("2"), user("b")]}


def test_what_hides_behind_the_first_is_found_in_the_order_of_the_prompt() -> None:
    turn = analysed({"turns": [THEN, BOTH]}, own_renderer("arguments_verbatim")).turns[1]
    assert [(cause.code, cause.hidden) for cause in turn.causes] == [
        ("volatile-head/client-timestamp", False),
        ("client/history-edited", True),
    ]
    assert turn.account is not None
    assert sum(cause.tokens for cause in turn.causes) == turn.account.lost


def test_what_a_step_saves_is_what_is_reusable_afterwards() -> None:
    """Both undone, the prompt goes on where the last one ended: everything but the newest messages is reused."""
    renderer = own_renderer("arguments_verbatim")
    first, turn = analysed({"turns": [THEN, BOTH]}, renderer).turns
    assert turn.prompt_tokens is not None and first.prompt_tokens is not None and turn.best_tokens is not None
    whole = {"messages": [*THEN["messages"], assistant("2"), user("b")]}
    clean = analysed({"turns": [THEN, whole]}, renderer).turns[1]
    assert clean.causes == () and clean.prompt_tokens is not None and clean.best_tokens is not None
    saved = sum(cause.recovers or 0 for cause in turn.causes)
    assert saved == (turn.prompt_tokens - turn.best_tokens) - (clean.prompt_tokens - clean.best_tokens)


def test_nothing_is_looked_for_behind_a_deliberate_event() -> None:
    edited = {"messages": [system("10:22"), user(LONG * 3), assistant("1"), user("else")]}
    assert causes_of("arguments_verbatim", THEN, edited) == [
        ("volatile-head/client-timestamp", "messages[0].content"),
        ("client/user-edit", "messages[3].content"),
    ]


def test_a_change_behind_what_nothing_undoes_is_hidden_behind_it() -> None:
    """The template moves the system text, and no request can help that; an edit stands behind it."""
    then = [{"role": "system", "content": "Rules."}, user("a"), assistant("b"), user("c")]
    now = [*then[:2], assistant("B"), *then[3:], assistant("d"), user("e")]
    found = causes_of("system_in_last_user", {"messages": then}, {"messages": now})
    assert [code for code, _path in found] == ["client/history-edited", "template/system-relocated"]


def test_what_nothing_explains_is_said_with_the_raw_facts() -> None:
    """Generated ids that belong to another text than the reply."""
    then = {"messages": [user("a")], "generated": LONG, "reply": assistant("other words altogether")}
    now = {"messages": [user("a"), assistant("other words altogether"), user("b")]}
    turn = analysed({"turns": [then, now]}, own_renderer("arguments_verbatim")).turns[1]
    assert [cause.code for cause in turn.causes] == ["unexplained"]
    assert "The build log" in turn.causes[0].evidence and "other words" in turn.causes[0].evidence
