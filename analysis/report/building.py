"""From analysed sessions to what a report says of them; nothing is found out here."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import accumulate

from analysis.core.account import wasted_by_cause
from analysis.model.annotation import Case, Placed
from analysis.model.finding import UNEXPLAINED
from analysis.model.plan import PlanStep
from analysis.model.record import SessionFigures, SessionRecord
from analysis.model.session import Problem, TokenIds
from analysis.report.case_part import case_part
from analysis.report.cleaning import cleaned, cleaned_figures
from analysis.report.document import Finding, Overview, Report, SessionPart, Step
from analysis.report.figure_words import Figure, key_figures, known, share
from analysis.report.fix_words import located
from analysis.report.method import measured, rounded, settings_said, unreported
from analysis.report.own_phrases import problem_said
from analysis.report.own_words import is_ours
from analysis.report.plan import also_of, tokens_of, total, turns_of, worth
from analysis.report.quotes import Prose, Quote
from analysis.report.remedies import origin
from analysis.report.speech import name, spoken
from analysis.report.token_columns import TextsOf
from analysis.report.turn_document import TurnPart
from analysis.report.turn_parts import most_wasteful, turn_part
from analysis.report.verdict import verdict
from analysis.report.words import LOST_IN_WORDS, in_words, reconciled, summary
from analysis.report.written import written_of

MOST_SESSIONS = 20  # of several that are told turn by turn
MOST_TURNS = 400  # of all of these together: a report is one file that is mailed
MOST_MAPS = 8  # block maps in a report of several sessions
MOST_COLUMNS = 40  # divergences whose tokens are shown


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A session that a report is about; ``full_ids`` are the prompt and reply tokens of its turns, by number.

    ``placed`` is what people wrote about it, ``labels`` are those they gave it; ``key`` is that of the store.
    """

    record: SessionRecord
    figures: SessionFigures
    full_ids: Mapping[int, TokenIds]
    placed: Sequence[Placed] = ()
    labels: Sequence[str] = ()
    key: int | None = None


def report_of(
    subjects: Sequence[Subject],
    texts: TextsOf,
    version: str,
    problems: Iterable[Problem] = (),
    case: Case | None = None,
    left_out: int = 0,
) -> Report[Quote]:
    """All that is said of these sessions, the costliest first; of many only those turn by turn.

    With a ``case`` they are those of the case.  ``left_out`` more sessions were asked for.
    """
    clean = [replace(one, record=cleaned(one.record), figures=cleaned_figures(one.figures)) for one in ranked(subjects)]
    told = clean[: most_told([one.figures for one in clean])]
    shown = most_wasteful([(at, turn) for at, one in enumerate(told) for turn in one.record.turns], MOST_COLUMNS)
    sessions = tuple(
        _session(
            at + 1,
            one,
            texts,
            {number for session, number in shown if session == at},
            len(clean) == 1 or at < MOST_MAPS,
        )
        for at, one in enumerate(told)
    )
    return Report(
        version=version,
        scope="nothing",
        case=None if case is None else case_part(case, {one.key: one.record for one in clean if one.key is not None}),
        overview=tuple(_overview(number, one, number <= len(told), case) for number, one in enumerate(clean, 1)),
        sessions=sessions,
        problems=tuple(map(_problem, problems)),
        fleet=_fleet(clean) if len(clean) > 1 else (),
        causes=_causes(clean),
        rounding=rounded(one.record for one in told),
        left_out=left_out,
    )


def ranked(subjects: Iterable[Subject]) -> list[Subject]:
    """The costliest first: the order of a report."""
    return sorted(subjects, key=lambda one: -one.figures.wasted_tokens)


def most_told(figures: Sequence[SessionFigures]) -> int:
    """How many of these sessions, in the order of a report, are told turn by turn."""
    turns = accumulate(one.num_turns for one in figures[:MOST_SESSIONS])
    return max(1, sum(number <= MOST_TURNS for number in turns))


def _session(number: int, subject: Subject, texts: TextsOf, shown: set[int], has_map: bool) -> SessionPart[Quote]:
    record, sums = subject.record, subject.figures
    turns = tuple(turn_part(record, turn, subject.full_ids, texts, turn.turn in shown) for turn in record.turns)
    started = record.turns[0].started_at if record.turns else None
    return SessionPart(
        number=number,
        name=name(record.session_id, "session"),
        source=name(record.source, "source"),
        model=name(record.model, "model"),
        log_format=record.log_format,
        started=None if started is None else _moment(started),
        verdict=verdict(sums),
        summary=summary(record),
        figures=key_figures(sums),
        findings=_findings(record, turns),
        plan_total=total(record.plan),
        plan=tuple(_step(record, step) for step in record.plan),
        turns=turns,
        block_size=record.settings.block_size,
        settings=settings_said(record.settings),
        measured=measured(record),
        unreported=unreported(record),
        reconciled=tuple(reconciled(replace(record, source="The server's whole history"))),
        problems=tuple(map(_problem, record.problems)),
        has_map=has_map,
        columns_left_out=sum(bool(turn.change and not turn.change.columns) for turn in turns),
        written=written_of(subject.placed, record.settings.block_size),
    )


def _overview(number: int, subject: Subject, detailed: bool, case: Case | None) -> Overview[Quote]:
    sums = subject.figures
    sides = {one.session_key: one.side for one in case.sessions} if case else {}
    return Overview(
        number=number,
        name=name(subject.record.session_id, "session"),
        verdict=verdict(sums),
        num_turns=sums.num_turns,
        prompt_tokens=sums.prompt_tokens,
        hit_rate=sums.hit_rate,
        wasted_tokens=sums.wasted_tokens if sums.is_measured else None,
        top_cause=sums.top_cause if sums.top_cause and is_ours(sums.top_cause) else "",
        detailed=detailed,
        side=sides.get(subject.key or 0) or "",
        labels=tuple(name(label, "label") for label in subject.labels),
    )


def _fleet(subjects: Sequence[Subject]) -> tuple[Figure, ...]:
    """All sessions in numbers."""
    sums = [one.figures for one in subjects]
    reported = sum(one.known_prompt_tokens for one in sums)
    rate = share(sum(one.cached_tokens for one in sums) / reported if reported else None)
    measured = [one.wasted_tokens for one in sums if one.is_measured]
    return (
        Figure("Sessions", f"{len(sums):,}"),
        Figure("Turns", f"{sum(one.num_turns for one in sums):,}"),
        Figure("Prompt tokens", f"{sum(one.prompt_tokens for one in sums):,}", None, "Summed over all sessions."),
        Figure("Hit rate (reported)", rate, None, "Cached over prompt tokens, where the server said."),
        Figure(
            "Wasted",
            known(sum(measured) if measured else None),
            None,
            "Tokens computed although the server had seen them: missed and lost.",
        ),
    )


def _causes(subjects: Sequence[Subject]) -> tuple[tuple[str, str, int, int], ...]:
    """Code, words, wasted tokens and sessions of every cause, the costliest first."""
    tokens: Counter[str] = Counter()
    sessions: Counter[str] = Counter()
    for subject in subjects:
        wasted = wasted_by_cause(subject.record.turns)
        tokens.update(wasted)
        sessions.update(wasted.keys())
    return tuple((code, in_words(code), number, sessions[code]) for code, number in tokens.most_common())


def _findings(record: SessionRecord, turns: Sequence[TurnPart[Quote]]) -> tuple[Finding[Quote], ...]:
    """The causes of a session, the costliest fault first, what was meant behind."""
    wasted = wasted_by_cause(record.turns)
    codes: dict[str, list[int]] = {}
    for turn in turns:
        for reason in turn.reasons:
            codes.setdefault(reason.code, []).append(turn.turn)
    found = []
    for code, numbers in codes.items():
        first = next(one for turn in turns for one in turn.reasons if one.code == code)
        owned = sum(one.tokens or 0 for turn in turns for one in turn.reasons if one.code == code)
        tokens = owned if first.deliberate else wasted.get(code, 0)
        found.append(
            Finding(
                code, first.words, tuple(dict.fromkeys(numbers)), tokens,
                first.deliberate, first.confidence, first.evidence, _fix(record, first.fix, code),
                _cost(turns, code, tokens), "" if first.deliberate else origin(code), _token(turns, code),
            )
        )  # fmt: skip
    return tuple(sorted(found, key=lambda one: (one.deliberate, one.code == UNEXPLAINED, -one.tokens)))


def _fix(record: SessionRecord, fix: Prose[Quote], code: str) -> Prose[Quote]:
    """What to do, and where in this session."""
    where = located(record, code)
    return (*fix, " ", *where) if where else fix


def _token(turns: Sequence[TurnPart[Quote]], code: str) -> int | None:
    """Where the first turn of a cause leaves the turn before it, unless another cause stands there."""
    turn, reason = next((turn, one) for turn in turns for one in turn.reasons if one.code == code)
    return None if turn.change is None or reason.hidden or code not in LOST_IN_WORDS else turn.change.token


def _cost(turns: Sequence[TurnPart[Quote]], code: str, tokens: int) -> str:
    """What a cause cost: tokens; of turns without an account at most those that the server's counts leave open."""
    if tokens:
        return f"{tokens:,} tokens computed again"
    owned = [one.tokens for turn in turns if turn.account is None for one in turn.reasons if one.code == code]
    if possible := sum(filter(None, owned)):
        return f"up to {possible:,} tokens, not proven"
    return "what it cost is not known" if None in owned else "it cost no tokens of its own"


def _step(record: SessionRecord, step: PlanStep) -> Step[Quote]:
    said: Prose[Quote] = ("not verified: ", *spoken(step.reason or "", "reason")) if step.after is None else ()
    return Step(
        code=step.code,
        words=in_words(step.code),
        turns=turns_of(step.turns),
        tokens=tokens_of(step),
        worth=said or (worth(step),),
        fix=_fix(record, spoken(step.fix, "fix", step.code if step.code.startswith("tools/") else ""), step.code),
        also=also_of(step),
    )


def _problem(problem: Problem) -> Prose[Quote]:
    line = (Quote(f", line {problem.line:,}", "line", "offset"),) if problem.line is not None else ()
    return (name(problem.file, "file"), *line, ": ", *problem_said(problem.message))


def _moment(seconds: float) -> Quote:
    """A time in UTC; a log may hold one that no calendar has."""
    try:
        said = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):
        said = f"{seconds} s"
    return Quote(said, "started", "time", "YYYY-MM-DD HH:MM:SS")
