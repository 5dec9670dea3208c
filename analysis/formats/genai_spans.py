"""A span of OpenTelemetry's conventions for generative AI as a call, in the words of any of their versions.

Messages stand in attributes (``gen_ai.input.messages``; older: ``gen_ai.prompt``, numbered or as text) or in events.
Only chats and completions are calls: an agent's span repeats what its calls say.  Does not read the span around them.
"""

from collections.abc import Iterable, Iterator, Sequence

from analysis.formats.attributes import listed, tree
from analysis.formats.calls import count, dig, first_text, mapping, objects
from analysis.formats.genai_parts import chat_messages, function_tool, instructions, is_blacked_out, numbered, of_events
from analysis.formats.loose_messages import asked, reply
from analysis.formats.totals import Counts
from analysis.formats.traced_call import Call
from analysis.model.session import Json, JsonObject, Mark

Events = Sequence[tuple[str, JsonObject]]  # names with their attributes

OPERATIONS = ("chat", "text_completion")
OLDER_TYPES = ("chat", "completion")  # of llm.request.type, where no operation is named
DETAILS = "gen_ai.client.inference.operation.details"
PROMPTS = (("input_tokens",), ("prompt_tokens",))
OUTPUTS = (("output_tokens",), ("completion_tokens",))
READ = (
    ("cache_read", "input_tokens"),
    ("cache_read_input_tokens",),
    ("cached_input_tokens",),
    ("details", "cache_read_tokens"),
    ("details", "cached_tokens"),
)
CREATED = (("cache_creation", "input_tokens"), ("cache_creation_input_tokens",), ("details", "cache_write_tokens"))


def is_call(attributes: JsonObject) -> bool:
    """Whether a span is one call of a model."""
    operation = dig(attributes, "gen_ai", "operation", "name")
    if operation is not None:
        return operation in OPERATIONS
    return dig(attributes, "llm", "request", "type") in OLDER_TYPES


def agent(attributes: JsonObject, span_name: str) -> str | None:
    """The name of the agent that a span runs; None where it runs none."""
    runs = dig(attributes, "gen_ai", "operation", "name") == "invoke_agent"
    return first_text(dig(attributes, "gen_ai", "agent", "name"), span_name, "agent") if runs else None


def call(attributes: JsonObject, events: Events = ()) -> Call:
    """The call of a span."""
    details = [mapping(tree(said.items()).get("gen_ai")) for name, said in events if name == DETAILS]
    places = [mapping(attributes.get("gen_ai")), *details]
    told = [*events, *_embedded(attributes)]
    sent = _first(places, "input", "messages")
    lacks: set[Mark] = {"redacted"} if is_blacked_out(sent) else set()
    messages = [*chat_messages(sent)] or [*_older(places[0].get("prompt"), told)]
    system = (
        []
        if any(one.get("role") == "system" for one in messages)
        else instructions(_first(places, "system_instructions"))
    )
    counts = _counts(attributes)
    return Call(
        model=first_text(_first(places, "request", "model"), _first(places, "response", "model")) or "",
        messages=[*system, *messages] if messages else (),
        reply=next(iter(chat_messages(_first(places, "output", "messages"))), None) or _answer(places[0], told),
        tools=[*tools(attributes)] or [*map(function_tool, objects(_first(places, "tool", "definitions")))],
        usage=counts.usage(),
        counts=counts,
        lacks=frozenset(lacks),
        request_id=first_text(_first(places, "response", "id")),
        replica=_server(attributes),
        server_version=first_text(
            dig(attributes, "openai", "response", "system_fingerprint"),
            _first(places, "openai", "response", "system_fingerprint"),
        ),
    )


def tools(attributes: JsonObject) -> Iterator[JsonObject]:
    """The tools of a request, by any of the names they were given."""
    wanted = mapping(attributes.get("model_request_parameters"))
    held = (
        dig(attributes, "gen_ai", "tool", "definitions"),
        dig(attributes, "llm", "request", "functions"),
        [*objects(wanted.get("function_tools")), *objects(wanted.get("output_tools"))],
        dig(attributes, "ai", "prompt", "tools"),
    )
    for tool in next((found for one in held if (found := listed(one))), []):
        said = mapping(tool)
        schema = mapping(said.get("parameters"))
        yield function_tool({**said, "parameters": schema} if schema else said)


def _older(prompt: Json, events: Iterable[tuple[str, JsonObject]]) -> Iterator[JsonObject]:
    """Messages where none are given as such."""
    told = [*events]
    texts = [said.get("gen_ai.prompt") for name, said in told if name == "gen_ai.content.prompt"]
    if isinstance(prompt, dict):
        yield from numbered(prompt)
    elif messages := asked(prompt if prompt is not None else next(iter(texts), None)).messages:
        yield from messages
    else:
        yield from of_events(told)


def _answer(gen_ai: JsonObject, events: Iterable[tuple[str, JsonObject]]) -> JsonObject | None:
    """The reply where none is given as a message."""
    completion = gen_ai.get("completion")
    if isinstance(completion, dict):
        return next(numbered(completion), None)
    for name, said in events:
        if name == "gen_ai.choice":
            return next(of_events([("gen_ai.assistant.message", mapping(said.get("message")) or said)]), None)
        if name == "gen_ai.content.completion" and completion is None:
            completion = said.get("gen_ai.completion")
    return reply(completion)


def _embedded(attributes: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """Events that an instrumentation kept as the JSON of one attribute."""
    for said in objects(attributes.get("events")):
        yield first_text(said.get("event.name")) or "", said


def _counts(attributes: JsonObject) -> Counts:
    said = mapping(dig(attributes, "gen_ai", "usage"))
    older = dig(attributes, "llm", "usage", "total_tokens")
    return Counts(
        _counted(said, PROMPTS),
        _counted(said, OUTPUTS),
        _counted(said, READ),
        created=_counted(said, CREATED),
        total=said.get("total_tokens", older),
    )


def _counted(said: JsonObject, paths: Iterable[tuple[str, ...]]) -> int | None:
    return next((found for path in paths if (found := count(dig(said, *path))) is not None), None)


def _first(places: Iterable[JsonObject], *path: str) -> Json:
    return next((found for place in places if (found := dig(place, *path)) is not None), None)


def _server(attributes: JsonObject) -> str | None:
    """The server that was asked, which may be a gateway before several."""
    address, port = first_text(dig(attributes, "server", "address")), first_text(dig(attributes, "server", "port"))
    return f"{address}:{port}" if address and port else address
