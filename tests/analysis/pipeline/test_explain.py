"""Where a prompt leaves the previous turn, in words."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from analysis.model.finding import Divergence
from analysis.model.prompt import Attribution
from analysis.model.renderer import Renderer
from analysis.model.session import JsonObject, Request, Turn
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from analysis.pipeline.explain import decoded
from analysis.pipeline.tokens import TurnTokens, turn_tokens
from tests.builders import ByteRenderer, assistant, of_turns, turn, user

HI = user("What is the answer?")
REPLY = assistant("It is 42.", reasoning="Deep thought.")


def between(first: Turn, second: Turn, renderer: Renderer | None = None) -> Divergence | None:
    renderer = renderer or ByteRenderer()
    return analyse([of_turns(first, second)], lambda model: renderer, Settings())[0].turns[1].divergence


def paths(found: Divergence | None) -> tuple[str, str]:
    assert found is not None and found.segment is not None and found.previous_segment is not None
    return found.segment.path, found.previous_segment.path


ASKED = turn(HI, reply=REPLY)


@pytest.mark.parametrize(
    ("then", "now", "expected"),
    [
        pytest.param(
            ASKED,
            turn(user("What was the answer?")),
            ("messages[0].content", "messages[0].content"),
            id="an edited message",
        ),
        pytest.param(
            ASKED,
            turn(HI, assistant("It is 43.", reasoning="Deep thought."), user("why?")),
            ("messages[1].content", "messages[1].content"),
            id="an edited reply",
        ),
        pytest.param(
            turn(HI, tools=({"name": "a"}, {"name": "b"})),
            turn(HI, tools=({"name": "b"}, {"name": "a"})),
            ("tools[0]", "tools[0]"),
            id="tools in another order",
        ),
        pytest.param(turn(HI, tools=({"name": "a"},)), turn(HI), ("template", "tools[0]"), id="tools that are gone"),
        pytest.param(
            turn(HI, reply=assistant("ok", a=1)),
            turn(HI, assistant("ok", a=2), user("why?")),
            ("messages[1].tool_calls[0]", "messages[1].tool_calls[0]"),
            id="an edited call",
        ),
    ],
)
def test_the_field_on_both_sides(then: Turn, now: Turn, expected: tuple[str, str]) -> None:
    assert paths(between(then, now)) == expected


def test_reasoning_that_the_template_no_longer_prints() -> None:
    stripping = ByteRenderer(keep_reasoning=False)
    now = turn(HI, REPLY, user("why?"))
    reply = stripping.history_ids(ASKED.request, REPLY, None)
    counted = replace(ASKED.usage, output_tokens=len(reply) - len(stripping.prompt_ids(ASKED.request, None)))
    found = between(replace(ASKED, usage=counted), now, stripping)
    assert found is not None and found.before is not None and found.old is not None and found.new is not None
    assert found.before.endswith("<assistant>\n")
    assert found.old.startswith("<think>Deep thought.")
    assert found.new.startswith("It is 42.")


def test_the_place_in_tokens_blocks_and_characters() -> None:
    found = between(turn(user("x" * 100)), turn(user("x" * 40 + "y" * 60)))
    assert found is not None and found.segment is not None
    assert (found.token, found.block) == (len("<user>\n") + 40, 2)
    assert (found.segment.char, found.segment.role) == (40, "user")
    assert (found.before, found.old, found.new) == ("x" * 24, "x" * 24, "y" * 24)


@pytest.mark.parametrize(
    ("then", "now"),
    [
        pytest.param(ASKED, turn(HI, REPLY, user("why?")), id="only grown"),
        pytest.param(turn(HI), turn(HI), id="the same again"),
        pytest.param(turn(HI, REPLY, add_generation_prompt=True), turn(HI, REPLY), id="equal"),
    ],
)
def test_no_divergence(then: Turn, now: Turn) -> None:
    assert between(then, now) is None


def test_without_a_renderer_only_the_place_is_known() -> None:
    turns = [
        replace(it, prompt_ids=ByteRenderer().prompt_ids(it.request, None)) for it in (turn(HI), turn(user("Who?")))
    ]
    found = analyse([of_turns(*turns)], lambda model: None, Settings())[0].turns[1].divergence
    assert found == Divergence(token=9, block=0)


class Unreachable(ByteRenderer):
    """A server that is gone when the fields are asked for."""

    def attribution(self, request: Request, at: float | None, reply: JsonObject | None = None) -> Attribution:
        raise OSError("gone")


class Refusing(ByteRenderer):
    """A template that is asked for fields and refuses."""

    def attribution(self, request: Request, at: float | None, reply: JsonObject | None = None) -> Attribution:
        raise ValueError("no")


class Drifting(ByteRenderer):
    """A render of other tokens than the turn's own."""

    def attribution(self, request: Request, at: float | None, reply: JsonObject | None = None) -> Attribution:
        found = super().attribution(request, at, reply)
        return replace(found, token_ids=found.token_ids + 1)


@pytest.mark.parametrize("renderer", [Unreachable(), Refusing(), Drifting()], ids=lambda it: type(it).__name__)
def test_where_the_render_does_not_tell_the_fields_are_searched(renderer: Renderer) -> None:
    found = between(turn(user("What is the ansẅer?")), turn(user("What is the ansẅer, please?")), renderer)
    assert found is not None and found.segment is not None
    assert found.segment_basis == "searched"
    assert (found.segment.path, found.segment.char) == ("messages[0].content", 18)


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        pytest.param([b"a", b"b"], "ab", id="text"),
        pytest.param(["é".encode()[:1], "é".encode()[1:]], "é", id="half characters join"),
        pytest.param([b"a", b"\xff"], "a\\xff", id="what is no UTF-8 stays visible"),
        pytest.param([], "", id="nothing"),
    ],
)
def test_decoded(pieces: Sequence[bytes], text: str) -> None:
    assert decoded(pieces) == text


def test_turn_tokens_of_the_builder_are_exact() -> None:
    found = turn_tokens(ASKED, ByteRenderer())
    assert isinstance(found, TurnTokens)
    assert (found.fidelity, found.generated_basis) == ("exact", "rendered")
    assert np.array_equal(found.full_ids, ByteRenderer().history_ids(ASKED.request, REPLY, None)[:-1])
