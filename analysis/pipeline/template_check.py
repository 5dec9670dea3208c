"""Check chat templates: one file, the template of a model, or what a live server really runs.

Does not judge (the probes do) and does not tokenize: it compares rendered texts.
"""

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from analysis.core.bench import Bench, Render
from analysis.core.conversations import Conversation, conversation, shapes, user
from analysis.core.knobs import KNOWN_NAMES
from analysis.core.normalise import normalise_message, normalise_tool
from analysis.core.template_probes import overall, run_probes
from analysis.live.errors import EndpointError
from analysis.live.renderer import LiveRenderer
from analysis.live.vllm import VllmServer
from analysis.model.session import Json, JsonObject, Request
from analysis.model.template_check import TemplateCheck, TemplateSource
from analysis.render.confined import BUDGET, ConfinedTemplate
from analysis.render.errors import RenderError
from analysis.render.jinja import REFUSES
from analysis.render.tokenizer import load_model

Connect = Callable[[str], VllmServer]

NO_ARGUMENTS: JsonObject = {}
SPECIAL_TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
HARMONY_MARKERS = ("<|start|>", "<|channel|>", "<|message|>")
HARMONY = (
    "vLLM renders gpt-oss with Harmony code, not with this template: only its address, in place of the template, shows"
    " what the server does. Its date can be pinned with VLLM_SYSTEM_START_DATE."
)
NOT_RENDERED = (
    "The server offers no render route, so /tokenize or a generated token answered: for gpt-oss that need not be what"
    " chat requests get. vllm serve with --enable-scale-out has the route."
)
UNSEEN_TEMPLATE = "The server's template cannot be seen: only well-known template arguments were tried as a cure."
_ADDRESS = re.compile(r"https?://.*|[\w.-]+:\d+(/v1)?/?|\[[\da-fA-F:]+\]:\d+(/v1)?/?")
_REFUSED = re.compile(r" answered (400|422|500)\b")


def source_of(target: str) -> TemplateSource:
    """What a person means by a name: an address, a file, or else a model (a folder or a hub id)."""
    if Path(target).expanduser().is_file() or target.endswith((".jinja", ".jinja2")):
        return "template"
    return "endpoint" if _ADDRESS.fullmatch(target) else "model"


def check_target(target: str, connect: Connect, arguments: JsonObject = NO_ARGUMENTS) -> TemplateCheck:
    """Check whatever the name stands for; raise ValueError or OSError where it cannot be read or asked.

    ``arguments`` are the ``chat_template_kwargs`` that every request carries.
    """
    source = source_of(target)
    if source == "endpoint":
        return check_server(connect(target), time.time(), arguments)
    if source == "model":
        return check_model(target, arguments)
    path = Path(target).expanduser()
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError:
        raise RenderError(f"{target}: not a text file, so no chat template.") from None
    if path.suffix == ".json":
        raise RenderError(f"{target}: JSON, not a chat template. Give the folder that holds it.")
    return check_template(path.stem, text, arguments)


def check_model(model: str, arguments: JsonObject = NO_ARGUMENTS) -> TemplateCheck:
    """Check the template of a model folder or hub id."""
    files = load_model(model)
    if files.chat_template is None:
        raise RenderError(f"{model}: the model has no chat template. Give one as a .jinja file.")
    return replace(check_template(files.name, files.chat_template, arguments, files.special_tokens), source="model")


def check_template(
    name: str, text: str, arguments: JsonObject = NO_ARGUMENTS, special_tokens: Mapping[str, str] = SPECIAL_TOKENS
) -> TemplateCheck:
    """Check a template by its text; raise RenderError where it cannot be compiled, or takes too much time or memory."""
    template = ConfinedTemplate(text, budget=BUDGET)
    names = [name for name in template.argument_names() if name not in arguments]
    probes = run_probes(Bench(_template_render(template, special_tokens), arguments), names)
    if template.stopped is not None:
        raise RenderError(template.stopped)
    harmony = all(marker in text for marker in HARMONY_MARKERS)
    return TemplateCheck(name, "template", overall(probes), probes, (HARMONY,) if harmony else ())


def check_server(server: VllmServer, now: float, arguments: JsonObject = NO_ARGUMENTS) -> TemplateCheck:
    """Check what a live server renders, Harmony included; ``now`` in seconds since the epoch is its clock.

    Raises EndpointError where the server renders no prompts at all.
    """
    served = server.describe().models
    model = server.model or (served[0].name if served else "")
    render = _server_render(server, model)
    _first_render(render)
    names = [name for name in KNOWN_NAMES if name not in arguments]
    probes = run_probes(Bench(render, arguments, now, parses_arguments=True), names)
    notes = (UNSEEN_TEMPLATE,) if server.route == "render" else (UNSEEN_TEMPLATE, NOT_RENDERED)
    return TemplateCheck(f"{model} at {server.url}", "endpoint", overall(probes), probes, notes)


def behaving_alike(checks: Iterable[TemplateCheck]) -> tuple[tuple[TemplateCheck, ...], ...]:
    """Checks in groups of equal behaviour, in the order of their first members."""
    groups: dict[object, list[TemplateCheck]] = {}
    for check in checks:
        key = (check.notes, *((one.behaviour, one.verdict, one.finding, one.knob) for one in check.probes))
        groups.setdefault(key, []).append(check)
    return tuple(map(tuple, groups.values()))


def _template_render(template: ConfinedTemplate, special_tokens: Mapping[str, str]) -> Render:
    def render(asked: Conversation, arguments: JsonObject, at: float, generating: bool) -> str:
        variables = {
            **special_tokens,
            **arguments,
            "messages": [_as_template_sees(message) for message in asked.messages],
            "tools": [normalise_tool(tool) for tool in asked.tools] or None,
            "documents": None,
            "add_generation_prompt": generating,
        }
        try:
            return template.render(variables, at)
        except RenderError as error:
            raise RenderError(str(error).removeprefix(REFUSES)) from error  # what is left are the template's own words

    return render


def _as_template_sees(message: JsonObject) -> JsonObject:
    """What vLLM hands over, but for parts and argument strings: a shape that has them is about the template's own."""
    own = {name: message[name] for name in ("content", "tool_calls") if name in message}
    return {**normalise_message(message), **own}


def _server_render(server: VllmServer, model: str) -> Render:
    renderer = LiveRenderer(server)

    def render(asked: Conversation, arguments: JsonObject, at: float, generating: bool) -> str:
        request = Request(
            kind="chat",
            model=model,
            messages=tuple(_as_sent(message) for message in asked.messages),
            tools=asked.tools,
            template_kwargs=arguments,
            add_generation_prompt=generating,
        )
        try:
            return server.detokenize(renderer.prompt_ids(request, at), model)
        except EndpointError as error:
            if _REFUSED.search(str(error)):
                raise RenderError(str(error)) from error
            raise

    return render


def _as_sent(message: JsonObject) -> JsonObject:
    """A message as the API takes it: the arguments of a call as the text of their JSON."""
    calls = message.get("tool_calls")
    if not isinstance(calls, list):
        return message
    return {**message, "tool_calls": [_call_as_sent(call) for call in calls]}


def _call_as_sent(call: Json) -> Json:
    assert isinstance(call, Mapping)
    function = call["function"]
    assert isinstance(function, Mapping)
    return {**call, "function": {**function, "arguments": json.dumps(function["arguments"])}}


def _first_render(render: Render) -> None:
    """One question, before anything is concluded from what a server refuses."""
    refusal: RenderError | None = None
    for shape in shapes(tool_loop=False, plain=True):
        try:
            render(conversation(shape, user(0)), {}, 0.0, True)
        except RenderError as error:
            refusal = refusal or error
        else:
            return
    assert refusal is not None
    raise refusal
