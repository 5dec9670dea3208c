"""Requests of token ids: pairs of vLLM's /inference/v1/generate, and what its /render routes make of a request.

A render is the ``GenerateRequest`` that the server would run: ids, images, salt, no text.  It has no answer of a model.
The fields are those that vLLM 0.32 writes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from analysis.core.media import of_features
from analysis.formats import jsontext, wrapper
from analysis.formats.base import Problems
from analysis.formats.bodies import ids
from analysis.formats.calls import dig, first_text, mapping, objects
from analysis.formats.chat_pairs import answered
from analysis.formats.grouping import Entry
from analysis.formats.jsontext import Fields
from analysis.formats.salts import fingerprint
from analysis.model.session import Json, Media, Request, Turn


@dataclass(slots=True)
class TokenPairs:
    """The pairs and renders of one log, read as they come."""

    problems: Problems
    _entries: list[Entry] = field(default_factory=list)

    def take(self, line: int, record: Fields) -> None:
        """Read one pair or render; what is none is a problem."""
        try:
            self._entries += self._read(line, record)
        except ValueError as error:
            self.problems.count(f"left out:{error}", line, f"left out: {error}.")

    def entries(self) -> list[Entry]:
        """The turns so far, without their numbers."""
        return self._entries

    def _read(self, line: int, record: Fields) -> Iterator[Entry]:
        if wrapper.failed(record):
            self.problems.count("failed", line, "the call failed and counts as no turn.")
            return
        body = wrapper.split(wrapper.raw(record, wrapper.REQUEST))
        key, trace = wrapper.session_key(record, body), wrapper.trace(record, body)
        for request in _requests(record):
            yield Entry(self._turn(line, record, request), key, trace=trace)

    def _turn(self, line: int, record: Fields, request: dict[str, Json]) -> Turn:
        prompt = ids(request.get("token_ids"))
        if prompt is None:
            raise ValueError("the request has no token_ids")
        said = wrapper.said(record)
        answer, parts = mapping(wrapper.value(record, wrapper.RESPONSE)), answered(record, bare=False)
        return Turn(
            number=0,
            line=line,
            request_id=first_text(request.get("request_id"), _named(record), answer.get("request_id"))
            or f"line-{line}",
            request=Request(
                kind="completion",
                model=first_text(request.get("model"), parts.model) or "",
                prompt=prompt,
                salt=fingerprint(request.get("cache_salt")),
                skips_cache=_skips_cache(request.get("sampling_params")),
            ),
            usage=parts.usage,
            prompt_ids=prompt,
            output_ids=parts.output_ids,
            server_version=parts.server_version,
            media=self._media(line, request.get("features"), len(prompt)),
            completeness=said.pop("lacks"),
            **said,
        )

    def _media(self, line: int, features: Json, num_tokens: int) -> tuple[Media, ...] | None:
        try:
            return of_features(features, num_tokens)
        except ValueError as error:
            self.problems.count("features", line, f"left out: {error}.")
            return None


def _requests(record: Fields) -> list[dict[str, Json]]:
    """The requests of a record: itself where it is a bare render, those that it was answered with, or its body."""
    if all(name in record for name in wrapper.RENDERED):
        return [{name: jsontext.decode(raw) for name, raw in record.items()}]
    answer = wrapper.value(record, wrapper.RESPONSE)
    made = [one for one in (objects(answer) or [mapping(answer)]) if all(name in one for name in wrapper.RENDERED)]
    return made or [wrapper.body_of(record) or {}]


def _named(record: Fields) -> Json:
    return wrapper.value(record, wrapper.REQUEST_ID)


def _skips_cache(sampling: Json) -> bool:
    """Whether the server does not look into its cache: it was told so, or is asked for logprobs of the prompt."""
    return dig(sampling, "skip_reading_prefix_cache") is True or dig(sampling, "prompt_logprobs") is not None
