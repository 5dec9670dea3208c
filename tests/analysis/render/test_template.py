"""The offline renderer: every sample request gives the ids that the server had."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers.processors import TemplateProcessing

from analysis.model.renderer import Renderer
from analysis.model.session import Json, Request
from analysis.render import confined
from analysis.render.errors import RenderError
from analysis.render.template import TemplateRenderer
from analysis.render.tokenizer import ModelFiles, load_model
from tests.builders import SAMPLE_MODEL, SAMPLES, assistant, log_of, request, tokens, user

AT = 1795962033.0


def made(template: str | None, **options: Any) -> TemplateRenderer:
    files = load_model(str(SAMPLE_MODEL))
    return TemplateRenderer(ModelFiles(files.name, files.tokenizer, template, files.special_tokens), **options)


def text_of(renderer: TemplateRenderer, asked: Request, at: float | None = AT) -> str:
    return b"".join(renderer.token_bytes(renderer.prompt_ids(asked, at).tolist())).decode()


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_every_sample_request_renders_to_the_ids_of_the_server(
    path: Path, expected: dict[str, Any], sample_renderer: TemplateRenderer
) -> None:
    hashes = {turn["line"]: turn["prompt_ids_sha256"] for turn in expected[path.name]["turns"]}
    for session in log_of(path).sessions:
        for turn in session.turns:
            ids = sample_renderer.prompt_ids(turn.request, turn.started_at)
            assert hashlib.sha256(ids.astype("<u4").tobytes()).hexdigest() == hashes.pop(turn.line), turn.line
    assert not hashes


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_the_render_with_provenance_is_the_plain_render(path: Path, sample_renderer: TemplateRenderer) -> None:
    turns = [turn for session in log_of(path).sessions for turn in session.turns]
    for turn in turns[:: max(1, len(turns) // 24)]:
        found = sample_renderer.attribution(turn.request, turn.started_at)
        assert found.basis == "provenance"
        assert np.array_equal(found.token_ids, sample_renderer.prompt_ids(turn.request, turn.started_at))
        assert len(found.token_starts) == len(found.token_ids)
        for span in found.spans:
            if span.path.endswith(".content") and span.offset == 0:
                message = turn.request.messages[int(span.path[len("messages[") :].partition("]")[0])]
                assert found.text[span.start : span.stop] in str(message["content"])


def test_a_reply_extends_its_prompt(sample_renderer: TemplateRenderer) -> None:
    asked = request(user("hi"))
    prompt, reply = sample_renderer.prompt_ids(asked, AT), assistant("hello", reasoning="hm")
    history = sample_renderer.history_ids(asked, reply, AT)
    assert np.array_equal(history[: len(prompt)], prompt)
    added = b"".join(sample_renderer.token_bytes(history[len(prompt) :].tolist()))
    assert added == b"<think>\nhm\n</think>\n\nhello<|im_end|>\n"
    assert sample_renderer.attribution(asked, AT, reply).text.endswith(added.decode())


def test_it_is_a_renderer(sample_renderer: TemplateRenderer) -> None:
    renderer: Renderer = sample_renderer
    assert renderer.name == str(SAMPLE_MODEL)
    assert TemplateRenderer.load(str(SAMPLE_MODEL)).name == renderer.name


@pytest.mark.parametrize(
    ("template", "asked", "text"),
    [
        pytest.param("{{ messages[0].content }}", request(assistant("a")), "a", id="content"),
        pytest.param("{{ messages[0].content }}", request({"role": "assistant", "content": None}), "", id="null"),
        pytest.param(
            "{{ messages[0].thinking }}", request({"role": "assistant", "reasoning_content": "r"}), "r", id="thinking"
        ),
        pytest.param("{{ tools is none }}", request(user("a")), "True", id="no tools are none"),
        pytest.param("{{ eos_token }}", request(user("a")), "<|im_end|>", id="special tokens by name"),
        pytest.param("{{ x }}", request(user("a"), template_kwargs={"x": 3}), "3", id="template arguments"),
        pytest.param("{{ add_generation_prompt }}", request(user("a")), "True", id="asks for a reply"),
        pytest.param(
            "{{ add_generation_prompt }}", request(user("a"), add_generation_prompt=False), "False", id="does not ask"
        ),
        pytest.param("{{ strftime_now('%H:%M') }}", request(user("a")), "14:20", id="the request's own clock"),
        pytest.param(
            "{{ messages[0].tool_calls[0].function.arguments | tojson }}",
            request(assistant(a=1)),
            '{"a": 1}',
            id="arguments are parsed",
        ),
        pytest.param(
            "{{ tools[0] | tojson }}",
            request(user("a"), tools=({"function": {"name": "f"}, "x": 1},)),
            '{"type": "function", "function": {"name": "f", "description": null, "parameters": null}}',
            id="tools in the server's form",
        ),
    ],
)
def test_what_the_template_sees(template: str, asked: Request, text: str) -> None:
    assert text_of(made(template), asked) == text


def test_without_normalisation_the_template_sees_what_was_sent() -> None:
    message: dict[str, Json] = {"role": "assistant", "content": None, "tool_calls": [{"function": {"arguments": "{}"}}]}
    template = "{{ messages[0].content }}|{{ messages[0].tool_calls[0].function.arguments is string }}"
    assert text_of(made(template, normalise="none"), request(message)) == "None|True"
    assert text_of(made(template), request(message)) == "|False"


LAST = "{% for m in messages %}<{{ m.content }}>{% endfor %}{% if add_generation_prompt %}?{% endif %}"


def test_the_template_can_be_swapped_and_its_model_stays_as_it_was() -> None:
    renderer = made("{{ messages[0].content }}")
    asked = request(user("hi"))
    assert text_of(renderer.with_template("<{{ messages[0].content }}>"), asked) == "<hi>"
    assert text_of(renderer, asked) == "hi"


def test_a_message_to_be_continued_ends_the_prompt() -> None:
    asked = request(user("a"), assistant("so far "), continue_final_message=True)
    assert text_of(made(LAST), asked) == "<a><so far"
    found = made(LAST).attribution(asked, AT)
    assert (found.text, found.basis) == ("<a><so far", "provenance")
    assert text_of(made("{{ add_generation_prompt }} {{ messages[1].content }}"), asked) == "False so far"


@pytest.mark.parametrize(
    ("template", "asked", "message"),
    [
        pytest.param(None, request(user("a")), "no chat template", id="no template"),
        pytest.param("x", request(user("a"), continue_final_message=True), "does not print the last", id="not printed"),
        pytest.param(LAST, request(continue_final_message=True), "does not print the last", id="nothing to continue"),
        pytest.param("{{ raise_exception('no') }}", request(user("a")), "TemplateError: no", id="refused"),
        pytest.param("x", Request("completion", "m"), "no prompt", id="a completion without a prompt"),
        pytest.param("x", request(user("a"), chat_template="y"), "template of its own, which is not run", id="its own"),
        pytest.param("x", request(user("a"), chat_template=""), "template of its own", id="its own and empty"),
        pytest.param(
            None, request(user("a"), chat_template="y"), "template of its own", id="its own stands in for none"
        ),
        pytest.param(r"{{ '\ud83d' }}", request(user("a")), "half a character", id="a lone surrogate"),
    ],
)
def test_what_cannot_be_rendered(template: str | None, asked: Request, message: str) -> None:
    with pytest.raises(RenderError, match=message):
        made(template).prompt_ids(asked, AT)


RENDERS: dict[str, Callable[[TemplateRenderer, Request], object]] = {
    "prompt": lambda renderer, asked: renderer.prompt_ids(asked, AT),
    "history": lambda renderer, asked: renderer.history_ids(asked, assistant("x"), AT),
    "attribution": lambda renderer, asked: renderer.attribution(asked, AT),
    "attribution of a reply": lambda renderer, asked: renderer.attribution(asked, AT, assistant("x")),
}


@pytest.mark.parametrize("render", RENDERS.values(), ids=RENDERS)
@pytest.mark.parametrize("own", ["{{ range(10**9) | list }}", "{% if %}"], ids=["without end", "broken"])
def test_a_template_of_the_log_is_never_run(own: str, render: Callable[[TemplateRenderer, Request], object]) -> None:
    with pytest.raises(RenderError, match="the request brings a chat template of its own, which is not run"):
        render(made("x"), request(user("a"), chat_template=own))


@pytest.mark.parametrize("render", RENDERS.values(), ids=RENDERS)
def test_half_a_character_is_refused_by_every_render(render: Callable[[TemplateRenderer, Request], object]) -> None:
    with pytest.raises(RenderError, match="lone surrogate"):
        render(made(r"a{{ '\ud83d' }}"), request(user("a")))


def test_a_render_that_cannot_be_traced_is_searched() -> None:
    template = "{{ '%s' % messages[0].content }}{% if messages[0].content is mapping %}{% endif %}{{ range(3) | sum }}"
    found = made(template + "{{ messages[0].content.replace('', '-') }}").attribution(request(user("hi")), AT)
    assert found.basis == "searched"
    assert found.text == "hi3-h-i-"
    assert [(span.path, span.start) for span in found.spans] == [("messages[0].content", 0)]


def test_a_template_without_an_end_is_stopped_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confined, "SECONDS", 1.0)
    hangs = "{% if messages | length > 1 %}" + "{% for i in range(99999) %}" * 2 + "{% endfor %}" * 2 + "{% endif %}a"
    renderer, fine, endless = made(hangs), request(user("a")), request(user("a"), user("b"))
    assert text_of(renderer, fine) == "a" and renderer.template_names() == {"messages"}
    for asked in (endless, fine):
        with pytest.raises(RenderError, match=f"^the chat template of {SAMPLE_MODEL} did not end within 1 s and was"):
            renderer.prompt_ids(asked, AT)
    with pytest.raises(RenderError, match=r"^the chat template did not end"):
        renderer.with_template(hangs).prompt_ids(endless, AT)


def test_names_of_a_template_that_is_none_or_was_stopped() -> None:
    assert made(None).template_names() == made("{% if %}").template_names() == frozenset()


def test_what_cannot_be_traced_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_slow(*_given: object) -> None:
        raise RenderError("it took too long")

    monkeypatch.setattr(confined.ConfinedTemplate, "render_traced", too_slow)
    found = made("<{{ messages[0].content }}>").attribution(request(user("hi")), AT)
    assert (found.basis, found.text) == ("searched", "<hi>")
    assert [span.path for span in found.spans] == ["messages[0].content"]


def completion(prompt: Any, **fields: Any) -> Request:
    return Request("completion", "m", prompt=prompt, **fields)


def test_completions(sample_renderer: TemplateRenderer) -> None:
    text, reply = "def f(", {"role": "assistant", "content": "x):"}
    whole = load_model(str(SAMPLE_MODEL)).tokenizer.encode
    assert sample_renderer.prompt_ids(completion(text), AT).tolist() == whole(text).ids
    assert sample_renderer.history_ids(completion(text), reply, AT).tolist() == whole(text + "x):").ids
    found = sample_renderer.attribution(completion(text), AT)
    assert (found.text, len(found.token_starts)) == (text, len(found.token_ids))


def test_completions_of_ids(sample_renderer: TemplateRenderer) -> None:
    asked, reply = completion(tokens(5, 6, 7)), {"role": "assistant", "content": "hi"}
    assert sample_renderer.prompt_ids(asked, AT).tolist() == [5, 6, 7]
    history = sample_renderer.history_ids(asked, reply, AT)
    assert history[:3].tolist() == [5, 6, 7]
    assert b"".join(sample_renderer.token_bytes(history[3:].tolist())) == b"hi"
    assert sample_renderer.history_ids(asked, {"role": "assistant", "content": None}, AT).tolist() == [5, 6, 7]


@pytest.mark.parametrize(("asked", "begins"), [(None, True), (True, True), (False, False)], ids=str)
def test_a_completion_begins_with_the_special_tokens_unless_told_not_to(asked: bool | None, begins: bool) -> None:
    files = load_model(str(SAMPLE_MODEL))
    start = files.tokenizer.token_to_id("<|im_start|>")
    files.tokenizer.post_processor = TemplateProcessing(
        single="<|im_start|> $A", special_tokens=[("<|im_start|>", start)]
    )
    renderer, prompt = TemplateRenderer(files), completion("hi", add_special_tokens=asked)
    ids = renderer.prompt_ids(prompt, AT)
    assert (ids[0] == start) == begins
    assert np.array_equal(renderer.attribution(prompt, AT).token_ids, ids)
    assert start not in TemplateRenderer(replace(files, chat_template="a")).prompt_ids(request(user("a")), AT)
