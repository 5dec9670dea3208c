"""From sessions to findings: the pinned accounts, the measured samples, and whose blocks are whose."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analysis.model.finding import Account, Donor, Previous, SessionAnalysis, TurnAnalysis
from analysis.model.session import Session, Usage
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from analysis.render.template import TemplateRenderer
from tests.builders import (
    RECORDED,
    SAMPLES,
    ByteRenderer,
    analysed,
    assistant,
    of_turns,
    request,
    session,
    tokens,
    turn,
    user,
)

FILES = {path.stem: path for path in (*SAMPLES, *RECORDED)}


@pytest.mark.parametrize(
    ("name", "line", "prompt", "cached", "missed", "rounding", "lost", "new"),
    [
        pytest.param("02-reasoning-stripped", 7, 2168, 1232, 0, 7, 890, 39, id="sample 02 turn 7"),
        pytest.param("05-tools-reordered-and-flapping", 4, 1779, 176, 0, 14, 1340, 249, id="sample 05 turn 4"),
        pytest.param("05-tools-reordered-and-flapping", 7, 2231, 608, 0, 0, 1485, 138, id="sample 05 turn 7"),
        pytest.param("06-three-faults-at-once", 4, 1585, 48, 0, 2, 1423, 112, id="sample 06 turn 4"),
        pytest.param("07-salt-rotated", 5, 2006, 0, 1968, 6, 0, 32, id="sample 07 turn 5"),
        pytest.param("08-compaction", 8, 1505, 1168, 0, 13, 22, 302, id="sample 08 turn 8"),
        pytest.param("busy-server", 20, 2983, 1168, 1712, 10, 0, 93, id="busy-server line 20"),
        pytest.param("cache-salt-rotated", 4, 2394, 0, 2048, 4, 0, 342, id="cache-salt-rotated turn 4"),
        pytest.param("cache-salt-rotated", 7, 3730, 2048, 1120, 4, 0, 558, id="cache-salt-rotated turn 7"),
        pytest.param("same-prompt-twice", 2, 320, 304, 0, 16, 0, 0, id="320 tokens sent twice"),
    ],
)
def test_pinned_accounts(
    name: str,
    line: int,
    prompt: int,
    cached: int,
    missed: int,
    rounding: int,
    lost: int,
    new: int,
    sample_renderer: TemplateRenderer,
) -> None:
    found = analysed(FILES[name], sample_renderer if FILES[name] in SAMPLES else None)[line]
    assert found.prompt_tokens == prompt == cached + missed + rounding + lost + new
    assert found.account == Account(cached, missed, rounding, lost, new, None, 0)


def measured(path: Path, expected: dict[str, Any], renderer: TemplateRenderer) -> list[tuple[TurnAnalysis, Any]]:
    turns = analysed(path, renderer)
    wanted = expected[path.name]["turns"]
    assert sorted(turns) == [turn["line"] for turn in wanted]
    return [(turns[turn["line"]], turn) for turn in wanted]


def template_or(path: str) -> str:
    return "template" if path in ("(template)", "(template date)") else path


every_sample = pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)


@every_sample
def test_samples_diverge_where_they_were_measured_to(
    path: Path, expected: dict[str, Any], sample_renderer: TemplateRenderer
) -> None:
    for found, wanted in measured(path, expected, sample_renderer):
        there, here = wanted["diverges_at"], found.divergence
        assert (here is None) == (there is None), wanted["line"]
        if here is not None:
            assert here.segment is not None and here.previous_segment is not None
            assert here.token == there["token"]
            assert here.segment.path == template_or(there["path"])
            assert here.previous_segment.path == template_or(there["previous_path"])
            assert here.segment_basis == "provenance"


@every_sample
def test_samples_have_the_measured_figures(
    path: Path, expected: dict[str, Any], sample_renderer: TemplateRenderer
) -> None:
    for found, wanted in measured(path, expected, sample_renderer):
        assert found.prompt_tokens == wanted["prompt_tokens"]
        assert found.turn.usage.cached_tokens == wanted["cached_tokens"]
        assert found.reusable_tokens == wanted["predicted"], wanted["line"]
        assert found.ideal_tokens == wanted["append_only_ideal"], wanted["line"]
        assert found.fidelity == ("exact" if path.stem == "11-long-haul" else "logged")


@every_sample
def test_every_position_is_booked_once(path: Path, sample_renderer: TemplateRenderer) -> None:
    for found in analysed(path, sample_renderer).values():
        assert found.account is not None and found.best_tokens is not None and found.reusable_tokens is not None
        edges = [(part.start, part.stop) for part in found.parts]
        assert [stop for _, stop in edges] == [*(start for start, _ in edges[1:]), found.prompt_tokens]
        assert found.reusable_tokens <= found.best_tokens < (found.prompt_tokens or 0)
        assert found.account.beyond_prediction == 0


def test_a_server_that_does_not_report_leaves_cached_unknown(
    sample_files: dict[str, Path], sample_renderer: TemplateRenderer
) -> None:
    for found in analysed(sample_files["12"], sample_renderer).values():
        assert found.account is not None
        assert (found.account.cached, found.account.missed) == (None, None)
        assert found.account.reusable_unreported == found.best_tokens


def bytewise(*sessions: Session, block_size: int = 16) -> list[SessionAnalysis]:
    return analyse(sessions, lambda model: ByteRenderer(), Settings(block_size))


def figures(turns: Sequence[TurnAnalysis]) -> list[tuple[int | None, int | None, int | None]]:
    return [(turn.reusable_tokens, turn.best_tokens, turn.ideal_tokens) for turn in turns]


SYSTEM = "You are an agent that looks things up."


def test_a_session_that_only_grows_reuses_all_it_can() -> None:
    (found,) = bytewise(session(SYSTEM, "hi", "hello", "and now?", "nothing", "bye"))
    first, second, third = found.turns
    assert figures(found.turns)[0] == (0, 0, None)
    for before, after in ((first, second), (second, third)):
        assert before.full_ids is not None
        assert after.reusable_tokens == after.best_tokens == after.ideal_tokens == 16 * (len(before.full_ids) // 16)
        assert after.previous == Previous(before.turn.number, len(before.full_ids))
        assert after.donor == Donor("s", before.turn.number, len(before.full_ids))
        assert after.divergence is None and after.account is not None and after.account.lost == 0


def test_other_keys_are_best_and_never_reusable() -> None:
    (found,) = bytewise(session(SYSTEM, "hi", "hello", "more", "yes", "bye", salts=["A", "B", "B"]))
    reusable = [turn.reusable_tokens for turn in found.turns]
    best = [turn.best_tokens for turn in found.turns]
    assert reusable[:2] == [0, 0] and best[1] == found.turns[1].ideal_tokens
    assert reusable[2] == best[2] == found.turns[2].ideal_tokens


def test_another_model_is_another_key() -> None:
    texts = user(SYSTEM), assistant("hello"), user("more")
    (found,) = bytewise(of_turns(turn(*texts[:1], reply=texts[1]), turn(*texts, model="adapter")))
    assert found.turns[1].reusable_tokens == 0
    assert found.turns[1].best_tokens == found.turns[1].ideal_tokens != 0


def test_other_sessions_share_blocks_under_the_same_keys_only() -> None:
    asked = session(SYSTEM, "hi"), session(SYSTEM, "hello"), session(SYSTEM, "good day", salts=["A"])
    made = [replace(it, session_id=str(number)) for number, it in enumerate(asked)]
    found = bytewise(*made)
    assert found[1].turns[0].donor == Donor("0", 1, found[1].turns[0].lcp_tokens or 0)
    assert (found[1].turns[0].reusable_tokens or 0) >= 48
    assert figures(found[2].turns) == [(0, 0, None)], "neither the keys nor the session"


def test_the_donor_may_be_an_earlier_turn_than_the_one_it_leaves() -> None:
    long, short = user(SYSTEM + " a" * 40), user("short")
    (found,) = bytewise(of_turns(turn(long), turn(short), turn(long, assistant("ok"), user("go"))))
    third = found.turns[2]
    assert third.donor is not None and third.previous is not None and third.divergence is not None
    assert (third.donor.turn, third.previous.turn, third.divergence.token) == (1, 2, 7)


def test_requests_are_served_in_the_order_of_their_start() -> None:
    late, early = session(SYSTEM, "hi"), session(SYSTEM, "hi")
    late = replace(late, session_id="late", turns=(replace(late.turns[0], started_at=9.0),))
    early = replace(early, session_id="early", turns=(replace(early.turns[0], started_at=3.0),))
    found = bytewise(late, early)
    assert [it.session.session_id for it in found] == ["late", "early"]
    assert found[0].turns[0].donor is not None and found[1].turns[0].donor is None


def test_a_turn_without_tokens_has_no_account_and_stops_nothing() -> None:
    turns = session(SYSTEM, "hi", "hello", "more").turns
    made = of_turns(*(replace(it, prompt_ids=tokens(range(40))) for it in turns[:1]), *turns[1:])
    (found,) = analyse([made], lambda model: None, Settings())
    assert found.turns[0].account is not None
    assert (found.turns[1].account, found.turns[1].full_ids, found.turns[1].reusable_tokens) == (None, None, None)
    assert found.turns[1].prompt_tokens == turns[1].usage.prompt_tokens, "the server's count stands"


def test_a_turn_that_cannot_be_rendered_is_a_problem_of_its_line() -> None:
    class Broken(ByteRenderer):
        def prompt_ids(self, request: Any, at: float | None) -> Any:
            if len(request.messages) > 2:
                raise ValueError("roles must alternate")
            return super().prompt_ids(request, at)

    made = session(SYSTEM, "hi", "hello", "more")
    (found,) = analyse([made], lambda model: Broken(), Settings())
    assert found.turns[0].account is not None and found.turns[1].account is None
    remedy = "Log token ids (return_token_ids), or render through a live server (--endpoint)."
    assert [(problem.line, problem.message) for problem in found.problems] == [
        (2, f"not rendered: roles must alternate. {remedy}")
    ]


def test_what_the_server_reused_beyond_the_log_is_said() -> None:
    (found,) = bytewise(of_turns(turn(user("x" * 100), cached=64)))
    account = found.turns[0].account
    assert account is not None
    assert (account.cached, account.beyond_prediction) == (64, 64)


def test_the_ideal_is_unknown_where_the_output_is() -> None:
    first = replace(turn(user(SYSTEM)), usage=Usage(len(ByteRenderer().prompt_ids(request(user(SYSTEM)), None))))
    (found,) = bytewise(of_turns(first, turn(user(SYSTEM), assistant("a"), user("b"))))
    assert found.turns[1].ideal_tokens is None


def test_progress_counts_turns() -> None:
    seen: list[tuple[int, int]] = []
    made = session(SYSTEM, "hi", "hello", "more")
    analyse([made], lambda model: ByteRenderer(), Settings(), lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]


def test_a_turn_is_compared_with_the_turn_before_it_in_its_own_lineage() -> None:
    """A title call between two turns is no divergence, and neither is the turn that follows it."""
    system, asks = {"role": "system", "content": "You help. " * 20}, user("Where is my parcel?")
    first = turn(system, asks, reply=assistant("On its way."))
    title = replace(
        turn({"role": "system", "content": "You write titles."}, asks, reply=assistant("Parcel")), lineage="t"
    )
    again = turn(system, asks, assistant("On its way."), user("Since when?"), reply=assistant("Monday."))
    (found,) = analyse([of_turns(first, title, again, title)], lambda model: ByteRenderer(), Settings())
    assert [one.previous.turn if one.previous else None for one in found.turns] == [None, None, 1, 2]
    assert not any(one.divergence for one in found.turns)
    assert [one.account.lost for one in found.turns if one.account] == [0, 0, 0, 0]
