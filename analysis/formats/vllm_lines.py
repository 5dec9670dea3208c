"""Lines of vLLM's own log that speak of requests, gathered call by call.

vLLM writes texts as Python literals and ids as lists of numbers: a literal is read as a text and nothing else is
evaluated.  The wording is that of ``RequestLogger`` from vLLM 0.4 (``vllm/entrypoints/logger.py``) to 0.33
(``vllm/entrypoints/serve/utils/request_logger.py``).
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from analysis.formats import jsontext
from analysis.formats.base import Problems, Progress
from analysis.formats.bodies import ids
from analysis.formats.jsontext import Fields
from analysis.formats.times import seconds
from analysis.model.session import TokenIds

NO_CALLS = ("tokenize", "detokenize", "embd", "score", "rerank", "classify", "pool")  # how their request ids begin
SHORTEST_CUT = 16  # characters: what is shorter is as long as its ids by chance

_SAID = re.compile(
    rb"\.py:\d{1,6}\]\S{0,20} (Received request|Request|Generated response) (\S{1,300}?)"
    rb"( \(streaming \w+\))?( details| JSON body)?: "
)
_TEXT = re.compile(rb"""prompt: (None|'(?:[^'\\]++|\\.)*+'|"(?:[^"\\]++|\\.)*+"),""")
_NUMBERS = re.compile(rb"token_ids: (\[[0-9, ]*\])")
_TIME = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_LORA = re.compile(rb"lora_request: LoRARequest\(lora_name='([^']+)'")
_SKIPS_CACHE = re.compile(rb"prompt_logprobs=\d|skip_reading_prefix_cache=True")
_NO_SAMPLING = re.compile(rb"params: (?:None|PoolingParams)")
_SETUP = re.compile(rb"Initializing a V|\bargs: ")
_SERVED = re.compile(rb"served_model_name(?:=|': \[')([^\s,'\]]+)|'model(?:_tag)?': '([^']+)'")
_LONGEST = re.compile(rb"max_log_len(?:=|': )(\d+)")
_KIND = re.compile(r"^(?:chatcmpl|cmpl|resp|generate-tokens)[-_]")
_NUMBER = re.compile(r"[-_]\d+$")


@dataclass(slots=True)
class Call:
    """What the lines of one request say; ``line`` is the first of them, None is what no line says."""

    request_id: str
    line: int
    at: float | None
    text: str | None = None
    prompt_ids: TokenIds | None = None
    output_ids: TokenIds | None = None
    lora: str | None = None
    skips_cache: bool = False
    received: bool = False
    detailed: bool = False


@dataclass(slots=True)
class Lines:
    """All that a log says of requests.  ``longest`` is the length that prompts are cut to (``--max-log-len``)."""

    problems: Problems
    calls: list[Call] = field(default_factory=list)
    bodies: dict[str, Fields] = field(default_factory=dict)
    model: str | None = None
    longest: int | None = None
    _latest: dict[str, Call] = field(default_factory=dict)

    def take(self, number: int, line: bytes) -> None:
        """Read one line; most say nothing of a request."""
        if (found := _SAID.search(line)) is None:
            if _SETUP.search(line) is not None:
                self._set_up(line)
            return
        kind, request_id, streaming, more = (group or b"" for group in found.groups())
        name, rest = request_id.decode("utf-8", "replace"), line[found.end() :]
        if kind == b"Generated response":
            if streaming != b" (streaming delta)" and (call := self._latest.get(name)) is not None:
                call.output_ids = call.output_ids if call.output_ids is not None else _ids(rest)
        elif more == b" JSON body":
            self._body(number, name, rest)
        elif not name.startswith(NO_CALLS) and _NO_SAMPLING.match(rest) is None:
            self._asked(number, name, line, rest, received=kind == b"Received request")

    def body_of(self, call: Call) -> Fields | None:
        """The body that a call was made with: its id is that of the call without what vLLM puts around it."""
        whole = call.request_id
        one = _NUMBER.sub("", whole)  # of several prompts
        names = (whole, one, _KIND.sub("", whole), _KIND.sub("", one))
        return next((self.bodies[name] for name in names if name in self.bodies), None)

    def cut_at(self) -> int | None:
        """The length that prompts are cut to: as the server's arguments say, else as long texts give it away.

        A cut prompt has as many characters as it has ids, and none is longer.
        """
        if self.longest is not None:
            return self.longest
        lengths = [length for call in self.calls for length in _lengths(call)]
        longest = max(lengths, default=0)
        if longest >= SHORTEST_CUT and any(_lengths(call) == [longest, longest] for call in self.calls):
            return longest
        return None

    def _set_up(self, line: bytes) -> None:
        if (served := _SERVED.search(line)) is not None and self.model is None:
            self.model = (served[1] or served[2]).decode("utf-8", "replace")
        if (longest := _LONGEST.search(line)) is not None:
            self.longest = int(longest[1])

    def _body(self, number: int, name: str, written: bytes) -> None:
        try:
            self.bodies[name] = jsontext.fields(written.strip())
        except ValueError:
            self.problems.count("body", number, "a JSON body that is cut off (--max-log-len?): left out.")

    def _asked(self, number: int, name: str, line: bytes, rest: bytes, received: bool) -> None:
        call = self._latest.get(name)
        if call is None or (call.received if received else call.detailed):
            call = self._latest[name] = Call(name, number, _time(line))
            self.calls.append(call)
        call.received |= received
        call.detailed |= not received
        if (found := _TEXT.match(rest)) is not None:
            call.text, rest = _literal(found[1]), rest[found.end() :]
        elif rest.startswith(b"prompt: "):
            self.problems.count("prompt", number, "a prompt that is cut off in the middle of its line: left out.")
            return
        call.prompt_ids = call.prompt_ids if call.prompt_ids is not None else _ids(rest)
        if (lora := _LORA.search(rest)) is not None:
            call.lora = lora[1].decode("utf-8", "replace")
        call.skips_cache |= _SKIPS_CACHE.search(rest) is not None


def lines(data: bytes, problems: Problems, progress: Progress | None = None) -> Lines:
    """Read a whole log."""
    found = Lines(problems)
    for number, start, line in _numbered(data):
        found.take(number, line)
        if progress is not None:
            progress(start + len(line), len(data))
    return found


def _numbered(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    start, number = 0, 0
    while start < len(data):
        stop = data.find(b"\n", start)
        stop = len(data) if stop < 0 else stop
        number += 1
        yield number, start, data[start:stop]
        start = stop + 1


def _lengths(call: Call) -> list[int]:
    return [len(one) for one in (call.text, call.prompt_ids) if one is not None]


def _literal(written: bytes) -> str | None:
    """The text that a Python literal is."""
    try:
        value = ast.literal_eval(written.decode("utf-8", "replace"))
    except (ValueError, SyntaxError, MemoryError):
        return None
    return value if isinstance(value, str) else None


def _ids(rest: bytes) -> TokenIds | None:
    """The last list of ids: what stands before it may be a client's own words."""
    place = rest.rfind(b"token_ids: [")
    found = _NUMBERS.match(rest, place) if place >= 0 else None
    return ids(jsontext.decode(found[1])) if found is not None else None


def _time(line: bytes) -> float | None:
    """The time that whoever keeps the log wrote in front of the line: vLLM's own has no year."""
    found = _TIME.match(line)
    return seconds(found[0].decode()) if found is not None else None
