"""From sessions to findings: tokens, donor, account and divergence of every turn of one server history."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from analysis.core.account import Facts, account, best_tokens, parts
from analysis.core.align import common_prefix
from analysis.core.blocks import left_behind, reusable_tokens
from analysis.core.growth import Growing
from analysis.core.lineage import Candidate
from analysis.core.media import sent
from analysis.core.serving import Asked, Served, Serving
from analysis.formats.grouping import known_times
from analysis.model.evidence import Reconciliation
from analysis.model.finding import Donor, Previous, SessionAnalysis, TurnAnalysis
from analysis.model.session import Problem, Session, Turn
from analysis.model.settings import Settings
from analysis.pipeline.causes import Ground, places, with_causes
from analysis.pipeline.evidence import Compared
from analysis.pipeline.explain import divergence
from analysis.pipeline.gaps import Gaps, SideFiles, Visit, never_cached, source_facts
from analysis.pipeline.others import Others
from analysis.pipeline.pool_sizes import PoolSizes, pool_sizes
from analysis.pipeline.reconcile import reconcile
from analysis.pipeline.session_problems import session_problems
from analysis.pipeline.tokens import RendererFor, TokensOf, TurnTokens, rendered_tokens

NO_SIDE_FILES = SideFiles()
Keys = tuple[str, str | None, str | None, str | None]
REMEDY = "Log token ids (return_token_ids), or render through a live server (--endpoint)."
PATIENCE = 3  # turns in a row that a server may leave unanswered before the analysis gives up
POOL_REMEDY = "From here on memory is taken as unlimited. Check the number of blocks (--blocks) and the log's times."
Progress = Callable[[int, int], None]  # turns done, turns in all
Lineage = tuple[int, str | None]  # a session and what a turn continues within it


def analyse(
    sessions: Sequence[Session],
    renderer_for: RendererFor,
    settings: Settings,
    progress: Progress | None = None,
    as_given: bool = False,
    side: SideFiles = NO_SIDE_FILES,
    tokens_of: TokensOf = rendered_tokens,
) -> list[SessionAnalysis]:
    """Explain every turn of sessions that share one server history, in the order the server got the requests.

    ``as_given`` takes the turns in the order they stand in, whatever their times say.  ``side`` is what the server said
    beside the log.
    """
    walk = _Walk(settings, renderer_for, sessions, tokens_of)
    order = [(session, turn) for session in sessions for turn in session.turns]
    order = order if as_given else in_time(order)
    for done, (session, turn) in enumerate(order, 1):
        walk.visit(session, turn)
        if progress is not None:
            progress(done, len(order))
    removed = walk.removed()
    sizes = walk.pool_sizes()
    walk.explain(side, sizes.by_visit)
    found = reconcile(walk.visits, removed, settings, side, sizes.whole, walk.is_complete)
    return [walk.session(session, found) for session in sessions]


@dataclass(slots=True)
class _Walk:
    """One pass over a server history."""

    settings: Settings
    renderer_for: RendererFor
    sessions: Sequence[Session]
    tokens_of: TokensOf
    results: dict[int, TurnAnalysis] = field(default_factory=dict)
    problems: dict[int, list[Problem]] = field(default_factory=dict)
    visits: list[Visit] = field(default_factory=list)
    _serving: Serving = field(init=False)
    _named: list[tuple[Session, Turn]] = field(default_factory=list)
    _last: dict[Lineage, tuple[Turn, TurnTokens, Served]] = field(default_factory=dict)
    _memory: dict[Lineage, Growing] = field(default_factory=dict)
    _mixed: set[int] = field(init=False)
    _silent: int = 0

    def __post_init__(self) -> None:
        self._serving = Serving(self.settings)
        self._mixed = {id(session) for session in self.sessions if _is_mixed(session)}

    def visit(self, session: Session, turn: Turn) -> None:
        """Explain one turn and remember what it leaves behind.  Raise the OSError of a server that stays silent."""
        try:
            last = self._last.get((id(session), turn.lineage))
            tokens = self.tokens_of(session, turn, self.renderer_for, last[1].full_ids if last else None)
            self._silent = 0
        except (ValueError, OSError) as error:
            self._silent = self._silent + 1 if isinstance(error, OSError) else 0
            if self._silent >= PATIENCE:
                raise
            self._note(session, turn, f"not rendered: {str(error).rstrip('.')}. {REMEDY}")
            tokens = None
        if tokens is None:
            self.results[id(turn)] = TurnAnalysis(turn, turn.usage.prompt_tokens)
            return
        memory = self._memory.setdefault((id(session), turn.lineage), Growing())
        tokens = replace(tokens, full_ids=memory.keep(tokens.full_ids))
        self.results[id(turn)] = self._aligned(session, self._checked(session, turn, tokens), tokens)

    def _checked(self, session: Session, turn: Turn, tokens: TurnTokens) -> Turn:
        """The turn without a cached count that no prompt of its length can have."""
        cached, counted = turn.usage.cached_tokens, turn.usage.prompt_tokens or 0
        if cached is None or cached <= max(tokens.prompt_tokens, counted):
            return turn
        self._note(session, turn, f"cached_tokens {cached} is more than the prompt: taken as not reported.")
        return replace(turn, usage=replace(turn.usage, cached_tokens=None, cached_basis="omitted"))

    def pool_sizes(self) -> PoolSizes:
        """The pools that would have kept what was evicted, once every request has ended."""
        return pool_sizes(self.visits, self._serving.steps, self.settings)

    def explain(self, side: SideFiles, blocks_needed: Sequence[int] = ()) -> None:
        """Say why, now that the whole history is known."""
        turns = [found.turn for found in self.results.values()]
        facts = replace(source_facts(self.visits, self.settings, side), never_cached=never_cached(turns))
        facts = facts if self.is_complete else replace(facts, outside_tokens=None)
        gaps = Gaps(self.visits, self.settings, side, blocks_needed)
        others = Others(self.visits, [keys_of(visit.found.turn) for visit in self.visits])
        ground = Ground(facts, gaps, Compared(self.renderer_for), places(self.visits), others)
        for session in self.sessions:
            before = [self.results[id(turn)] for turn in session.turns]
            for turn, found in zip(session.turns, with_causes(session, before, ground), strict=True):
                self.results[id(turn)] = found

    def session(self, session: Session, found: Reconciliation) -> SessionAnalysis:
        """What was found of a session; ``found`` is the reconciliation of the whole history."""
        turns = tuple(self.results[id(turn)] for turn in session.turns)
        problems = session_problems(session, self.problems.get(id(session), ()), self.settings)
        return SessionAnalysis(session, self.settings, turns, problems, found)

    @property
    def is_complete(self) -> bool:
        """Whether the tokens of every turn are known."""
        return len(self.visits) == len(self.results)

    def removed(self) -> list[int] | None:
        """What the pool model took, once every request has ended; None where it could not follow them all."""
        try:
            return self._serving.all_removed()
        except ValueError as error:
            self._note(*self._named[-1], f"{error}. {POOL_REMEDY}")
            return None

    def _note(self, session: Session, turn: Turn, message: str) -> None:
        self.problems.setdefault(id(session), []).append(Problem(session.file, turn.line, message))

    def _aligned(self, session: Session, turn: Turn, tokens: TurnTokens) -> TurnAnalysis:
        """Donor, account and divergence of a turn, which is then part of the history."""
        last = self._last.get((id(session), turn.lineage))
        served = self._served(session, turn, tokens)
        lcp = served.asked.lcp_tokens
        donor = served.anyone
        best = best_tokens(donor.lcp_tokens if donor else 0, tokens.prompt_tokens, self.settings.hit_size)
        facts = Facts(tokens.prompt_tokens, donor.lcp_tokens if donor else 0, best, _cached(turn, tokens))
        booked = parts(facts, tokens.prompt, last[1].full_ids[lcp:] if last else None)
        renderer = self.renderer_for(turn.request.model) if last else None
        size = self.settings.block_size
        found = TurnAnalysis(
            turn=turn,
            prompt_tokens=tokens.prompt_tokens,
            full_ids=tokens.full_ids,
            fidelity=tokens.fidelity,
            generated_basis=tokens.generated_basis,
            lcp_tokens=facts.lcp_tokens,
            best_tokens=best,
            reusable_tokens=served.hit_tokens,
            ideal_tokens=_ideal(last[0], last[1], tokens, self.settings.hit_size) if last else None,
            donor=self._donor(donor),
            previous=Previous(last[0].number, lcp) if last else None,
            parts=booked,
            account=account(facts, booked),
            divergence=divergence(turn, tokens, last[0], last[1], lcp, size, renderer) if last else None,
        )
        name = f"{session.session_id} turn {turn.number}"
        self.visits.append(Visit(id(session), name, served, found, turn.lineage))
        return found

    def _served(self, session: Session, turn: Turn, tokens: TurnTokens) -> Served:
        last = self._last.get((id(session), turn.lineage))
        lcp = common_prefix(last[1].full_ids, tokens.prompt) if last else 0
        asked = Asked(
            full_ids=tokens.full_ids,
            prompt_tokens=tokens.prompt_tokens,
            keys=keys_of(turn),
            session=id(session) if id(session) in self._mixed else None,
            started_at=turn.started_at,
            ended_at=turn.ended_at,
            previous=last[2] if last else None,
            lcp_tokens=lcp,
            place=turn.replica,
            skips_cache=turn.request.skips_cache,
            media=tokens.media,
        )
        try:
            served = self._serving.serve(asked)
        except ValueError as error:
            self._note(session, turn, f"{error}. {POOL_REMEDY}")
            self._serving.forget_pools()
            served = self._serving.serve(asked)
        self._named.append((session, turn))
        self._last[id(session), turn.lineage] = (turn, tokens, served)
        return served

    def _donor(self, candidate: Candidate | None) -> Donor | None:
        if candidate is None or candidate.lcp_tokens < 1:
            return None
        session, turn = self._named[candidate.index]
        return Donor(session.session_id, turn.number, candidate.lcp_tokens)


def _is_mixed(session: Session) -> bool:
    """Whether turns of a session may not share blocks although their ids are equal."""
    return any(map(has_media, session.turns)) or len({keys_of(turn) for turn in session.turns}) > 1


def has_media(turn: Turn) -> bool:
    """Whether images, sounds or videos are part of a prompt: their content is hashed with its blocks."""
    return bool(turn.media or sent(turn.request))


def keys_of(turn: Turn) -> Keys:
    """What blocks are shared within, beside the ids: model or adapter, salt, embeddings, and who served the turn."""
    return turn.request.model, turn.request.salt, turn.request.embeds, turn.replica


def _cached(turn: Turn, tokens: TurnTokens) -> int | None:
    """The server's count, as far as it can belong to these tokens."""
    cached = turn.usage.cached_tokens
    return cached if cached is None else min(cached, tokens.prompt_tokens)


def _ideal(last: Turn, last_tokens: TurnTokens, tokens: TurnTokens, block_size: int) -> int | None:
    """What the turn could reuse had the session only grown."""
    output_tokens = last.usage.output_tokens
    if output_tokens is not None:
        left = left_behind(last_tokens.prompt_tokens, output_tokens)
    elif last_tokens.generated_basis != "unknown":
        left = len(last_tokens.full_ids)
    else:
        return None
    return reusable_tokens(left, tokens.prompt_tokens, block_size)


def in_time(order: Sequence[tuple[Session, Turn]]) -> list[tuple[Session, Turn]]:
    """Requests in the order the server got them: a turn without a time has that of its session's turn before.

    Without any times, in the order of the files and lines.
    """
    files = {name: index for index, name in enumerate(dict.fromkeys(session.file for session, _turn in order))}
    by_session: dict[int, list[Turn]] = {}
    for session, turn in order:
        by_session.setdefault(id(session), []).append(turn)
    at = {
        id(turn): time
        for turns in by_session.values()
        for turn, time in zip(turns, known_times([turn.started_at for turn in turns]), strict=True)
    }
    return sorted(order, key=lambda it: (at[id(it[1])], files[it[0].file], it[1].line))
