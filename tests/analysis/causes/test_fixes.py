from dataclasses import replace
from typing import Any

import pytest

from analysis.causes.fixes import Sent, head, line_last, undo
from analysis.causes.message_fixes import MESSAGE_FIXES
from analysis.model.session import JsonObject
from tests.builders import assistant, request, user

RULES = "You are a build helper. Keep answers short. Ask before you delete a file."
REPLY = assistant("Two files.", "I count them.")


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


def tool(name: str, description: str = "Look.") -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": description}}


def output(text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "c1", "content": text}


def sent(*messages: JsonObject, at: float | None = None, **fields: Any) -> Sent:
    return Sent(request(*messages, **fields), at)


def grown(*earlier: JsonObject, reply: JsonObject = REPLY, **fields: Any) -> Sent:
    """The next turn: what was sent before, the reply, and a new question."""
    return sent(*earlier, reply, user("and now?"), **fields)


A, B = tool("look"), tool("run")
FIRST = (system(f"{RULES} Now: 10:30:01."), user("how many?"))
THEN = sent(*FIRST, tools=(A, B), at=100.0)
NOW = grown(*FIRST, tools=(A, B), at=200.0)
FULL = system("The name is Ann.\nBe kind.\nBe short.")

CHANGED: list[tuple[str, Sent, Sent, Sent]] = [  # code, then, now, now with the code undone
    ("volatile-head/client-timestamp", THEN, grown(system(f"{RULES} Now: 10:30:09."), FIRST[1], tools=(A, B)), NOW),
    (
        "volatile-head/client-date",
        sent(system(f"{RULES} 2026-11-29"), user("a")),
        grown(system(f"{RULES} 2026-11-30"), user("a")),
        grown(system(f"{RULES} 2026-11-29"), user("a")),
    ),
    (
        "volatile-head/request-nonce",
        sent(system(f"cch=3f9a1; {RULES}"), user("a")),
        grown(system(f"cch=77b02; {RULES}"), user("a")),
        grown(system(f"cch=3f9a1; {RULES}"), user("a")),
    ),
    (
        "volatile-head/live-state",
        sent(system(f"{RULES} Branch: main."), user("a")),
        grown(system(f"{RULES} Branch: fix."), user("a")),
        grown(system(f"{RULES} Branch: main."), user("a")),
    ),
    (
        "volatile-head/system-replaced",
        sent(system(RULES), user("a")),
        grown(system("Translate everything into French, word by word, please."), user("a")),
        grown(system(RULES), user("a")),
    ),
    ("volatile-head/system-added", sent(user("a")), grown(system(RULES), user("a")), grown(user("a"))),
    ("volatile-head/system-added", sent(system(RULES), user("a")), grown(user("a")), grown(system(RULES), user("a"))),
    (
        "volatile-head/client-timestamp",
        sent(system(RULES), user("it is 10:30")),
        grown(system(RULES), user("it is 10:31")),
        grown(system(RULES), user("it is 10:30")),
    ),
    (
        "volatile-head/client-date",
        sent(user("a"), tools=(tool("look", "Docs of 2026-11-29."),)),
        grown(user("a"), tools=(tool("look", "Docs of 2026-11-30."),)),
        grown(user("a"), tools=(tool("look", "Docs of 2026-11-29."),)),
    ),
    (
        "volatile-head/per-session-text",
        sent(system("The name is Bob.\nBe kind.\nBe short."), user("x")),
        grown(FULL, user("a")),
        grown(system("Be kind.\nBe short.\nThe name is Ann."), user("a")),
    ),
    (
        "volatile-head/template-kwarg",
        sent(user("a"), template_kwargs={"effort": "low"}),
        grown(user("a"), template_kwargs={"effort": "high"}),
        grown(user("a"), template_kwargs={"effort": "low"}),
    ),
    ("tools/order", THEN, grown(*FIRST, tools=(B, A), at=200.0), NOW),
    ("tools/set-changed", THEN, grown(*FIRST, tools=(A,), at=200.0), NOW),
    ("tools/description-changed", THEN, grown(*FIRST, tools=(tool("look", "See."), B), at=200.0), NOW),
    (
        "tools/schema-key-order",
        sent(user("a"), tools=({"type": "function", "function": {"name": "look", "strict": True}},)),
        grown(user("a"), tools=({"type": "function", "function": {"strict": True, "name": "look"}},)),
        grown(user("a"), tools=({"type": "function", "function": {"name": "look", "strict": True}},)),
    ),
    ("client/reasoning-dropped", THEN, grown(*FIRST, reply=assistant("Two files."), tools=(A, B), at=200.0), NOW),
    (
        "client/tool-output-pruned",
        sent(user("a"), output("12 files, 3 of them changed")),
        grown(user("a"), output("[pruned]")),
        grown(user("a"), output("12 files, 3 of them changed")),
    ),
    (
        "client/history-edited",
        sent(user("a"), output("12 files, 3 of them changed")),
        grown(user("a"), output("12 files, 4 of them changed")),
        grown(user("a"), output("12 files, 3 of them changed")),
    ),
    (
        "client/history-edited",
        sent(user("a"), user("b"), user("c")),
        sent(user("a"), user("c"), REPLY, user("and now?")),
        grown(user("a"), user("b"), user("c")),
    ),
    (
        "client/moving-injection",
        sent(user("first\nBe careful.")),
        sent(user("first"), REPLY, user("and now?\nBe careful.")),
        grown(user("first\nBe careful.")),
    ),
    (
        "client/window-trim",
        sent(system(RULES), user("a"), assistant("b"), user("c")),
        grown(system(RULES), user("c")),
        grown(system(RULES), user("a"), assistant("b"), user("c")),
    ),
    ("key/cache-salt", replace(THEN, request=replace(THEN.request, salt="one")), NOW, NOW),
    ("key/lora", sent(user("a"), model="adapter"), grown(user("a")), grown(user("a"), model="adapter")),
]


FAMILIES = [  # codes that undo the same thing, or are not to be told from one another by the requests alone
    {"volatile-head/request-nonce", "volatile-head/live-state"},
    {"client/reasoning-dropped", "client/reasoning-merged"},
    {"volatile-head/client-date", *(code for code, *_ in CHANGED if code.startswith("tools/"))},
    {"volatile-head/per-session-text", *(code for code, *_ in CHANGED)},
    *({code} for code, *_ in CHANGED),
]


def fields(sent: Sent) -> str:
    """A turn in a form in which the order of keys shows; the time aside."""
    asked = sent.request
    return repr((asked.messages, asked.tools, dict(asked.template_kwargs), asked.model))


@pytest.mark.parametrize(
    ("code", "then", "now", "undone"), CHANGED, ids=[f"{one[0]} {i}" for i, one in enumerate(CHANGED)]
)
def test_a_code_is_undone(code: str, then: Sent, now: Sent, undone: Sent) -> None:
    found = undo(code, then, REPLY, now)
    assert found is not None and fields(found) == fields(undone)
    assert found.request.salt == (then.request.salt if code == "key/cache-salt" else now.request.salt)
    assert undo(code, then, REPLY, found) is found or code == "volatile-head/per-session-text"


UNDOES = sorted({code for code, *_ in CHANGED} | set(MESSAGE_FIXES))


@pytest.mark.parametrize("code", UNDOES)
def test_a_turn_that_only_grew_stays_as_it_is(code: str) -> None:
    assert undo(code, THEN, REPLY, NOW) is NOW


@pytest.mark.parametrize(
    ("code", "then", "now", "undone"), CHANGED, ids=[f"{one[0]} {i}" for i, one in enumerate(CHANGED)]
)
def test_no_other_code_touches_it(code: str, then: Sent, now: Sent, undone: Sent) -> None:
    in_place = [other for other in UNDOES if not any({code, other} <= family for family in FAMILIES)]
    for other in in_place if code != "volatile-head/per-session-text" else []:
        assert undo(other, then, REPLY, now) is now, other


def test_a_clock_that_is_frozen_leaves_an_edited_output_alone() -> None:
    then = sent(system(f"{RULES} 10:30:01"), user("a"), output("12 files at 10:30"))
    now = grown(system(f"{RULES} 10:30:09"), user("a"), output("14 folders at 10:31"))
    found = undo("volatile-head/client-timestamp", then, REPLY, now)
    assert found is not None
    assert found.request.messages[0] == then.request.messages[0]
    assert found.request.messages[1:] == now.request.messages[1:]


def test_the_clock_of_a_template_is_that_of_the_first_turn() -> None:
    found = undo("volatile-head/template-date", THEN, REPLY, NOW)
    assert found == replace(NOW, at=100.0)


@pytest.mark.parametrize("code", ["template/reasoning-stripped", "template/analysis-dropped"])
def test_a_template_is_undone_by_its_knob_alone(code: str) -> None:
    assert undo(code, THEN, REPLY, NOW) is None
    found = undo(code, THEN, REPLY, NOW, {"keep": True})
    assert found is not None and found.request.template_kwargs == {"keep": True}
    assert head(code, [THEN, NOW], {"keep": True}).request.template_kwargs == {"keep": True}
    assert head(code, [THEN, NOW]) is THEN


@pytest.mark.parametrize(
    "code",
    [
        "client/compaction",
        "client/user-edit",
        "client/regenerate",
        "client/branch",
        "client/side-request",
        "template/tools-relocated",
        "template/positional-marker",
        "tokenisation/drift",
        "server/context-truncation",
        "capacity/eviction",
        "unexplained",
    ],
)
def test_no_request_can_undo_it(code: str) -> None:
    assert undo(code, THEN, REPLY, NOW) is None


def test_tools_that_come_later_are_there_from_the_start() -> None:
    other = tool("look", "See.")
    lineage = [sent(user("a"), tools=(A,)), sent(user("a"), tools=(B, other))]
    assert head("tools/set-changed", lineage).request.tools == (A, B)


def test_a_system_message_that_is_added_is_there_from_the_start() -> None:
    lineage = [sent(user("a")), grown(system(RULES), user("a"))]
    assert head("volatile-head/system-added", lineage).request.messages == (system(RULES), user("a"))
    assert head("client/whitespace", lineage) is lineage[0]


def test_line_last() -> None:
    assert line_last("a\nb\nc", 0) == "b\nc\na"
    assert line_last("a\nb", 1) == "a\nb"
