"""From sessions to findings: tokens, donor, account and divergence of every turn of one server history."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from math import gcd

from analysis.causes import explain
from analysis.causes.base import Evidence
from analysis.core.account import Facts, account, best_tokens, parts
from analysis.core.align import common_prefix
from analysis.core.blocks import Fingerprints, fingerprints, full_blocks, reusable_tokens
from analysis.core.lineage import Candidate, History
from analysis.model.finding import Donor, Previous, SessionAnalysis, TurnAnalysis
from analysis.model.session import Problem, Request, Session, Turn
from analysis.model.settings import Settings
from analysis.pipeline.explain import divergence
from analysis.pipeline.tokens import RendererFor, TurnTokens, turn_tokens

REMEDY = "Log token ids (return_token_ids), or render through a live server (--endpoint)."
Progress = Callable[[int, int], None]  # turns done, turns in all


def analyse(
    sessions: Sequence[Session],
    renderer_for: RendererFor,
    settings: Settings,
    progress: Progress | None = None,
    as_given: bool = False,
) -> list[SessionAnalysis]:
    """Explain every turn of sessions that share one server history, in the order the server got the requests.

    ``as_given`` takes the turns in the order they stand in, whatever their times say.
    """
    walk = _Walk(settings, renderer_for, sessions)
    order = [(session, turn) for session in sessions for turn in session.turns]
    if not as_given:
        order = _in_time(order)
    for done, (session, turn) in enumerate(order, 1):
        walk.visit(session, turn)
        if progress is not None:
            progress(done, len(order))
    return [
        SessionAnalysis(
            session,
            settings,
            tuple(walk.results[id(turn)] for turn in session.turns),
            (*walk.problems.get(id(session), ()), *_odd_counts(session, settings)),
        )
        for session in sessions
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Served:
    """A turn that was served: its tokens, its blocks and its index in the history."""

    turn: Turn
    tokens: TurnTokens
    blocks: Fingerprints
    index: int


@dataclass(slots=True)
class _Walk:
    """One pass over a server history."""

    settings: Settings
    renderer_for: RendererFor
    sessions: Sequence[Session]
    results: dict[int, TurnAnalysis] = field(default_factory=dict)
    problems: dict[int, list[Problem]] = field(default_factory=dict)
    _history: History = field(init=False)
    _served: list[tuple[Session, Turn]] = field(default_factory=list)
    _last: dict[int, _Served] = field(default_factory=dict)
    _mixed: set[int] = field(init=False)

    def __post_init__(self) -> None:
        self._history = History(self.settings.block_size)
        self._mixed = {
            id(session) for session in self.sessions if len({_keys(turn.request) for turn in session.turns}) > 1
        }

    def visit(self, session: Session, turn: Turn) -> None:
        """Explain one turn and remember what it leaves behind."""
        try:
            tokens = turn_tokens(turn, self.renderer_for(turn.request.model))
        except (ValueError, OSError) as error:
            self.problems.setdefault(id(session), []).append(
                Problem(session.file, turn.line, f"not rendered: {error}. {REMEDY}")
            )
            tokens = None
        last = self._last.get(id(session))
        if tokens is None:
            found = TurnAnalysis(turn, turn.usage.prompt_tokens)
        else:
            found = self._aligned(session, turn, tokens, last)
        causes, notes = explain(Evidence(found, self.results[id(last.turn)] if last else None))
        self.results[id(turn)] = replace(found, causes=causes, notes=notes)

    def _aligned(self, session: Session, turn: Turn, tokens: TurnTokens, last: _Served | None) -> TurnAnalysis:
        """Donor, account and divergence of a turn, which is then part of the history."""
        size = self.settings.block_size
        lcp = common_prefix(last.tokens.full_ids, tokens.prompt) if last else 0
        blocks = fingerprints(tokens.full_ids, size, last.blocks if last else None, lcp)
        same_keys, anyone = self._donors(session, turn, tokens, blocks, last, lcp)
        best = best_tokens(anyone.lcp_tokens if anyone else 0, tokens.prompt_tokens, size)
        facts = Facts(tokens.prompt_tokens, anyone.lcp_tokens if anyone else 0, best, _cached(turn, tokens))
        booked = parts(facts, tokens.prompt, last.tokens.full_ids[lcp:] if last else None)
        diverged = None
        if last:
            renderer = self.renderer_for(turn.request.model)
            diverged = divergence(turn, tokens, last.turn, last.tokens, lcp, size, renderer)
        self._remember(session, turn, tokens, blocks)
        return TurnAnalysis(
            turn=turn,
            prompt_tokens=tokens.prompt_tokens,
            full_ids=tokens.full_ids,
            fidelity=tokens.fidelity,
            generated_basis=tokens.generated_basis,
            lcp_tokens=facts.lcp_tokens,
            best_tokens=best,
            reusable_tokens=best_tokens(same_keys.lcp_tokens if same_keys else 0, tokens.prompt_tokens, size),
            ideal_tokens=_ideal(last, tokens, size),
            donor=self._named(anyone),
            previous=Previous(last.turn.number, lcp) if last else None,
            parts=booked,
            account=account(facts, booked),
            divergence=diverged,
        )

    def _donors(
        self,
        session: Session,
        turn: Turn,
        tokens: TurnTokens,
        blocks: Fingerprints,
        last: _Served | None,
        lcp: int,
    ) -> tuple[Candidate | None, Candidate | None]:
        """The donor among requests with the same keys, and among those and the session's own."""
        prompt_blocks = blocks[: full_blocks(tokens.prompt_tokens, self.settings.block_size)]
        previous = Candidate(last.index, lcp) if last and lcp else None
        keys = _keys(turn.request)
        shared = previous if last and _keys(last.turn.request) == keys else None
        same_keys = self._history.donor(tokens.prompt, prompt_blocks, keys, shared)
        if id(session) not in self._mixed:
            return same_keys, same_keys
        own = self._history.donor(tokens.prompt, prompt_blocks, id(session), previous)
        size = self.settings.block_size
        found = [candidate for candidate in (same_keys, own) if candidate]
        anyone = max(found, key=lambda it: (it.lcp_tokens // size, it == previous, it.index), default=None)
        return same_keys, anyone

    def _remember(self, session: Session, turn: Turn, tokens: TurnTokens, blocks: Fingerprints) -> None:
        scopes: tuple[Hashable, ...] = (_keys(turn.request),)
        if id(session) in self._mixed:
            scopes = (*scopes, id(session))
        index = self._history.add(tokens.full_ids, blocks, scopes)
        self._served.append((session, turn))
        self._last[id(session)] = _Served(turn, tokens, blocks, index)

    def _named(self, candidate: Candidate | None) -> Donor | None:
        if candidate is None or candidate.lcp_tokens < 1:
            return None
        session, turn = self._served[candidate.index]
        return Donor(session.session_id, turn.number, candidate.lcp_tokens)


def _keys(request: Request) -> tuple[str, str | None]:
    """What blocks are shared within, beside the token ids: model or adapter, and salt."""
    return request.model, request.salt


def _cached(turn: Turn, tokens: TurnTokens) -> int | None:
    """The server's count, as far as it can belong to these tokens."""
    cached = turn.usage.cached_tokens
    return cached if cached is None else min(cached, tokens.prompt_tokens)


def _ideal(last: _Served | None, tokens: TurnTokens, block_size: int) -> int | None:
    """What the turn could reuse had the session only grown."""
    if last is None:
        return None
    output_tokens = last.turn.usage.output_tokens
    if output_tokens is None and last.tokens.generated_basis == "unknown":
        return None
    left = len(last.tokens.full_ids) if output_tokens is None else last.tokens.prompt_tokens + max(0, output_tokens - 1)
    return reusable_tokens(left, tokens.prompt_tokens, block_size)


def _in_time(order: Sequence[tuple[Session, Turn]]) -> list[tuple[Session, Turn]]:
    """Requests in the order the server got them; without times, in the order of the files and lines."""
    files = {name: index for index, name in enumerate(dict.fromkeys(session.file for session, _turn in order))}
    timed = all(turn.started_at is not None for _session, turn in order)
    return sorted(order, key=lambda it: ((it[1].started_at or 0.0) if timed else 0.0, files[it[0].file], it[1].line))


def _odd_counts(session: Session, settings: Settings) -> tuple[Problem, ...]:
    """A cached count that is no multiple of the block size: the block size is wrong, and the page must say so."""
    counts = [turn.usage.cached_tokens for turn in session.turns if turn.usage.cached_tokens]
    odd = next((turn for turn in session.turns if (turn.usage.cached_tokens or 0) % settings.block_size), None)
    if odd is None:
        return ()
    fits = gcd(*counts)
    return (
        Problem(
            session.file,
            odd.line,
            f"cached_tokens {odd.usage.cached_tokens} is no multiple of the block size {settings.block_size}"
            f" ({settings.block_size_basis}). The largest size that fits every turn is {fits}: --block-size {fits}.",
        ),
    )
