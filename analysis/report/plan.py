"""A fix plan in plain words: what each step is worth, and where a fix saves less than it reuses."""

from collections.abc import Sequence

from analysis.model.plan import PlanStep, Tokens
from analysis.model.what_if import TurnFigures, WhatIf
from analysis.report.figure_words import share


def plan_lines(plan: Sequence[PlanStep]) -> list[str]:
    """The plan, a heading and one line per step; nothing where there is none."""
    if not plan:
        return []
    lines = [
        f"{number}. {step.code} ({turns_of(step.turns)}): {tokens_of(step)}; {worth(step)}"
        for number, step in enumerate(plan, 1)
    ]
    return ["fix plan, each step on top of those before it:", *lines]


def turns_of(turns: Sequence[int]) -> str:
    """``turns 2–5, 8``: numbers in a row are one range."""
    ranges: list[list[int]] = []
    for turn in turns:
        if ranges and turn == ranges[-1][-1] + 1:
            ranges[-1][1:] = [turn]
        else:
            ranges.append([turn])
    listed = ", ".join("–".join(str(end) for end in one) for one in ranges)
    return f"{'turn' if len(turns) == 1 else 'turns'} {listed}"


def tokens_of(step: PlanStep) -> str:
    """Reusable tokens and hit rate before and after."""
    before, after = step.before, step.after
    if after is None:
        return f"reusable {before.reusable:,} tokens (hit rate {share(before.hit_rate)})"
    rates = f"{share(before.hit_rate)} → {share(after.hit_rate)}"
    return f"reusable {before.reusable:,} → {after.reusable:,} tokens (hit rate {rates})"


def worth(step: PlanStep) -> str:
    """What a step saves; a fix that lengthens the prompts is said to."""
    if step.after is None or step.recovers is None:
        return f"not verified: {step.reason}"
    more = step.after.reusable - step.before.reusable
    grown = step.after.prompt - step.before.prompt
    if grown > 0 and step.recovers < more:
        if step.recovers >= 0:
            return f"reuses {more:,} more but the prompts grow: computes only {step.recovers:,} fewer"
        return f"reuses {more:,} more but the prompts grow: computes {-step.recovers:,} more"
    shorter = f"; the prompts are {-grown:,} tokens shorter" if grown < 0 else ""
    return f"computes {step.recovers:,} fewer{shorter}" if step.recovers >= 0 else f"computes {-step.recovers:,} more"


def also_of(step: PlanStep) -> str:
    """The other causes that a step takes back; empty where there is none."""
    return f"Takes back as well: {', '.join(step.also)}." if step.also else ""


def total(plan: Sequence[PlanStep]) -> str:
    """What the whole plan is worth, in one sentence; empty where no step was verified."""
    verified = [step for step in plan if step.after is not None]
    if not verified:
        return ""
    first, last = verified[0].before, verified[-1].after
    assert last is not None
    saved = first.computed - last.computed
    less = f"{saved:,} fewer" if saved >= 0 else f"{-saved:,} more"
    number = "1 fix" if len(verified) == 1 else f"{len(verified)} fixes"
    return (
        f"With {number} the predicted hit rate goes from {share(first.hit_rate)} to {share(last.hit_rate)}:"
        f" {last.computed:,} tokens computed instead of {first.computed:,}, {less}."
    )


def outcome(found: WhatIf) -> str:
    """What a tried change is worth to the whole session, in one sentence."""
    before, after = summed(found.before), summed(found.after)
    step = PlanStep(found.change, (), "", before, after)
    return f"{found.change}: {tokens_of(step)}; {worth(step)}."


def summed(turns: Sequence[TurnFigures]) -> Tokens:
    """The tokens of turns added up."""
    return Tokens(sum(turn.prompt_tokens for turn in turns), sum(turn.reusable_tokens for turn in turns))
