"""What is to be done about a session, for a person who knows neither blocks nor codes: the cause, whose it is, the fix.

Says what the fix plan and the causes say; finds out nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from analysis.core.account import wasted_by_cause
from analysis.model.finding import Cause, Confidence
from analysis.model.plan import PlanStep
from analysis.model.record import SessionRecord, TurnRecord
from analysis.report.words import counted, in_words

CLIENT = "the client, the program that sends the requests"
TEMPLATE = "the model's chat template, which writes the messages as one text"
SERVER = "the server, or what stands in front of it"
_OF_FAMILY = {
    "volatile-head": CLIENT, "tools": CLIENT, "client": CLIENT, "args": CLIENT, "tokenisation": CLIENT, "key": CLIENT,
    "timing": CLIENT, "template": TEMPLATE, "server": SERVER, "disabled": SERVER, "lifecycle": SERVER,
    "capacity": SERVER, "hybrid": SERVER, "spec-decode": SERVER, "granularity": SERVER, "routing": SERVER,
    "engine": SERVER,
}  # fmt: skip
_OF_CODE = {"volatile-head/template-date": TEMPLATE, "key/hash-seed": SERVER, "disabled/skip-read": CLIENT}
_SURE: dict[Confidence, str] = {"certain": "", "likely": "likely: ", "possible": "possibly: "}

Found = tuple[TurnRecord, Cause]


@dataclass(frozen=True, slots=True)
class Remedy:
    """One fix.  ``codes`` are the causes that it undoes, ``turns`` the turns they stand in, of ``num_turns``.

    ``tokens`` of the session's ``prompt_tokens`` were computed again for them, None where that is unknown; ``saved``
    are the computed tokens that the fix saves in the whole session, None where it was not tried.  ``first`` is the turn
    and the cause that show it first: its evidence is untrusted text.
    """

    codes: tuple[str, ...]
    turns: tuple[int, ...]
    num_turns: int
    tokens: int | None
    prompt_tokens: int
    saved: int | None
    first: Found
    fix: str

    @property
    def cause(self) -> str:
        """What happened, in words, with a word of doubt where the log does not decide it."""
        words = _SURE[self.first[1].confidence] + ", and ".join(map(in_words, self.codes))
        return words[0].upper() + words[1:]

    @property
    def extent(self) -> str:
        """How many requests it concerns, and what it cost."""
        concerned = f"{len(self.turns):,} of {counted(self.num_turns, 'request')}"
        if self.tokens is None:
            return f"{concerned}; what it cost is not known"
        again = f", {self.tokens:,} of {counted(self.prompt_tokens, 'token')} computed again for it"
        return concerned + again if self.tokens else concerned

    @property
    def origin(self) -> str:
        """Whose doing it is; empty where no code says."""
        return origin(self.codes[0])


def origin(code: str) -> str:
    """Where a cause comes from; empty for a code that nobody is named for."""
    return _OF_CODE.get(code) or _OF_FAMILY.get(code.partition("/")[0], "")


def remedies(record: SessionRecord) -> tuple[Remedy, ...]:
    """The steps of the fix plan in their order, then the other causes by what they cost; deliberate ones need none."""
    found, wasted = list(_found(record)), wasted_by_cause(record.turns)
    steps = [
        _remedy(record, found, wasted, (step.code, *step.also), step)
        for step in record.plan
        if any(cause.code == step.code for _turn, cause in found)
    ]
    planned = {code for step in record.plan for code in (step.code, *step.also)}
    codes = dict.fromkeys(cause.code for _turn, cause in found if cause.code not in planned)
    others = [_remedy(record, found, wasted, (code,), None) for code in codes]
    others.sort(key=lambda one: (-(one.tokens or 0), -len(one.turns)))
    return (*steps, *others)


def _found(record: SessionRecord) -> Iterator[Found]:
    """The causes that are faults; what owns nothing behind another one is a mere alternative, unless it was planned."""
    planned = {code for step in record.plan for code in (step.code, *step.also)}
    for turn in record.turns:
        for position, cause in enumerate(turn.causes):
            if not cause.deliberate and (cause.tokens or not position or cause.code in planned):
                yield turn, cause


def _remedy(
    record: SessionRecord,
    found: Sequence[Found],
    wasted: Mapping[str, int],
    codes: tuple[str, ...],
    step: PlanStep | None,
) -> Remedy:
    """What the causes of these codes come to; some turn has the first of them.  ``wasted`` are tokens by code."""
    first = next((turn, cause) for turn, cause in found if cause.code == codes[0])
    turns = list(dict.fromkeys(turn.turn for turn, cause in found if cause.code in codes))
    known = any(turn.account is not None for turn in record.turns if turn.turn in turns)
    return Remedy(
        codes=codes,
        turns=tuple(turns),
        num_turns=len(record.turns),
        tokens=sum(wasted.get(code, 0) for code in codes) if known else None,
        prompt_tokens=sum(turn.prompt_tokens or 0 for turn in record.turns),
        saved=step.recovers if step else None,
        first=first,
        fix=step.fix if step else first[1].fix,
    )
