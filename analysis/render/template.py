"""The renderer that runs offline: a model's chat template and tokenizer, after vLLM's request normalisation.

Does not render images, and not gpt-oss's Harmony format, which vLLM writes with code instead of the template.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from analysis.core.locate import searched_segments
from analysis.core.media import sent
from analysis.core.normalise import normalise_message, normalise_tool
from analysis.core.segment import segments
from analysis.model.prompt import Attribution
from analysis.model.session import Json, JsonObject, Media, Request, TokenIds
from analysis.model.settings import Normalisation
from analysis.render import provenance
from analysis.render.attributions import Attributions
from analysis.render.confined import ConfinedTemplate
from analysis.render.errors import RenderError
from analysis.render.segments import SegmentTokenizer
from analysis.render.tokenizer import ModelFiles, load_model, token_bytes

REMEMBERED_OBJECTS = 100_000  # messages and tools that were normalised


class TemplateRenderer:
    """Renders requests with a model's own files; satisfies ``analysis.model.renderer.Renderer``."""

    def __init__(self, files: ModelFiles, normalise: Normalisation = "vllm", is_own: bool = True) -> None:
        """The template, the model's own or another one, runs in a process of its own, with limits."""
        self.name = files.name
        self._files = files
        self._normalise = normalise
        self._tokens = SegmentTokenizer(files.tokenizer)
        source = files.chat_template
        self._template = None if source is None else ConfinedTemplate(source, model=files.name if is_own else None)
        self._attributions = Attributions()
        self._normalised: dict[int, tuple[JsonObject, dict[str, Json]]] = {}

    @classmethod
    def load(cls, model: str, normalise: Normalisation = "vllm") -> "TemplateRenderer":
        """A renderer for a folder or a hub id; raise RenderError where there is none."""
        return cls(load_model(model), normalise)

    def with_template(self, source: str) -> "TemplateRenderer":
        """The same model with another chat template."""
        return TemplateRenderer(replace(self._files, chat_template=source), self._normalise, is_own=False)

    def prompt_ids(self, request: Request, at: float | None) -> TokenIds:
        if request.kind == "completion":
            return self._completion_ids(request, "")
        return self._tokens.encode(self._text(request, at))

    def history_ids(self, request: Request, reply: JsonObject, at: float | None) -> TokenIds:
        if request.kind == "completion":
            return self._completion_ids(request, str(reply.get("content") or ""))
        return self._tokens.encode(self._text(request, at, reply))

    def attribution(self, request: Request, at: float | None, reply: JsonObject | None = None) -> Attribution:
        return self._attributions.of(request, at, reply, lambda: self._attributed(request, at, reply))

    def _attributed(self, request: Request, at: float | None, reply: JsonObject | None) -> Attribution:
        if request.kind == "completion":
            text = f"{request.prompt if isinstance(request.prompt, str) else ''}{(reply or {}).get('content') or ''}"
            encoding = self._files.tokenizer.encode(text, add_special_tokens=request.add_special_tokens is not False)
            starts = np.array([start for start, _stop in encoding.offsets], np.int32)
            return Attribution(text, np.array(encoding.ids, np.int32), starts, (), "searched")
        text = self._text(request, at, reply)
        ids, starts = self._tokens.encode(text), self._tokens.starts(text)
        try:
            traced = self._traced(request, at, reply)
        except RenderError:  # it takes more time and memory than the plain render, which came through
            traced = None
        if traced is not None and "".join((traced,)) == text:
            return Attribution(text, ids, starts, segments(text, provenance.spans(traced)), "provenance")
        return Attribution(text, ids, starts, searched_segments(text, request, reply), "searched")

    def media(self, request: Request, at: float | None) -> tuple[Media, ...] | None:
        """Nothing where there is none: the template prints one placeholder, the server as many as the image needs."""
        return None if sent(request) else ()

    def token_bytes(self, token_ids: Sequence[int]) -> list[bytes]:
        return token_bytes(self._files.tokenizer, token_ids)

    def template_names(self) -> frozenset[str]:
        try:
            return self._template.names if self._template is not None else frozenset()
        except RenderError:  # it cannot be read, or was stopped: what it renders says so
            return frozenset()

    def _completion_ids(self, request: Request, reply: str) -> TokenIds:
        special = request.add_special_tokens is not False  # vLLM's default for completions
        if isinstance(request.prompt, str):
            return np.array(
                self._files.tokenizer.encode(request.prompt + reply, add_special_tokens=special).ids, np.int32
            )
        if request.prompt is None:
            raise RenderError("the completion request has no prompt")
        return np.concatenate([request.prompt, self._tokens.encode(reply)]) if reply else request.prompt

    def _text(self, request: Request, at: float | None, reply: JsonObject | None = None) -> str:
        messages, variables = self._variables(request, reply)
        text = self._template_for(request).render(variables, at)
        try:
            text.encode()
        except UnicodeEncodeError:
            raise RenderError("the chat template prints half a character (a lone surrogate)") from None
        return _cut_at_final(text, messages) if request.continue_final_message and reply is None else text

    def _traced(self, request: Request, at: float | None, reply: JsonObject | None) -> str:
        messages, variables = self._variables(request, reply)
        text = self._template_for(request).render_traced(variables, at)
        return _cut_at_final(text, messages) if request.continue_final_message and reply is None else text

    def _inputs(self, request: Request, reply: JsonObject | None) -> tuple[list[Any], list[Any]]:
        messages = [*request.messages, reply] if reply is not None else list(request.messages)
        if self._normalise == "none":
            return messages, list(request.tools)
        return (
            [self._once(message, normalise_message) for message in messages],
            [self._once(tool, normalise_tool) for tool in request.tools],
        )

    def _once(self, value: JsonObject, normalise: Callable[[JsonObject], dict[str, Json]]) -> dict[str, Json]:
        """Normalise an object once: what was sent again is the same object."""
        known = self._normalised.get(id(value))
        if known is None:
            if len(self._normalised) >= REMEMBERED_OBJECTS:
                self._normalised.clear()
            known = self._normalised[id(value)] = (value, normalise(value))
        return known[1]

    def _variables(self, request: Request, reply: JsonObject | None) -> tuple[list[Any], dict[str, Any]]:
        """The messages, and all that the template sees."""
        messages, tools = self._inputs(request, reply)
        generating = request.add_generation_prompt and not request.continue_final_message and reply is None
        return messages, {
            **self._files.special_tokens,
            **request.template_kwargs,
            "messages": messages,
            "tools": tools or None,
            "documents": None,
            "add_generation_prompt": generating,
        }

    def _template_for(self, request: Request) -> ConfinedTemplate:
        if request.chat_template is not None:  # a log may hold anything, and a template is a program
            raise RenderError("the request brings a chat template of its own, which is not run")
        if self._template is None:
            raise RenderError(f"{self.name}: the model has no chat template. Add chat_template.jinja to its folder.")
        return self._template


def _cut_at_final(text: str, messages: list[Any]) -> str:
    """``continue_final_message``: the prompt ends with the last message's own text."""
    final = str(messages[-1].get("content") or "").strip() if messages else ""
    at = str.rfind(text, final) if final else -1
    if at < 0:
        raise RenderError("continue_final_message: the template does not print the last message as it was sent")
    return text[: at + len(final)]
