"""The probes of a chat template in their order, each run in the richest shape that the template takes.

Pure: the renders come from a callable.  Looks for a cure among template arguments; does not know where their names
come from.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analysis.core import growth_probes, text_probes
from analysis.core.bench import Bench, NotApplicable, evidence
from analysis.core.conversations import Shape, shapes
from analysis.core.knobs import Knob, knobs_to_try
from analysis.model.template_check import Behaviour, Outcome, Overall, ProbeResult

NEEDED: tuple[Behaviour, ...] = ("tool-loop", "generation-prompt", "positional-marker")  # an agent's own growth


@dataclass(frozen=True, slots=True)
class Probe:
    """One behaviour, how to look at it, and which shapes it makes sense in."""

    behaviour: Behaviour
    look: Callable[[Bench, Shape], Outcome]
    tool_loop: bool = True
    plain: bool = True


PROBES = (
    Probe("tool-loop", growth_probes.tool_loop, plain=False),
    Probe("reasoning-stripped", growth_probes.reasoning),
    Probe("empty-think-block", growth_probes.empty_think_block),
    Probe("generation-prompt", growth_probes.generation_prompt),
    Probe("positional-marker", growth_probes.positional_marker),
    Probe("date", text_probes.date),
    Probe("tools-relocated", text_probes.tools_relocated, plain=False),
    Probe("late-system", growth_probes.late_system, tool_loop=False),
    Probe("tool-ids", text_probes.tool_ids, plain=False),
    Probe("arguments", text_probes.arguments, plain=False),
    Probe("trims", text_probes.trims),
)


def run_probes(bench: Bench, names: Sequence[str]) -> tuple[ProbeResult, ...]:
    """Every behaviour of one template; ``names`` are the template arguments that may cure."""
    knobs = knobs_to_try(bench, names)
    return tuple(_run(probe, bench, knobs) for probe in PROBES)


def overall(probes: Sequence[ProbeResult]) -> Overall:
    """``pure`` only where the growing conversation itself could be rendered: what raises is no pass."""
    if any(probe.verdict == "not-pure" for probe in probes):
        return "not-pure"
    return "cannot-tell" if in_the_way(probes) else "pure"


def in_the_way(probes: Sequence[ProbeResult]) -> list[ProbeResult]:
    """What keeps a verdict of pure from being given: steps of an agent's conversation that could not be rendered.

    Where all could, arguments still count: vLLM gives them as an object, and a template may take only a string.
    """
    steps = [probe for probe in probes if probe.behaviour in NEEDED and probe.verdict not in ("pure", "not-pure")]
    return steps or [probe for probe in probes if probe.behaviour == "arguments" and probe.verdict == "raises"]


def _run(probe: Probe, bench: Bench, knobs: Sequence[Knob]) -> ProbeResult:
    refused: dict[str, None] = {}
    for shape in shapes(tool_loop=probe.tool_loop, plain=probe.plain):
        if shape.arguments == "string" and bench.parses_arguments:
            continue
        try:
            outcome = probe.look(bench, shape)
        except NotApplicable as reason:
            return ProbeResult(probe.behaviour, "not-applicable", str(reason), shape=shape.words, message=str(reason))
        except ValueError as error:
            refused[str(error)] = None
        else:
            return _result(probe, bench, shape, outcome, knobs)
    return ProbeResult(probe.behaviour, "raises", "raises in every shape", message="; ".join(refused))


def _result(probe: Probe, bench: Bench, shape: Shape, outcome: Outcome, knobs: Sequence[Knob]) -> ProbeResult:
    differing = evidence(outcome.old, outcome.new) if outcome.old is not None and outcome.new is not None else None
    knob = _cure(probe, bench, shape, outcome, knobs) if outcome.verdict == "not-pure" else None
    return ProbeResult(
        probe.behaviour,
        outcome.verdict,
        outcome.finding,
        outcome.scene,
        shape.words,
        differing,
        knob.words if knob else None,
        knob.as_arguments if knob else None,
        knob is not None and knob.changes_prompt,
        outcome.message,
    )


def _cure(probe: Probe, bench: Bench, shape: Shape, outcome: Outcome, knobs: Sequence[Knob]) -> Knob | None:
    """The first template argument with which the same scene is pure."""
    for knob in knobs:
        try:
            tried = probe.look(bench.with_arguments(knob.as_arguments), shape)
        except (NotApplicable, ValueError):  # with this argument there is nothing to see: no cure
            continue
        if (tried.verdict, tried.scene) == ("pure", outcome.scene):
            return knob
    return None
