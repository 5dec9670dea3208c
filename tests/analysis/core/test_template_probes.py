"""All probes on one template: a fault is seen by its own probe, in the richest shape, with the knob that cures it."""

from typing import get_args

import pytest

from analysis.core.bench import Bench
from analysis.core.template_probes import PROBES, in_the_way, overall, run_probes
from analysis.model.template_check import Behaviour, ProbeResult
from tests.mini_template import bench, mini


def run(*faults: str, names: tuple[str, ...] = ()) -> dict[Behaviour, ProbeResult]:
    return {found.behaviour: found for found in run_probes(bench(*faults), names)}


def test_every_behaviour_has_one_probe() -> None:
    assert tuple(probe.behaviour for probe in PROBES) == get_args(Behaviour)


def test_a_template_that_only_grows_is_pure() -> None:
    found = run()
    assert {probe.verdict for probe in found.values()} == {"pure"}
    assert {probe.shape for probe in found.values()} == {"with a tool loop", "user and assistant alternating"}
    assert overall(tuple(found.values())) == "pure"


@pytest.mark.parametrize(
    ("faults", "behaviours"),
    [
        pytest.param(("reasoning-stripped",), {"reasoning-stripped"}, id="reasoning"),
        pytest.param(("empty-think-block",), {"empty-think-block"}, id="empty blocks"),
        pytest.param(("generation-prompt",), {"generation-prompt"}, id="generation prompt"),
        pytest.param(("positional-marker",), {"positional-marker", "tool-loop"}, id="marker"),
        pytest.param(("date",), {"date"}, id="date"),
        pytest.param(("tools-relocated",), {"tools-relocated"}, id="tools"),
        pytest.param(("hoists",), {"late-system"}, id="hoisted"),
        pytest.param(("drops",), set(), id="dropped"),
        pytest.param(("trims", "tool-ids", "quotes", "frozen date"), set(), id="what keeps the history"),
    ],
)
def test_a_fault_is_seen_by_its_own_probe(faults: tuple[str, ...], behaviours: set[str]) -> None:
    found = run(*faults)
    broken = {name for name, probe in found.items() if probe.verdict == "not-pure"}
    assert broken == behaviours
    assert overall(tuple(found.values())) == ("not-pure" if behaviours else "pure")
    for name in broken:
        differing = found[name].evidence
        assert differing is not None and differing.old != differing.new and found[name].scene


def test_the_knob_that_cures_is_named() -> None:
    found = run("reasoning-stripped", "empty-think-block", "date", names=("date", "keep", "other"))
    assert found["reasoning-stripped"].knob == found["empty-think-block"].knob == "keep=true"
    assert not found["reasoning-stripped"].knob_changes_prompt
    assert (found["date"].knob, found["date"].knob_changes_prompt) == ("date=26 Jul 2024", True)
    assert found["generation-prompt"].knob is None


def test_a_knob_that_hides_what_it_should_cure_is_none() -> None:
    def render(asked: object, arguments: dict[str, object], at: float, generating: bool) -> str:
        faults = ("no reasoning",) if arguments.get("off") else ("reasoning-stripped",)
        return mini(*faults)(asked, arguments, at, generating)  # type: ignore[arg-type]

    found = {one.behaviour: one for one in run_probes(Bench(render), ("off",))}  # type: ignore[arg-type]
    assert found["reasoning-stripped"].verdict == "not-pure" and found["reasoning-stripped"].knob is None


@pytest.mark.parametrize(
    ("faults", "shape"),
    [
        pytest.param(("no system",), "with a tool loop, without system", id="without system"),
        pytest.param(("needs parts",), "with a tool loop, content as parts", id="parts"),
        pytest.param(("wants string",), "with a tool loop, arguments as a string", id="string arguments"),
        pytest.param(("wants tools",), "with a tool loop, tools in every request", id="tools everywhere"),
        pytest.param(("alternates",), "user and assistant alternating", id="alternating"),
        pytest.param(
            ("alternates", "no system", "needs parts"),
            "user and assistant alternating, without system, content as parts",
            id="the poorest",
        ),
    ],
)
def test_the_richest_shape_that_is_taken(faults: tuple[str, ...], shape: str) -> None:
    assert run(*faults)["generation-prompt"].shape == shape
    broken = run(*faults, "generation-prompt")["generation-prompt"]
    assert (broken.verdict, broken.shape) == ("not-pure", shape)


def test_what_raises_is_said_and_is_no_pass() -> None:
    found = run("alternates", "no system")
    assert (found["tool-loop"].verdict, found["tool-loop"].message) == ("raises", "no system!; alternates!")
    assert (found["late-system"].verdict, found["late-system"].message) == ("raises", "no system!")
    assert overall(tuple(found.values())) == "cannot-tell"


def test_a_refused_late_system_message_is_no_fault_of_growth() -> None:
    found = run("no late system")
    assert found["late-system"].verdict == "raises" and overall(tuple(found.values())) == "pure"


def test_what_cannot_be_seen_is_not_applicable() -> None:
    found = run("no results")
    assert (found["tool-loop"].verdict, found["tool-loop"].message) == (
        "not-applicable",
        "tool results are not printed",
    )
    assert overall(tuple(found.values())) == "cannot-tell"


def test_a_template_that_takes_no_object_has_no_tool_loop_on_a_server() -> None:
    found = tuple(run("wants string").values())
    assert overall(found) == "cannot-tell"
    assert [(probe.behaviour, probe.verdict) for probe in in_the_way(found)] == [("arguments", "raises")]
    assert overall(tuple(run("wants string", "date").values())) == "not-pure"


def test_arguments_as_a_string_are_not_sent_where_the_server_parses_them() -> None:
    found = {one.behaviour: one for one in run_probes(Bench(mini("wants string"), parses_arguments=True), ())}
    assert found["tool-loop"].verdict == "raises" and "wants string!" in str(found["tool-loop"].message)
