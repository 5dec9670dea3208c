"""Evidence in one line: turns of token ids, the facts around them, and what the causes are asked."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from analysis.causes import explain
from analysis.causes.base import Evidence
from analysis.core.align import common_prefix
from analysis.core.pool_size import Step
from analysis.core.serving import Asked, Serving
from analysis.model.finding import Account, Cause, Note, TurnAnalysis
from analysis.model.gap import Gap, SourceFacts
from analysis.model.session import CachedBasis, JsonObject, Request, TokenIds, Turn, Usage
from analysis.model.settings import Settings
from analysis.pipeline.gaps import Visit
from tests.builders import tokens

SETTINGS = Settings(16, "given")
SIZE = SETTINGS.block_size


def logged(
    prompt: TokenIds,
    reply: TokenIds | None = None,
    cached: int | None = None,
    at: float | None = None,
    takes: float = 1.0,
    messages: Sequence[JsonObject] = (),
    **fields: Any,
) -> Turn:
    """A turn whose log has its ids.  ``fields`` are those of the request (salt, model, …) and of the turn."""
    asked = {name: fields.pop(name) for name in ("salt", "skips_cache", "embeds") if name in fields}
    request = Request("chat", fields.pop("model", "m"), tuple(messages), **asked)
    basis: CachedBasis = "not-recorded" if cached is None else "reported"
    return Turn(
        number=1,
        line=1,
        request_id="r",
        request=request,
        usage=Usage(len(prompt), None if reply is None else len(reply), cached, basis),
        prompt_ids=prompt,
        output_ids=tokens() if reply is None else reply,
        started_at=at,
        ended_at=None if at is None else at + takes,
        **fields,
    )


def visits(turns: Sequence[tuple[str, Turn]], settings: Settings = SETTINGS) -> list[Visit]:
    """Turns of sessions in the order a server gets them, as the analysis hands them on."""
    return served_visits(turns, settings)[0]


def served_visits(turns: Sequence[tuple[str, Turn]], settings: Settings) -> tuple[list[Visit], list[Step]]:
    """The same with the starts and ends of the requests."""
    serving, last, made = Serving(settings), dict[str, Visit](), list[Visit]()
    for name, turn in turns:
        before = last.get(name)
        assert turn.prompt_ids is not None and turn.output_ids is not None
        full = tokens(turn.prompt_ids.tolist(), turn.output_ids[:-1].tolist())
        asked = Asked(
            full_ids=full,
            prompt_tokens=len(turn.prompt_ids),
            keys=(turn.request.model, turn.request.salt, turn.replica),
            started_at=turn.started_at,
            ended_at=turn.ended_at,
            previous=before.served if before else None,
            lcp_tokens=common_prefix(before.served.asked.full_ids, turn.prompt_ids) if before else 0,
            place=turn.replica,
            skips_cache=turn.request.skips_cache,
        )
        number = before.found.turn.number + 1 if before else 1
        found = TurnAnalysis(replace(turn, number=number), len(turn.prompt_ids), full)
        made.append(Visit(name, f"{name} turn {number}", serving.serve(asked), found))
        last[name] = made[-1]
    return made, serving.steps


def evidence(
    cached: int | None = 0,
    best: int = 320,
    gap: dict[str, Any] | None = None,
    source: dict[str, Any] | None = None,
    now: dict[str, Any] | None = None,
    then: dict[str, Any] | None = None,
    first: bool = False,
    rounding: int = 0,
) -> Evidence:
    """A turn that could have reused ``best`` tokens and had ``cached``; by default all with its own keys.

    ``gap`` and ``source`` are fields of the facts, ``now`` and ``then`` those of the turn and the one before it.
    """
    source = source or {}
    facts = SourceFacts(**{"settings": SETTINGS, **source})
    missed = None if cached is None else max(0, best - cached)
    account = Account(cached, missed, rounding, 0, 30, best if cached is None else None, 0)
    prompt = tokens(range(best + rounding + 30))
    here = replace(logged(prompt, cached=cached, at=100.0, **(now or {})), number=2)
    found = TurnAnalysis(here, len(prompt), prompt, lcp_tokens=best + rounding, best_tokens=best, account=account)
    kept = (gap or {}).get("unlimited_tokens", best)
    around = Gap(**{"unlimited_tokens": kept, "kept_tokens": kept, "predicted_tokens": kept, **(gap or {})})
    before = logged(prompt[: best or 1], cached=0, at=0.0, **(then or {}))
    previous = None if first else TurnAnalysis(before, best, prompt[:best])
    return Evidence(found, previous, around if missed else None, facts)


def found(asked: Evidence) -> tuple[list[tuple[str, str, int]], list[str]]:
    """Code, confidence and tokens of the causes, and the codes of the notes."""
    causes, notes = explain(asked)
    return [(cause.code, cause.confidence, cause.tokens) for cause in causes], [note.code for note in notes]


def said(findings: Sequence[Cause | Note]) -> list[tuple[str, str]]:
    """Code and confidence of what one family says; a note has none."""
    return [(one.code, one.confidence if isinstance(one, Cause) else "note") for one in findings]
