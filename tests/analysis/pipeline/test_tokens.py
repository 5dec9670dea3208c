"""The tokens of a turn, where they come from, and how far they can be trusted."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.model.session import Json, JsonObject, Media, Request, TokenIds, Turn, Usage
from analysis.pipeline.tokens import turn_tokens
from tests.builders import ByteRenderer, assistant, request, tokens, turn, user

ASKED = turn(user("hi"), reply=assistant("hello"))
PROMPT = ByteRenderer().prompt_ids(ASKED.request, None)
HELLO = np.frombuffer(b"hello\n", np.uint8)


class Refusing(ByteRenderer):
    """A template that refuses every reply."""

    def history_ids(self, request: Request, reply: JsonObject, at: float | None) -> TokenIds:
        raise ValueError("no replies")


class Rewriting(ByteRenderer):
    """A template that rewrites the prompt once a reply stands behind it."""

    def history_ids(self, request: Request, reply: JsonObject, at: float | None) -> TokenIds:
        return super().history_ids(request, reply, at)[1:]


@pytest.mark.parametrize(
    ("changes", "fidelity"),
    [
        pytest.param({"prompt_ids": tokens(1, 2), "usage": Usage(2)}, "logged", id="logged"),
        pytest.param({"prompt_ids": tokens(1, 2), "usage": Usage()}, "logged", id="logged and not counted"),
        pytest.param({"prompt_ids": tokens(1, 2), "usage": Usage(3)}, "mismatch", id="logged, counted otherwise"),
        pytest.param({"usage": Usage(len(PROMPT))}, "exact", id="rendered as counted"),
        pytest.param({"usage": Usage(len(PROMPT) + 1)}, "mismatch", id="rendered, counted otherwise"),
        pytest.param({"usage": Usage()}, "approximate", id="rendered and not counted"),
        pytest.param(
            {"usage": Usage(len(PROMPT)), "completeness": frozenset({"reconstructed"})},
            "approximate",
            id="from a transcript",
        ),
        pytest.param(
            {"usage": Usage(), "completeness": frozenset({"no_system"})}, "approximate", id="without its head"
        ),
        pytest.param(
            {"prompt_ids": tokens(1), "usage": Usage(1), "completeness": frozenset({"no_tools"})},
            "logged",
            id="ids tell",
        ),
    ],
)
def test_fidelity(changes: dict[str, object], fidelity: str) -> None:
    found = turn_tokens(replace(ASKED, **changes), ByteRenderer())  # type: ignore[arg-type]
    assert found is not None and found.fidelity == fidelity


def test_without_the_head_a_longer_prompt_has_no_tokens() -> None:
    asked = replace(ASKED, usage=Usage(len(PROMPT) + 9), completeness=frozenset({"no_system"}))
    assert turn_tokens(asked, ByteRenderer()) is None


def generated(asked: Turn, renderer: ByteRenderer | None) -> tuple[list[int], str]:
    found = turn_tokens(asked, renderer)
    assert found is not None
    return found.full_ids[found.prompt_tokens :].tolist(), found.generated_basis


SAID = replace(ASKED, usage=Usage(len(PROMPT), len(HELLO)))


@pytest.mark.parametrize(
    ("asked", "renderer", "expected"),
    [
        pytest.param(replace(SAID, output_ids=tokens(7, 8, 9)), None, ([7, 8], "logged"), id="all but the last one"),
        pytest.param(replace(SAID, output_ids=tokens(7)), None, ([], "logged"), id="one token leaves nothing"),
        pytest.param(replace(SAID, output_ids=tokens()), None, ([], "logged"), id="none was generated"),
        pytest.param(SAID, ByteRenderer(), (HELLO[:-1].tolist(), "rendered"), id="rendered, without the last"),
        pytest.param(
            replace(SAID, usage=Usage(len(PROMPT), 3)), ByteRenderer(), (HELLO[:2].tolist(), "rendered"), id="cut"
        ),
        pytest.param(replace(SAID, usage=Usage(len(PROMPT), 0)), ByteRenderer(), ([], "logged"), id="counted zero"),
        pytest.param(replace(SAID, usage=Usage(len(PROMPT))), ByteRenderer(), ([], "unknown"), id="not counted"),
        pytest.param(replace(SAID, reply=None), ByteRenderer(), ([], "unknown"), id="no reply in the log"),
        pytest.param(replace(SAID, prompt_ids=PROMPT), None, ([], "unknown"), id="no renderer"),
        pytest.param(SAID, Refusing(), ([], "unknown"), id="a template that refuses the reply"),
        pytest.param(SAID, Rewriting(), ([], "unknown"), id="a render that does not extend the prompt"),
        pytest.param(
            replace(SAID, prompt_ids=tokens(1, 2)), ByteRenderer(), ([], "unknown"), id="a render of other tokens"
        ),
    ],
)
def test_generated_tokens(asked: Turn, renderer: ByteRenderer | None, expected: tuple[list[int], str]) -> None:
    if renderer is None and asked.prompt_ids is None:
        asked = replace(asked, prompt_ids=PROMPT)
    assert generated(asked, renderer) == expected


def test_blank_lines_before_a_streamed_call_were_written_by_the_parser() -> None:
    calls: JsonObject = {**assistant(a=1), "content": "\n\n"}
    clean = turn(user("hi"), reply=assistant(a=1))
    assert generated(replace(clean, reply=calls), ByteRenderer()) == generated(clean, ByteRenderer())


IMAGE: Json = [{"type": "image_url", "image_url": {"url": "data:,A"}}]


@pytest.mark.parametrize(
    ("asked", "renderer", "places"),
    [
        pytest.param(replace(ASKED, media=(Media(1, 3, "9f"),)), ByteRenderer(), [(1, 3)], id="the log's own word"),
        pytest.param(turn({"role": "user", "content": IMAGE}), None, None, id="neither ids nor a renderer"),
        pytest.param(ASKED, ByteRenderer(), [], id="none"),
    ],
)
def test_media(asked: Turn, renderer: ByteRenderer | None, places: list[tuple[int, int]] | None) -> None:
    found = turn_tokens(asked, renderer)
    assert (found and [(one.start, one.stop) for one in found.media or ()]) == places


def test_images_in_logged_ids_are_found_or_not_known() -> None:
    seen = replace(ASKED, request=request({"role": "user", "content": IMAGE}))
    long, short = (turn_tokens(replace(seen, prompt_ids=tokens(1, [7] * count, 2)), None) for count in (20, 5))
    assert long is not None and long.media is not None and (long.media[0].start, long.media[0].stop) == (1, 21)
    assert short is not None and short.media is None


def test_without_ids_and_without_a_renderer_nothing_is_known() -> None:
    assert turn_tokens(ASKED, None) is None


def test_the_ids_of_a_completion_request_are_its_prompt() -> None:
    ids: list[Json] = [5, 6, 7]
    found = turn_tokens(replace(ASKED, request=Request("completion", "m", prompt=tokens(5, 6, 7))), None)
    assert found is not None and found.prompt.tolist() == ids


def test_what_cannot_be_rendered_is_an_error_of_the_renderer() -> None:
    class Broken(ByteRenderer):
        def prompt_ids(self, request: Request, at: float | None) -> TokenIds:
            raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        turn_tokens(Turn(1, 1, "r", request(user("hi"))), Broken())
