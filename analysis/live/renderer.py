"""A renderer that lets a live vLLM server render: what it answers is by definition what it caches.

Every render is asked for once.  Does not know the time of a request: a template that prints the date prints the
server's today.
"""

from collections.abc import Sequence

from analysis.core.locate import searched_segments
from analysis.core.media import sent
from analysis.live import bodies
from analysis.live.answers import Rendered
from analysis.live.pieces import TokenPieces
from analysis.live.render_cache import RenderCache, digest_of
from analysis.live.token_starts import from_offsets, from_pieces
from analysis.live.vllm import VllmServer
from analysis.model.prompt import Attribution
from analysis.model.session import JsonObject, Media, Request, TokenIds


class LiveRenderer:
    """Renders through one server.  Raises EndpointError where it cannot be asked, ValueError for what has no render."""

    def __init__(self, server: VllmServer) -> None:
        """Nothing is sent yet."""
        self.name = f"vLLM at {server.url}"
        self._server = server
        self._cache = RenderCache()
        self._pieces = TokenPieces(server)
        self._model = ""

    def prompt_ids(self, request: Request, at: float | None) -> TokenIds:
        """Token ids of the prompt as the server makes them now, whatever ``at`` says."""
        return self._render(request, offsets=False).token_ids

    def history_ids(self, request: Request, reply: JsonObject, at: float | None) -> TokenIds:
        """Token ids of the conversation with the reply appended and no generation prompt behind it."""
        return self.prompt_ids(bodies.with_reply(request, reply), at)

    def attribution(self, request: Request, at: float | None, reply: JsonObject | None = None) -> Attribution:
        """Return the decoded prompt with its tokens and the fields that were found in it."""
        shown = request if reply is None else bodies.with_reply(request, reply)
        rendered = self._render(shown, offsets=True)
        text = self._server.detokenize(rendered.token_ids, request.model)
        starts = None if rendered.offsets is None else from_offsets(rendered.offsets, text)
        if starts is None:
            starts = from_pieces(self._pieces.bytes_of(rendered.token_ids.tolist(), request.model, text), text)
        return Attribution(text, rendered.token_ids, starts, searched_segments(text, request, reply), "searched")

    def media(self, request: Request, at: float | None) -> tuple[Media, ...] | None:
        """The images as the server hashes them; None where its answer does not carry them."""
        return self._render(request, offsets=False).media if sent(request) else ()

    def token_bytes(self, token_ids: Sequence[int]) -> list[bytes]:
        """What each token stands for; U+FFFD where the server does not tell the bytes of half a character."""
        return self._pieces.bytes_of(token_ids, self._model)

    def template_names(self) -> frozenset[str]:
        """Nothing: the server does not show its template."""
        return frozenset()

    def _render(self, request: Request, *, offsets: bool) -> Rendered:
        digest = digest_of(request)
        rendered = self._cache.find(digest, offsets=offsets)
        if rendered is None:
            rendered = self._server.render(request, offsets=offsets)
            self._cache.keep(digest, rendered, offsets=offsets)
            self._model = request.model
            if len(rendered.token_ids):
                self._pieces.suggest_marker(int(rendered.token_ids[0]))
        return rendered
