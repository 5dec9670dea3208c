"""Known reports of misses that no token shows, and every sample session: each gets its cause, and nothing else does.

``tests/data/cases/make.py`` writes the logs of the reports and says what they describe.
"""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from analysis.model.finding import SessionAnalysis
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from analysis.pipeline.side_files import read_beside
from analysis.render.template import TemplateRenderer
from tests.builders import RECORDED, ROOT, SAMPLES, log_of
from tests.data.cases.make import CASES, files

DATA = ROOT / "tests" / "data"
FOLDER = DATA / "cases"
FILES = {path.stem: path for path in (*SAMPLES, *RECORDED)}
FLOOR = "granularity/block-floor"

Causes = dict[int, tuple[str, str]]  # by line: code and confidence of the first cause


def analysed(
    path: Path,
    metrics: tuple[str, ...] = (),
    events: str | None = None,
    info: str | None = None,
    settings: Settings | None = None,
    renderer: TemplateRenderer | None = None,
) -> list[SessionAnalysis]:
    """A log with the files beside it, read as the command line reads them."""
    beside = read_beside(
        [DATA / name for name in metrics], DATA / events if events else None, DATA / info if info else None
    )
    assert beside.problems == ()
    return analyse(
        log_of(path).sessions, lambda _model: renderer, beside.settings(settings or Settings()), side=beside.side
    )


def first_causes(found: list[SessionAnalysis]) -> Causes:
    turns = [turn for session in found for turn in session.turns]
    return {turn.turn.line: (turn.causes[0].code, turn.causes[0].confidence) for turn in turns if turn.causes}


def notes(found: list[SessionAnalysis]) -> dict[int, list[str]]:
    turns = [turn for session in found for turn in session.turns]
    return {turn.turn.line: [note.code for note in turn.notes] for turn in turns if turn.notes}


def test_a_changed_image_is_part_of_the_prediction() -> None:
    """The placeholder stands in the ids; the hit ends in front of its first block, and the next turn hits all."""
    found = analysed(FOLDER / "52-image-encoded-anew.jsonl")
    turns = [turn for session in found for turn in session.turns]
    assert [(turn.reusable_tokens, turn.turn.usage.cached_tokens) for turn in turns] == [(0, 0), (96, 96), (544, 544)]


def lines(code: str, confidence: str, *numbers: int) -> Causes:
    return dict.fromkeys(numbers, (code, confidence))


def info(name: str) -> dict[str, Any]:
    return {"info": f"cases/{name}.server_info.json"}


def scrapes(name: str) -> dict[str, Any]:
    return {"metrics": (f"cases/{name}.before.txt", f"cases/{name}.after.txt")}


UNEXPLAINED = ("unexplained", "possible")
SWA, MAMBA, LARGE = "55-window-lost", "54-hybrid-align-checkpoint", "53-hybrid-large-block"
DROP, PAUSE, SEED, OFF = (
    "56-drafting-drops-a-block",
    "57-evicted-during-a-tool-pause",
    "61-external-cache-never-hits",
    "64-caching-disabled",
)
EVENTS = {"events": f"cases/{PAUSE}.kv_events.jsonl"}


@pytest.mark.parametrize(
    ("name", "beside", "causes"),
    [
        pytest.param("06-negative-control", {}, {}, id="06"),
        pytest.param("50-cache-salt-per-request", {}, lines("key/cache-salt", "certain", 2, 3, 4), id="50"),
        pytest.param("52-image-encoded-anew", {}, lines("key/multimodal", "certain", 2), id="52"),
        pytest.param(LARGE, info(LARGE), lines("granularity/large-block", "likely", 2, 3, 4, 5), id="53"),
        pytest.param(LARGE, {}, lines("granularity/large-block", "possible", 2, 3, 4, 5), id="53 from the hits alone"),
        pytest.param(
            MAMBA,
            info(MAMBA),
            {**lines("hybrid/checkpoint", "likely", 2), **lines("granularity/large-block", "likely", 3, 4)},
            id="54",
        ),
        pytest.param(SWA, info(SWA), lines("hybrid/sliding-window", "likely", 2, 3, 4), id="55"),
        pytest.param(SWA, {}, dict.fromkeys((2, 3, 4), UNEXPLAINED), id="55 without the window nobody knows"),
        pytest.param(DROP, info(DROP), lines("spec-decode/block-drop", "likely", 2, 3, 4, 5), id="56"),
        pytest.param(DROP, {}, lines("spec-decode/block-drop", "possible", 2, 3, 4, 5), id="56 from the hits alone"),
        pytest.param(PAUSE, EVENTS, lines("capacity/eviction", "certain", 7), id="57"),
        pytest.param(PAUSE, {}, lines("capacity/eviction", "likely", 7), id="57 without events"),
        pytest.param("59-title-takes-the-slot", {}, lines("capacity/slot", "possible", 4), id="59"),
        pytest.param(SEED, scrapes(SEED), lines("key/hash-seed", "possible", 3), id="61"),
        pytest.param(SEED, {}, lines(*UNEXPLAINED, 3), id="61 without the counters nobody knows"),
        pytest.param("63-prompt-logprobs", {}, lines("disabled/skip-read", "certain", 3), id="63"),
        pytest.param(OFF, info(OFF), lines("disabled/flag", "certain", 2, 3, 4, 5), id="64"),
        pytest.param(OFF, {}, lines("disabled/flag", "possible", 2, 3, 4, 5), id="64 from zeros alone"),
        pytest.param("67-concurrent-race", {}, lines("timing/in-flight", "likely", 2), id="67"),
    ],
)
def test_a_report_gets_its_cause(name: str, beside: dict[str, Any], causes: Causes) -> None:
    assert first_causes(analysed(FOLDER / f"{name}.jsonl", **beside)) == causes


def test_case_49_an_unknown_count_is_a_note() -> None:
    name = "49-usage-details-disabled"
    found = analysed(FOLDER / f"{name}.jsonl", **scrapes(name))
    assert first_causes(found) == {}
    assert notes(found) == {line: ["measurement/usage-missing"] for line in (1, 2, 3, 4)}
    assert found[0].reconciliation is not None
    assert found[0].reconciliation.hits_counted == found[0].reconciliation.hits_predicted == 1456


def test_case_66_less_than_a_block_is_a_note() -> None:
    found = analysed(FOLDER / "66-block-boundary-tail.jsonl")
    assert first_causes(found) == {}
    assert notes(found) == {line: [FLOOR] for line in (2, 3, 4)}


def test_case_63_a_request_that_skips_the_cache_is_predicted_to_hit_nothing() -> None:
    (found,) = analysed(FOLDER / "63-prompt-logprobs.jsonl")
    assert [(turn.reusable_tokens, turn.best_tokens) for turn in found.turns] == [
        (0, 0),
        (352, 352),
        (0, 480),
        (624, 624),
    ]


def test_every_case_is_looked_at_and_long_enough() -> None:
    """At least 20 blocks a turn, several turns, and ids for all of them."""
    for name in CASES:
        found = analysed(FOLDER / f"{name}.jsonl")
        turns = [turn for session in found for turn in session.turns]
        assert len(turns) >= 3
        assert all((turn.prompt_tokens or 0) >= 20 * 16 and turn.fidelity == "logged" for turn in turns), name


def test_the_logs_are_what_the_script_writes() -> None:
    written = {
        path.name: path.read_text("utf-8") for path in FOLDER.iterdir() if path.suffix != ".py" and path.is_file()
    }
    assert written == files()


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_samples_get_exactly_their_labels(
    path: Path, expected: dict[str, Any], sample_renderer: TemplateRenderer
) -> None:
    """All causes of every turn, in order, where they were measured: code, field and token."""
    found = analysed(path, renderer=sample_renderer)
    turns = {turn.turn.line: turn for session in found for turn in session.turns}
    for wanted in expected[path.name]["turns"]:
        turn = turns[wanted["line"]]
        codes = [code for code in wanted["causes"] if code != "measurement/usage-missing"]
        assert [cause.code for cause in turn.causes] == codes, wanted["line"]
        details = [one for one in wanted.get("cause_details", ()) if one["code"] in codes]
        for cause, detail in zip(turn.causes, details, strict=True):
            path_in_words = {"(template date)": "template"}.get(detail["path"], detail["path"])
            assert cause.segment == path_in_words, wanted["line"]
        assert [cause.hidden for cause in turn.causes] == [at > 0 for at in range(len(turn.causes))]
        assert [cause.deliberate for cause in turn.causes] == [code == "client/compaction" for code in codes]
    missing = {turn["line"] for turn in expected[path.name]["turns"] if "measurement/usage-missing" in turn["causes"]}
    assert {line for line, codes in notes(found).items() if codes != [FLOOR]} == missing


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_tokens_of_causes_begin_where_they_were_measured(
    path: Path, expected: dict[str, Any], sample_renderer: TemplateRenderer
) -> None:
    """The lost tokens of a cause are those from its token on to the next cause's; all together are the turn's."""
    turns = {turn.turn.line: turn for session in analysed(path, renderer=sample_renderer) for turn in session.turns}
    for wanted in expected[path.name]["turns"]:
        turn, details = turns[wanted["line"]], wanted.get("cause_details", ())
        if not turn.account or not turn.divergence or not details:
            continue
        starts = [0, *(one["at_token"] for one in details[1:]), turn.prompt_tokens or 0]
        lost = {at for part in turn.parts if part.name == "lost" for at in range(part.start, part.stop)}
        owned = [sum(start <= at < stop for at in lost) for start, stop in pairwise(starts)]
        assert [cause.tokens for cause in turn.causes] == owned, wanted["line"]
        assert sum(owned) == turn.account.lost


def test_three_faults_at_once_are_all_named(sample_renderer: TemplateRenderer) -> None:
    (session,) = analysed(FILES["06-three-faults-at-once"], renderer=sample_renderer)
    named = {turn.turn.number: [cause.code for cause in turn.causes] for turn in session.turns}
    assert named[4] == ["volatile-head/client-timestamp", "tools/order"]
    assert named[6] == ["volatile-head/client-timestamp", "client/history-edited"]


def test_the_samples_have_every_kind_of_label(expected: dict[str, Any]) -> None:
    codes = {code for wanted in expected.values() for turn in wanted["turns"] for code in turn["causes"]}
    assert len(codes) == 13 and {"key/cache-salt", "capacity/eviction", "client/compaction"} <= codes


METRICS = ("metrics/busy-server.before.txt", "metrics/busy-server.after.txt")


@pytest.mark.parametrize(
    ("beside", "confidence"),
    [
        pytest.param({}, "likely", id="from the pause and the traffic"),
        pytest.param({"settings": Settings(num_blocks=400)}, "likely", id="from the size of the pool"),
        pytest.param({"metrics": METRICS}, "likely", id="which the server says as well"),
        pytest.param({"events": "kv_events/busy-server.jsonl"}, "certain", id="from its events"),
        pytest.param({"events": "kv_events/busy-server.jsonl", "metrics": METRICS}, "certain", id="from both"),
    ],
)
def test_the_busy_server(beside: dict[str, Any], confidence: str, sample_renderer: TemplateRenderer) -> None:
    found = analysed(FILES["busy-server"], renderer=sample_renderer, **beside)
    assert first_causes(found) == lines("capacity/eviction", confidence, 20, 22)


CLEAN = (
    "same-prompt-twice",
    "tail-lengths",
    "shared-system-three-sessions",
    "01-clean-coding-agent",
)


@pytest.mark.parametrize("name", CLEAN)
def test_clean_sessions_have_no_cause(name: str) -> None:
    found = analysed(FILES[name])
    assert not [turn.causes for session in found for turn in session.turns if turn.causes]
    assert {code for codes in notes(found).values() for code in codes} == {FLOOR}


def test_a_clean_loop_loses_only_the_blanks_of_streamed_calls() -> None:
    """Their content arrives as blank lines; sent back verbatim the template prints one newline more (measured)."""
    whitespace = lines("client/whitespace", "possible", 4, 7)
    assert first_causes(analysed(FILES["clean-tool-loop"])) == whitespace
    assert [turn.account.lost for turn in analysed(FILES["clean-tool-loop"])[0].turns if turn.causes] == [25, 33]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("reasoning-stripped", "template/reasoning-stripped"),
        ("tools-reordered", "tools/order"),
        ("timestamp-in-system", "volatile-head/client-timestamp"),
        ("compact-json-arguments", "unexplained"),  # only the generated text shows it
    ],
)
def test_visible_faults_are_not_laid_to_the_server(name: str, code: str) -> None:
    """What a prompt lost by its own text is no miss; without a renderer its cause is no more than possible."""
    found = Counter(first_causes(analysed(FILES[name])).values())
    assert found.most_common(1)[0][0] == (code, "possible")
    assert set(found) <= {(code, "possible"), ("volatile-head/live-state", "possible"), UNEXPLAINED}, name


def test_a_rotated_salt_is_the_cause_wherever_its_blocks_were_elsewhere() -> None:
    assert first_causes(analysed(FILES["cache-salt-rotated"])) == lines("key/cache-salt", "certain", 4, 7)


def test_a_wrong_block_size_is_asked_about() -> None:
    """A server with blocks of 32 read as one with 16: its hits fit, so the pattern is the only hint."""
    found = analysed(FILES["clean-tool-loop-block32"])
    assert {code for code, _confidence in first_causes(found).values()} == {"unexplained", "client/whitespace"}
    right = first_causes(analysed(FILES["clean-tool-loop-block32"], settings=replace(Settings(), block_size=32)))
    assert {code for code, _confidence in right.values()} == {"client/whitespace"}
