"""Probes of a chat template that look at what it prints of a conversation, and where.

Date, place of the tools, ids of tool calls, arguments of tool calls, blanks.  The same terms as the growth probes.
"""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from analysis.core.bench import MONTHS_LATER, Bench, difference, shown, taken
from analysis.core.conversations import (
    ANSWER_TEXTS,
    ARGUMENTS,
    CALL_IDS,
    RESULT_TEXTS,
    SYSTEM_TEXT,
    TOOL,
    USER_TEXTS,
    Conversation,
    Shape,
    answer,
    call,
    conversation,
    result,
    user,
)
from analysis.core.growth_probes import NO_RESULTS
from analysis.model.template_check import Outcome

NO_CALLS = "tool calls are not printed"
NO_OBJECTS = "it takes arguments only as a string, and vLLM gives every template an object"
DATE_FORMATS = ("%d %b %Y", "%d %B %Y", "%B %d, %Y", "%b %d, %Y", "%Y-%m-%d", "%Y/%m/%d", "%d/%m/%Y", "%m/%d/%Y")
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_DATE = re.compile(rf"\b(?:\d{{1,2}} {_MONTH} \d{{4}}|{_MONTH} \d{{1,2}}, \d{{4}}|\d{{4}}[-/]\d\d[-/]\d\d)\b")
SPOKEN = ("system", "user", "assistant")  # in every shape; the rest needs a tool loop
SAME_PLACE = 6  # equal characters in front of a user's text that show the same opening of its message
PAD = "  "
PADDED = {  # whose text -> what is put between blanks
    "system": SYSTEM_TEXT,
    "user": USER_TEXTS[0],
    "assistant": ANSWER_TEXTS[0],
    "content beside tool calls": "I shall read it.",
    "tool": RESULT_TEXTS[0],
}


def date(bench: Bench, shape: Shape) -> Outcome:
    """The same request at two times, with and without a system message: some templates bring a dated one of their own.

    Where the clock is a server's, its prompt is searched for today's date instead.
    """
    found = _dated(bench, conversation(shape, user(0)), "")
    if found.verdict == "pure" and shape.system:
        try:
            bare = _dated(bench, conversation(replace(shape, system=False), user(0)), " without a system message")
        except ValueError:  # it takes no request without one
            return found
        return found if bare.verdict == "pure" else bare
    return found


def _dated(bench: Bench, sent: Conversation, where: str) -> Outcome:
    old = bench.prompt(sent)
    taken(old, USER_TEXTS[0], "user")
    if bench.now is not None:
        scene = f"a request of today{where}"
        if today := _date_of(bench.now, old):
            told = f"the server's clock cannot be moved; it prints {today}, which is today"
            return Outcome("not-pure", f"follows the clock{where}", scene, message=told)
    else:
        scene = f"the same request months later{where}"
        new = bench.prompt(sent, MONTHS_LATER)
        if new != old:
            return Outcome("not-pure", f"follows the clock{where}", scene, old, new)
    frozen = _DATE.search(old)
    return Outcome("pure", f"always {frozen[0]}" if frozen else "none printed", scene)


def _date_of(now: float, text: str) -> str | None:
    """The day of a clock as the text spells it; a server may stand in another time zone."""
    for days in (0, -1, 1):
        day = datetime.fromtimestamp(now, UTC) + timedelta(days=days)
        for written in (day.strftime(pattern) for pattern in DATE_FORMATS):
            if written in text:
                return written
    return None


def tools_relocated(bench: Bench, shape: Shape) -> Outcome:
    """Where the tools stand, and whether they stay there at a new user turn."""
    function = TOOL["function"]
    assert isinstance(function, dict)
    described = str(function["description"])
    old = bench.prompt(conversation(shape, user(0)))
    new = bench.prompt(conversation(shape, user(0), answer(0), user(1)))
    shown(old, described, "tools are not printed")
    shown(new, described, "tools are not printed")
    scene = "a new user message"
    if new.index(described) > new.index(ANSWER_TEXTS[0]):
        return Outcome("not-pure", "before the last user message: moved", scene, old, new)
    try:
        bare = bench.prompt(conversation(shape, user(0), tools=False))
    except ValueError:  # it takes no request without tools
        bare = None
    return Outcome("pure", _place(old, bare, described), scene)


def _place(text: str, bare: str | None, described: str) -> str:
    """Where the tools stand; ``bare`` is the same prompt without tools, None where there is none."""
    tools, first_user = text.index(described), text.index(USER_TEXTS[0])
    if tools > first_user:
        return "behind the first user message"
    before = text[first_user - SAME_PLACE : first_user]
    if bare is not None and not bare[: bare.index(USER_TEXTS[0])].endswith(before):
        return "in the first user message"
    if SYSTEM_TEXT not in text:
        return "at the head"
    return "before the system text" if tools < text.index(SYSTEM_TEXT) else "after the system text"


def tool_ids(bench: Bench, shape: Shape) -> Outcome:
    """Whether the ids of tool calls are printed: then an id that changes rewrites the history."""
    text = bench.prompt(_one_call(shape))
    shown(text, RESULT_TEXTS[0], NO_RESULTS)
    scene = "a tool call and its result"
    if CALL_IDS[0] in text:
        return Outcome("pure", "printed: a client that renames them rewrites the history", scene)
    return Outcome("pure", "not printed", scene)


def arguments(bench: Bench, shape: Shape) -> Outcome:
    """How the arguments of a tool call are printed: given as an object, and as the text of its JSON.

    vLLM parses the text before the template sees it, so a template that takes only text refuses there.
    """
    scene = "a tool call and its result"
    if shape.arguments == "string":
        text = bench.prompt(_one_call(shape))
        shown(text, str(ARGUMENTS[0]["volume"]), NO_CALLS)
        return Outcome("raises", f"object: raises; string: {_string_form(text)}", scene, message=NO_OBJECTS)
    text = bench.prompt(_one_call(shape))
    shown(text, RESULT_TEXTS[0], NO_RESULTS)
    shown(text, str(ARGUMENTS[0]["volume"]), NO_CALLS)
    finding = f"object: {_object_form(text)}"
    if bench.parses_arguments:
        return Outcome("pure", finding, scene)
    try:
        as_string = bench.prompt(_one_call(Shape(shape.system, True, shape.parts, "string")))
    except ValueError as error:
        return Outcome("pure", f"{finding}; string: raises", scene, message=str(error))
    return Outcome("pure", f"{finding}; string: {_string_form(as_string)}", scene)


def _one_call(shape: Shape) -> Conversation:
    return conversation(shape, user(0), call(0), result(0))


def _object_form(text: str) -> str:
    if json.dumps(ARGUMENTS[0]) in text:
        return "JSON"
    if json.dumps(ARGUMENTS[0], separators=(",", ":")) in text:
        return "compact JSON"
    called = text[text.rindex(str(ARGUMENTS[0]["volume"])) :].partition(RESULT_TEXTS[0])[0]
    return "markup of its own, booleans as True" if "True" in called else "markup of its own"


def _string_form(text: str) -> str:
    written = json.dumps(ARGUMENTS[0])
    if json.dumps(written) in text:
        return "quoted"
    if written in text:
        return "verbatim"
    return "dropped" if str(ARGUMENTS[0]["volume"]) not in text else "in another form"


def trims(bench: Bench, shape: Shape) -> Outcome:
    """Which messages lose the blanks around their text, and whether that depends on where they stand."""
    sent, later = _with_blanks(shape, PAD)
    old, new = bench.prompt(sent), bench.prompt(later)
    taken(new, USER_TEXTS[0], "user")
    scene = "messages with blanks around their text"
    if _breaks(bench, sent, later) and not _breaks(bench, *_with_blanks(shape, "")):
        return Outcome("not-pure", "a message renders otherwise later", scene, old, new)
    sent_names = [name for name in PADDED if (name != "system" or shape.system) and (name in SPOKEN or shape.tool_loop)]
    found = [told for name in sent_names if (told := _trimmed(name, new))]
    return Outcome("pure", ", ".join(found) or "nothing", scene)


def _trimmed(name: str, text: str) -> str | None:
    """What became of one padded text; None where it stands as it was sent."""
    if PADDED[name] not in text:
        return f"{name} (dropped)"
    return None if f"{PAD}{PADDED[name]}{PAD}" in text else name


def _with_blanks(shape: Shape, pad: str) -> tuple[Conversation, Conversation]:
    """A first request and one that goes on from it, with every text between blanks."""
    padded = {name: f"{pad}{text}{pad}" for name, text in PADDED.items()}
    asked, system = user(0, padded["user"]), padded["system"]
    looped = (call(0, text=padded["content beside tool calls"]), result(0, text=padded["tool"]))
    spoken = (asked, *(looped if shape.tool_loop else ()), answer(0, text=padded["assistant"]), user(1))
    first = conversation(shape, asked, tools=False, system_text=system)
    return first, conversation(shape, *spoken, tools=False, system_text=system)


def _breaks(bench: Bench, sent: Conversation, later: Conversation) -> bool:
    at = difference(bench.prompt(sent), bench.prompt(later))
    return at is not None and at < bench.body_length(sent)
