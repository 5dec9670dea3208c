"""Probes of a chat template that let a conversation grow and look whether the next prompt extends the last.

Each takes a bench and a shape and says what it saw.  A probe raises ValueError where the template refuses the shape and
NotApplicable where nothing of it is printed.  Does not choose the shape and does not look for a cure.
"""

from itertools import pairwise

from analysis.core.bench import EMPTY_THINK_BLOCK, Bench, NotApplicable, difference, shown, taken
from analysis.core.conversations import (
    ARGUMENTS,
    LATE_SYSTEM_TEXT,
    REASONING_TEXTS,
    RESULT_TEXTS,
    SYSTEM_TEXT,
    USER_TEXTS,
    Conversation,
    Shape,
    answer,
    call,
    conversation,
    result,
    user,
)
from analysis.model.session import JsonObject
from analysis.model.template_check import Outcome

NO_RESULTS = "tool results are not printed"
THINK_BLOCKS = (("<think>\n", "\n</think>\n\n"), ("<|channel>thought\n", "\n<channel|>"))  # as models write them
REASONING_DROPPED = "dropped at a new user turn"


def tool_loop(bench: Bench, shape: Shape) -> Outcome:
    """Two steps of a tool loop within one user turn, with reasoning before each call."""
    first = (user(0), call(0, reasoned=True), result(0))
    steps = [(user(0),), first, (*first, call(1, reasoned=True), result(1))]
    sent = [conversation(shape, *step) for step in steps]
    prompts = [bench.prompt(one) for one in sent]
    taken(prompts[1], USER_TEXTS[0], "user")
    shown(prompts[1], RESULT_TEXTS[0], NO_RESULTS)
    scene = "two steps of a tool loop, with reasoning"
    for number, (old, new) in enumerate(pairwise(prompts)):
        at = difference(old, new)
        if at is not None:
            generated = at >= bench.body_length(sent[number])
            finding = "generation prompt not replayed" if generated else "history rewritten"
            return Outcome("not-pure", finding, scene, old, new)
    printed = str(ARGUMENTS[0]["volume"]) in prompts[1]
    return Outcome("pure", "append-only" if printed else "append-only; tool calls are not printed", scene)


def reasoning(bench: Bench, shape: Shape) -> Outcome:
    """Reasoning in the history when a new user message comes: kept, or gone."""
    if shape.tool_loop:
        looped = (user(0), call(0, reasoned=True), result(0))
        old = bench.prompt(conversation(shape, *looped))
        taken(old, USER_TEXTS[0], "user")
        if REASONING_TEXTS[0] in old:
            return _after_the_loop(bench, shape, looped, old)
    return _after_an_answer(bench, shape) or _in_the_content(bench, shape)


def _after_the_loop(bench: Bench, shape: Shape, looped: tuple[JsonObject, ...], old: str) -> Outcome:
    scene = "a tool loop with reasoning, its answer, then a new user message"
    answered = (*looped, answer(0, reasoned=True))
    new = bench.prompt(conversation(shape, *answered, user(1)))
    if REASONING_TEXTS[0] not in new:
        return Outcome("not-pure", REASONING_DROPPED, scene, old, new)
    finished = bench.history(conversation(shape, *answered))
    if REASONING_TEXTS[-1] in finished and REASONING_TEXTS[-1] not in new:
        return Outcome("not-pure", f"{REASONING_DROPPED}: that of the answer", scene, finished, new)
    return Outcome("pure", "kept", scene)


def _after_an_answer(bench: Bench, shape: Shape) -> Outcome | None:
    """The same without a tool loop; None where the field of reasoning is not printed."""
    asked = (user(0), answer(0, reasoned=True))
    old = bench.history(conversation(shape, *asked))
    new = bench.prompt(conversation(shape, *asked, user(1)))
    scene = "an answer with reasoning, then a new user message"
    if REASONING_TEXTS[-1] in new:
        return Outcome("pure", "kept", scene)
    return Outcome("not-pure", REASONING_DROPPED, scene, old, new) if REASONING_TEXTS[-1] in old else None


def _in_the_content(bench: Bench, shape: Shape) -> Outcome:
    """A think block that stands in the content, as a server without a reasoning parser returns it."""
    asked = conversation(shape, user(0))
    prompt = bench.prompt(asked)
    for opening, closing in THINK_BLOCKS:
        told = str(answer(0)["content"])
        replayed = answer(0, text=f"{opening}{REASONING_TEXTS[0]}{closing}{told}")
        new = bench.prompt(conversation(shape, user(0), replayed, user(1)))
        taken(new, told, "assistant")
        written = f"{REASONING_TEXTS[0]}{closing}{told}"
        old = prompt + (written if prompt.endswith(opening) else opening + written)
        scene = f"an answer with {opening.strip()} in its content, then a new user message"
        if REASONING_TEXTS[0] not in new:
            return Outcome("not-pure", f"{opening.strip()}…{closing.strip()} dropped from the content", scene, old, new)
    raise NotApplicable("prints no reasoning field; a think block in the content stays as it is")


def empty_think_block(bench: Bench, shape: Shape) -> Outcome:
    """An assistant message without reasoning, when a new user message comes: is an empty think block lost?"""
    asked = (user(0), call(0), result(0)) if shape.tool_loop else (user(0), answer(0), user(1))
    number = 0 if shape.tool_loop else 1
    sent = conversation(shape, *asked)
    old = bench.prompt(sent)
    new = bench.prompt(conversation(shape, *asked, answer(number), user(number + 1)))
    taken(old, USER_TEXTS[0], "user")
    scene = "messages without reasoning, then a new user message"
    body = old[: bench.body_length(sent)]
    for block in EMPTY_THINK_BLOCK.finditer(body):
        if new[block.start() : block.end()] != block[0]:
            return Outcome("not-pure", "lost at a new user turn", scene, old, new)
    return Outcome("pure", "kept" if EMPTY_THINK_BLOCK.search(body) else "none printed", scene)


def generation_prompt(bench: Bench, shape: Shape) -> Outcome:
    """The text behind the last message: does the history repeat it in front of the reply?"""
    asked, called = (user(0),), (user(0), call(0), result(0))
    pairs: list[tuple[str, tuple[JsonObject, ...], tuple[JsonObject, ...]]] = [
        ("at a new user turn", asked, (user(0), answer(0), user(1)))
    ]
    if shape.tool_loop:
        pairs += [("in a tool loop", asked, called), ("at a new user turn", called, (*called, answer(0), user(1)))]
    scene = "a prompt, its reply without reasoning, and the next message"
    broken: dict[str, tuple[str, str]] = {}
    printed = False
    for place, earlier, later in pairs:
        sent = conversation(shape, *earlier, tools=False)
        old, new = bench.prompt(sent), bench.prompt(conversation(shape, *later, tools=False))
        taken(old, USER_TEXTS[0], "user")
        body, at = bench.body_length(sent), difference(old, new)
        printed = printed or len(old) > body
        if at is not None and at >= body:
            broken.setdefault(place, (old, new))
    if not broken:
        return Outcome("pure", "replayed" if printed else "none printed", scene)
    old, new = next(iter(broken.values()))
    return Outcome("not-pure", f"not replayed {' and '.join(broken)}", scene, old, new)


def positional_marker(bench: Bench, shape: Shape) -> Outcome:
    """Text around an unchanged message that depends on where the message stands, such as on being the last."""
    if shape.tool_loop:
        messages = [user(0), call(0), result(0), call(1), result(1), answer(0), user(1)]
    else:
        messages = [user(0), answer(0), user(1), answer(1), user(2)]
    sent = [conversation(shape, *messages[:stop], tools=False) for stop in range(1, len(messages) + 1, 2)]
    scene = "messages without reasoning and tools"
    for earlier, later in pairwise(sent):
        old, new = bench.prompt(earlier), bench.prompt(later)
        taken(old, USER_TEXTS[0], "user")
        at = difference(old, new)
        if at is not None and at < bench.body_length(earlier) and not _in_empty_block(old, at):
            moved = shape.system and SYSTEM_TEXT in old and new.find(SYSTEM_TEXT) != old.index(SYSTEM_TEXT)
            finding = "the system text moves" if moved else "an unchanged message renders otherwise later"
            return Outcome("not-pure", finding, scene, old, new)
    return Outcome("pure", "none", scene)


def _in_empty_block(text: str, at: int) -> bool:
    """Whether a difference begins in or right around an empty think block, which has a probe of its own."""
    return any(block.start() - 1 <= at <= block.end() for block in EMPTY_THINK_BLOCK.finditer(text))


def late_system(bench: Bench, shape: Shape) -> Outcome:
    """A second system message, after the first answer: in its place, at the head, or nowhere."""
    asked, answered = user(0), answer(0)
    old = bench.prompt(conversation(shape, asked, tools=False))
    taken(old, USER_TEXTS[0], "user")
    scene = "a system message after the first answer"
    try:
        new = bench.prompt(_with_late_system(shape, asked, answered, user(1)))
    except ValueError as error:
        return Outcome("raises", "raises", scene, message=str(error))
    if LATE_SYSTEM_TEXT not in new:
        return Outcome("pure", "dropped", scene)
    if new.index(LATE_SYSTEM_TEXT) < new.index(USER_TEXTS[0]):
        return Outcome("not-pure", "moved to the head", scene, old, new)
    return Outcome("pure", "in place", scene)


def _with_late_system(shape: Shape, *messages: JsonObject) -> Conversation:
    late: JsonObject = {"role": "system", "content": LATE_SYSTEM_TEXT}
    return conversation(shape, *messages[:-1], late, messages[-1], tools=False)
