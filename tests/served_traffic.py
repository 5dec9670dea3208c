"""Random traffic through the serving model, as the analysis hands it on."""

from analysis.core.serving import Asked, Served, Serving
from analysis.model.session import Media
from tests.builders import tokens
from tests.traffic import Call, shared


def asked(call: Call, last: tuple[Call, Served] | None, mixed: bool = False) -> Asked:
    """A call as Serving gets it; ``last`` is the session's call before."""
    return Asked(
        full_ids=tokens(call.ids),
        prompt_tokens=call.prompt,
        keys=call.keys,
        session=call.session if mixed else None,
        started_at=call.start,
        ended_at=call.end,
        previous=last[1] if last else None,
        lcp_tokens=shared(last[0].ids, call.ids[: call.prompt]) if last else 0,
        skips_cache=call.skips,
        media=tuple(Media(*image) for image in call.images),
    )


def served(serving: Serving, calls: list[Call], mixed: bool = False) -> list[Served]:
    """Serve the calls until the pool is full."""
    last: dict[int, tuple[Call, Served]] = {}
    made = []
    for call in calls:
        try:
            made.append(serving.serve(asked(call, last.get(call.session), mixed)))
        except ValueError:
            break
        last[call.session] = (call, made[-1])
    return made
