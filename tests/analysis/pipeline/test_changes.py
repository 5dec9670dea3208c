"""Every change that was replayed on the real server gives the tokens that it gave there, turn by turn."""

import json
from functools import cache
from typing import Any

import pytest

from analysis.causes.fixes import Sent
from analysis.model.finding import SessionAnalysis
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from analysis.pipeline.changes import CHANGES, Given, nearest_other
from analysis.pipeline.what_if import Renders, as_sent, figures, replayed
from analysis.render.template import TemplateRenderer
from tests.builders import ROOT, SAMPLE_MODEL, log_of

FILES: dict[str, Any] = json.loads((ROOT / "tests" / "data" / "EXPECTED.json").read_text("utf-8"))["files"]
BY_NAME = {change.name: change for change in CHANGES}
KEEP = ("template-kwarg", ("preserve_reasoning", True))
DATE = ("template-kwarg", ("date_string", "Sunday, 29 November 2026"))
SYSTEM, TOOLS, OUTPUTS = ("system", None), ("tools", None), ("outputs", None)
REPLAYED: dict[tuple[str, str], tuple[tuple[str, Any], ...]] = {
    ("02", "preserve_reasoning"): (KEEP,),
    ("03", "clock_frozen"): (SYSTEM,),
    ("03", "clock_frozen+preserve_reasoning"): (SYSTEM, KEEP),
    ("04", "date_frozen"): (SYSTEM,),
    ("05", "tools_fixed"): (TOOLS,),
    ("06", "clock_frozen"): (SYSTEM,),
    ("06", "clock_frozen+tools_fixed"): (SYSTEM, TOOLS),
    ("06", "clock_frozen+tools_fixed+results_unchanged"): (SYSTEM, TOOLS, OUTPUTS),
    ("07", "salt_fixed"): (("salt", None),),
    ("09", "outputs_kept"): (OUTPUTS,),
    ("11", "preserve_reasoning"): (KEEP,),
    ("11", "tools_fixed"): (("all-tools", None),),
    ("11", "preserve_reasoning+tools_fixed"): (KEEP, ("all-tools", None)),
    ("13", "name_last"): (("line-last", None),),
    ("13", "name_last+preserve_reasoning"): (("line-last", None), KEEP),
    ("14", "date_frozen"): (DATE,),
}
EXPECTED = {
    (name[:2], change): expected for name, file in FILES.items() for change, expected in file.get("what_if", {}).items()
}


@cache
def renderer() -> TemplateRenderer:
    return TemplateRenderer.load(str(SAMPLE_MODEL))


@cache
def history(number: str) -> list[SessionAnalysis]:
    (path,) = (ROOT / "sample_sessions").glob(f"{number}-*.jsonl")
    return analyse(log_of(path).sessions, lambda model: renderer(), Settings(16))


def changed(number: str, changes: tuple[tuple[str, Any], ...]) -> dict[int, list[Sent]]:
    """The requests of every session of a file with these changes; a name is moved where one stands."""
    result = {}
    firsts = [as_sent(analysis)[0] for analysis in history(number)]
    for index, analysis in enumerate(history(number)):
        sent = list(as_sent(analysis))
        named = "You are talking to" in str(sent[0].request.messages[0]["content"])
        for name, kwarg in changes:
            if name != "line-last" or named:
                replies = [turn.reply for turn in analysis.session.turns]
                given = Given(kwarg, nearest_other(sent[0], firsts))
                sent = list(BY_NAME[name].apply(sent, replies, given))
        result[index] = sent
    return result


def test_every_replay_of_the_samples_is_tried() -> None:
    assert set(REPLAYED) == set(EXPECTED)


@pytest.mark.parametrize(("number", "name"), EXPECTED, ids=" ".join)
def test_a_change_gives_what_it_gave_on_the_server(number: str, name: str) -> None:
    expected = EXPECTED[number, name]
    found = replayed(
        history(number), changed(number, REPLAYED[number, name]), Renders(lambda model: renderer()), Settings(16)
    )
    by_line = {turn.turn.line: turn for session in found for turn in session.turns}
    got = [(by_line[line].prompt_tokens, by_line[line].reusable_tokens) for line in sorted(by_line)]
    assert got == [(turn["prompt_tokens"], turn["reusable"]) for turn in expected["turns"]]
    assert [turn["measured"] for turn in expected["turns"]] == [turn["reusable"] for turn in expected["turns"]]
    assert sum(one.reusable_tokens for session in found for one in figures(session)) == expected["sum_reusable"]
