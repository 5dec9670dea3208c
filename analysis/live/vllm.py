"""A client of one vLLM server: what it is, how it renders a request into tokens, what tokens stand for.

Renders by the first way that the server offers: the render routes, then ``/tokenize``, and only where the caller
allows it by generating one token.  Does not generate otherwise, does not guess a model, and keeps no renders.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Literal, NoReturn, TypeVar

import httpx

from analysis.live import answers, bodies, metrics
from analysis.live.answers import Model, Rendered
from analysis.live.bodies import Body
from analysis.live.connection import ANSWER_SECONDS, Answer, Connection
from analysis.live.errors import IS_IT_VLLM, OFFERS_RENDERING, EndpointError, one_line, server_words
from analysis.live.metrics import CacheConfig
from analysis.model.session import Json, Request, RequestKind, TokenIds

Route = Literal["render", "tokenize", "generate"]
Read = TypeVar("Read")

RESET = "/reset_prefix_cache"
LISTED_MODELS = 10  # in an error message


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """A server as it describes itself; None is "not said".

    ``block_size`` and ``sliding_window`` are in tokens; ``num_blocks`` is the whole pool, the reserved block included.
    """

    url: str
    version: str | None
    models: tuple[Model, ...]
    block_size: int | None = None
    num_blocks: int | None = None
    hash_algorithm: str | None = None
    prefix_caching: bool | None = None
    sliding_window: int | None = None
    mamba_cache_mode: str | None = None
    retention: int | None = None


@dataclass(frozen=True, slots=True)
class Way:
    """One way to the ids of a prompt: where to ask, with what, and how the answer reads."""

    route: Route
    path: str
    body: Callable[[Request, str], Body]
    read: Callable[[Json], Rendered]


WAYS: dict[RequestKind, tuple[Way, ...]] = {
    "chat": (
        Way("render", "/v1/chat/completions/render", bodies.chat, answers.rendered_chat),
        Way("tokenize", "/tokenize", bodies.chat_tokenize, answers.tokenized),
        Way("generate", "/v1/chat/completions", bodies.chat_generate, answers.generated),
    ),
    "completion": (
        Way("render", "/v1/completions/render", bodies.completion, answers.rendered_completion),
        Way("tokenize", "/tokenize", bodies.completion_tokenize, answers.tokenized),
    ),
}


class VllmServer:
    """One vLLM server.  Every failure is an EndpointError of one line.

    ``model`` replaces the model's name in every request.  ``allow_generation`` lets the server generate one token
    where it offers nothing else: that costs a prefill and writes the prompt into its cache.
    """

    def __init__(
        self,
        address: str,
        *,
        api_key: str | None = None,
        model: str | None = None,
        allow_generation: bool = False,
        seconds: float = ANSWER_SECONDS,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Take an address as a person gives it; nothing is sent yet.  ``seconds`` is the longest wait for an answer."""
        self._connection = Connection(address, api_key, seconds, transport)
        self._allow_generation = allow_generation
        self._refused: dict[str, str] = {}  # path -> why, so that no turn asks there again
        self._route: Route | None = None
        self.model = model

    def __repr__(self) -> str:
        """Name the server, not the key."""
        return f"VllmServer({self.url!r})"

    @property
    def url(self) -> str:
        """``http://host:port``."""
        return self._connection.url

    @property
    def route(self) -> Route | None:
        """How the latest render was made; None before the first."""
        return self._route

    def close(self) -> None:
        """Close the sockets; a later request opens new ones."""
        self._connection.close()

    def describe(self) -> ServerInfo:
        """Ask what the server is and serves.  Metrics that are not there leave the cache unknown."""
        answer = self._connection.get("/v1/models")
        served = self._read(answer, answers.models)
        version = self._or_none(
            "/version", lambda answer: self._read(answer, lambda body: answers.text(body, "version"))
        )
        if version is None and "vllm" not in self._read(answer, answers.owners):
            self._connection.fail(f"{self.url} speaks like OpenAI but is not vLLM (it has no /version): {IS_IT_VLLM}")
        cache = self._or_none("/metrics", self._cache_config) or CacheConfig()
        return ServerInfo(self.url, None if version is None else one_line(version, 60), served, **asdict(cache))

    def render(self, request: Request, *, offsets: bool = False) -> Rendered:
        """Return the prompt's ids, and with ``offsets`` their characters where the server says them."""
        if request.kind == "completion" and not isinstance(request.prompt, str):
            if request.prompt is None:
                raise ValueError("a completion request without a prompt cannot be rendered")
            return Rendered(request.prompt)
        model = self.model or request.model
        for way in self._ways(request.kind):
            answer = self._ask(way, way.body(request, model), offsets)
            if self._is_closed(answer):
                self._refused[way.path] = f"{answer.status} ({server_words(answer.body) or 'without a word'})"
                continue
            self._route = way.route
            return self._read(answer, way.read, model)
        self._no_way(request.kind)

    def detokenize(self, token_ids: Sequence[int] | TokenIds, model: str = "") -> str:
        """Return the text of token ids, special tokens included."""
        body: Body = {"tokens": [int(token_id) for token_id in token_ids], **self._named(model)}
        answer = self._connection.post("/detokenize", body)
        return self._read(answer, lambda body: answers.text(body, "prompt"), model)

    def token_strings(self, text: str, model: str = "") -> tuple[TokenIds, tuple[str, ...]]:
        """Tokenize a text; return the ids and the tokenizer's own spelling of them (``Ġthe`` for " the")."""
        body: Body = {"prompt": text, "add_special_tokens": False, "return_token_strs": True, **self._named(model)}
        return self._read(self._connection.post("/tokenize", body), answers.token_strings, model)

    def can_reset(self) -> bool:
        """Say whether the server has the reset route, without resetting: GET on it is the wrong method, not a 404."""
        return self._connection.get(RESET).status == 405

    def reset_prefix_cache(self) -> bool:
        """Empty the prefix cache; False where the server did not, because requests are running.

        The status is 200 in both cases (vLLM 0.32): only the body tells.
        """
        answer = self._connection.post(RESET)
        if answer.status == 404:
            self._connection.fail(
                f"{answer.url} does not exist: start the server with VLLM_SERVER_DEV_MODE=1 to reset its prefix cache"
            )
        return self._read(answer, lambda body: answers.flag(body, "success"))

    def _ways(self, kind: RequestKind) -> list[Way]:
        allowed = [way for way in WAYS[kind] if way.route != "generate" or self._allow_generation]
        return [way for way in allowed if way.path not in self._refused]

    def _ask(self, way: Way, body: Body, offsets: bool) -> Answer:
        if offsets and way.route == "render":
            answer = self._connection.post(way.path, {**body, "return_token_offsets": True})
            if answer.ok or self._is_closed(answer):
                return answer  # else the offsets may be what it refuses: the ids are still to be had
        return self._connection.post(way.path, body)

    def _is_closed(self, answer: Answer) -> bool:
        if answer.status == 404:
            return not answers.names_no_such_model(server_words(answer.body))
        if answer.status == 400:  # a server without a tool-call parser renders no request with tools, /tokenize does
            return answers.wants_tool_parser(server_words(answer.body))
        return answer.status in (403, 405)

    def _no_way(self, kind: RequestKind) -> NoReturn:
        tried = [f"{way.path} answered {self._refused[way.path]}" for way in WAYS[kind] if way.path in self._refused]
        self._refused.clear()  # whoever restarts the server may ask again
        generation = "" if self._allow_generation or kind != "chat" else ", or allow it to generate one token per turn"
        self._connection.fail(f"{self.url} renders no prompts, {', '.join(tried)}: {OFFERS_RENDERING}{generation}")

    def _read(self, answer: Answer, read: Callable[[Json], Read], model: str = "") -> Read:
        if answer.status == 404 and answers.names_no_such_model(server_words(answer.body)):
            self._unknown_model(model)
        body = self._connection.json(answer)
        try:
            return read(body)
        except ValueError as error:
            reason = str(error)
        self._connection.fail(f"{answer.url} answered with {reason}: {IS_IT_VLLM}")

    def _unknown_model(self, model: str) -> NoReturn:
        served = self._or_none("/v1/models", lambda answer: self._read(answer, answers.models)) or ()
        names = one_line(", ".join(served_model.name for served_model in served[:LISTED_MODELS])) or "nothing it names"
        asked = one_line(self.model or model, 80)
        self._connection.fail(
            f"{self.url} does not serve the model {asked!r}, it serves {names}: say which of them renders in its place"
        )

    def _named(self, model: str) -> Body:
        name = self.model or model
        return {"model": name} if name else {}

    def _cache_config(self, answer: Answer) -> CacheConfig:
        return metrics.cache_config(answer.body.decode("utf-8", "replace")) if answer.ok else CacheConfig()

    def _or_none(self, path: str, read: Callable[[Answer], Read]) -> Read | None:
        """Ask for something that a server may well not have."""
        try:
            return read(self._connection.get(path))
        except EndpointError:
            return None
