"""A tokenizer of another model: found by the ids of the log, asked once per model, and never by mistake."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analysis.model.renderer import Renderer
from analysis.model.session import Request, TokenIds, Turn
from analysis.pipeline.wrong_tokenizer import TELLING, wrong_tokenizers
from analysis.render.errors import RenderError
from analysis.render.template import TemplateRenderer
from tests.builders import MODEL, SAMPLES, ByteRenderer, log_of, of_turns, request, tokens, turn, user

RIGHT = ByteRenderer().prompt_ids(request(user("hi there")), None)


def logged(ids: TokenIds | None, text: str = "hi there", **fields: Any) -> Turn:
    """A turn with these prompt ids in the log."""
    return replace(turn(user(text), **fields), prompt_ids=ids)


def wrong(*turns: Turn, renderer_for: Callable[[str], Renderer | None] = lambda model: ByteRenderer()) -> list[str]:
    return list(wrong_tokenizers([of_turns(*turns)], renderer_for))


def changed(position: int) -> TokenIds:
    """The right ids but for the one at this position."""
    ids = RIGHT.copy()
    ids[position] += 1
    return ids


@pytest.mark.parametrize(
    ("ids", "found"),
    [
        pytest.param(RIGHT, [], id="its own ids"),
        pytest.param(RIGHT + 1, [MODEL], id="other ids"),
        pytest.param(changed(0), [MODEL], id="another first id"),
        pytest.param(changed(TELLING - 1), [MODEL], id="another one of the first"),
        pytest.param(changed(TELLING), [], id="another one later: an option of the template"),
        pytest.param(RIGHT[:3], [], id="a prompt cut short"),
        pytest.param(changed(2)[:3], [MODEL], id="a prompt cut short, and another"),
        pytest.param(np.concatenate([tokens(1), RIGHT]), [MODEL], id="one id before all"),
        pytest.param(None, [], id="no ids in the log"),
    ],
)
def test_the_ids_of_the_log_decide(ids: TokenIds | None, found: list[str]) -> None:
    assert wrong(logged(ids)) == found


def test_the_problem_names_the_model_the_line_and_the_remedy() -> None:
    sessions = [of_turns(logged(None), logged(RIGHT + 1), source="odd.jsonl")]
    (problem,) = wrong_tokenizers(sessions, lambda model: ByteRenderer()).values()
    assert (problem.file, problem.line) == ("odd.jsonl", 2), "the first turn with ids"
    assert problem.message.startswith(f"the tokenizer given for the model {MODEL!r} does not make the token ids")
    assert "no field is named" in problem.message and problem.message.endswith("own tokenizer and chat template.")


class Counting(ByteRenderer):
    """A renderer that remembers how often it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def prompt_ids(self, request: Request, at: float | None) -> TokenIds:
        self.asked += 1
        return super().prompt_ids(request, at)


@pytest.mark.parametrize("ids", [RIGHT, RIGHT + 1], ids=["right", "wrong"])
def test_each_model_is_asked_once(ids: TokenIds) -> None:
    renderer = Counting()
    turns = [logged(ids, model=model) for model in ("a", "a", "b", "a", "b")]
    found = wrong_tokenizers([of_turns(*turns), of_turns(*turns)], lambda model: renderer)
    assert renderer.asked == 2 and set(found) in (set(), {"a", "b"})


def test_one_model_may_be_wrong_and_another_right() -> None:
    assert wrong(logged(RIGHT, model="a"), logged(RIGHT + 1, model="b"), logged(RIGHT, model="c")) == ["b"]


def test_completions_say_nothing() -> None:
    completion = replace(logged(RIGHT), request=Request("completion", MODEL, prompt="hi"), prompt_ids=RIGHT + 1)
    assert wrong(completion) == []
    assert wrong(completion, logged(RIGHT + 1)) == [MODEL], "the chat behind it is asked all the same"


def raising(error: Exception) -> Renderer:
    class Refuses(ByteRenderer):
        def prompt_ids(self, request: Request, at: float | None) -> TokenIds:
            raise error

    return Refuses()


def test_where_there_is_no_renderer_nothing_is_wrong() -> None:
    assert wrong(logged(RIGHT + 1), renderer_for=lambda model: None) == []


@pytest.mark.parametrize("error", [RenderError("refused"), OSError("no server")], ids=["refused", "not reached"])
def test_a_render_that_fails_says_nothing_about_the_tokenizer(error: Exception) -> None:
    def unavailable(model: str) -> Renderer:
        raise error

    assert wrong(logged(RIGHT + 1), renderer_for=lambda model: raising(error)) == []
    assert wrong(logged(RIGHT + 1), renderer_for=unavailable) == []


def test_the_samples_against_their_model_and_another(sample_renderer: TemplateRenderer) -> None:
    for path in SAMPLES:
        sessions = log_of(path).sessions
        with_ids = {
            turn.request.model
            for session in sessions
            for turn in session.turns
            if turn.prompt_ids is not None and turn.request.kind == "chat"
        }
        assert wrong_tokenizers(sessions, lambda model: sample_renderer) == {}
        assert set(wrong_tokenizers(sessions, lambda model: ByteRenderer())) == with_ids
