"""What is known of the time between two turns, and the patterns of a whole history."""

from dataclasses import replace

import pytest

from analysis.core.hashes import block_hashes, hasher, low_64
from analysis.model.evidence import Counters, KvEvent
from analysis.model.gap import Gap, SourceFacts
from analysis.model.session import TokenIds, Turn
from analysis.model.settings import Settings
from analysis.pipeline.gaps import Gaps, SideFiles, never_cached, source_facts
from tests.builders import tokens
from tests.evidence import SETTINGS, SIZE, logged, visits

SHA256 = hasher("sha256")
assert SHA256 is not None
A = range(1000, 1400)  # a conversation
B = range(5000, 5400)  # another


def hashes(ids: TokenIds | range, start: int = 0, stop: int | None = None) -> tuple[int, ...]:
    """Hashes of the blocks ``[start, stop)`` of these ids, as events announce them."""
    assert SHA256 is not None
    return tuple(map(low_64, block_hashes(list(ids), SIZE, SHA256)))[start:stop]


def event(at: float, kind: str, *blocks: int) -> KvEvent:
    return KvEvent(at, kind, blocks)  # type: ignore[arg-type]


def gap(turns: list[tuple[str, Turn]], *events: KvEvent, settings: Settings = SETTINGS) -> Gap:
    """The gap before the last of these turns."""
    return Gaps(visits(turns, settings), settings, SideFiles(events)).of(len(turns) - 1)


def facts(*turns: tuple[str, Turn], side: SideFiles | None = None, settings: Settings = SETTINGS) -> SourceFacts:
    return source_facts(visits(turns, settings), settings, side or SideFiles())


def test_the_time_and_the_traffic_in_between() -> None:
    turns = [
        ("a", logged(tokens(A[:100]), tokens(range(21)), 0, at=0, takes=2)),
        ("b", logged(tokens(A[:50], B[:50]), cached=48, at=3)),
        ("c", logged(tokens(B[:60]), cached=0, at=4)),
        ("a", logged(tokens(A[:100], range(20), 7), cached=64, at=12)),
    ]
    assert gap(turns) == Gap(
        unlimited_tokens=112,
        kept_tokens=112,
        predicted_tokens=112,
        idle_seconds=10.0,
        other_requests=2,
        other_tokens=160,
        missing_blocks=3,
        last_request_tokens=0,
    )


def test_a_turn_at_once_and_a_first_turn() -> None:
    turns = [("a", logged(tokens(A[:64]), at=0)), ("a", logged(tokens(A[:90]), cached=0, at=5))]
    assert gap(turns) == Gap(64, 64, 64, idle_seconds=4.0, missing_blocks=4)
    assert gap(turns[:1]) == Gap(0, 0, 0), "nothing before it"
    other = [*turns, ("b", logged(tokens(A[:80]), cached=0, at=9))]
    assert gap(other) == Gap(64, 64, 64, missing_blocks=4), "others' blocks, no previous turn"


def test_without_times_no_time_is_said() -> None:
    turns = [("a", logged(tokens(A[:64]))), ("b", logged(tokens(B))), ("a", logged(tokens(A[:90]), cached=0))]
    assert gap(turns).idle_seconds is None
    assert (gap(turns).other_requests, gap(turns).overlaps) == (1, False)


def test_a_turn_that_was_sent_before_the_last_had_ended() -> None:
    turns = [
        ("a", logged(tokens(A[:64]), tokens(range(40)), at=0, takes=9)),
        ("a", logged(tokens(A[:64], range(39)), cached=0, at=5)),
    ]
    found = gap(turns)
    assert (found.overlaps, found.idle_seconds, found.unlimited_tokens) == (True, 0.0, 64)


def test_a_hit_that_is_what_an_older_turn_left() -> None:
    grown = [("a", logged(tokens(A[:length]), cached=0, at=length)) for length in (70, 150, 230)]
    assert gap([*grown, ("a", logged(tokens(A[:300]), cached=64, at=300))]).older_turn == 1
    assert gap([*grown, ("a", logged(tokens(A[:300]), cached=144, at=300))]).older_turn == 2
    assert gap([*grown, ("a", logged(tokens(A[:300]), cached=224, at=300))]).older_turn is None, "the previous turn's"
    assert gap([*grown, ("a", logged(tokens(A[:300]), cached=80, at=300))]).older_turn is None
    assert gap([*grown, ("a", logged(tokens(A[:300]), cached=0, at=300))]).older_turn is None, "nothing was hit"


def test_who_took_the_missing_blocks() -> None:
    turns = [
        ("a", logged(tokens(A[:160]), at=0)),
        ("b", logged(tokens(B[:160]), at=2)),
        ("a", logged(tokens(A[:170]), cached=64, at=4)),
    ]
    found = gap(turns, settings=replace(SETTINGS, num_blocks=15))
    assert (found.unlimited_tokens, found.kept_tokens, found.predicted_tokens) == (160, 64, 64)
    assert found.evicted_by == ("b turn 1",)


PAUSE = [("a", logged(tokens(A[:160]), at=0)), ("a", logged(tokens(A[:170]), cached=64, at=10, takes=4))]
STORED = event(0.5, "stored", *hashes(A[:160]))


@pytest.mark.parametrize(
    ("events", "removed"),
    [
        pytest.param([], None, id="no events"),
        pytest.param([event(5, "removed", 1, 2)], None, id="events of other blocks only"),
        pytest.param([STORED], 0, id="stored and never removed"),
        pytest.param([STORED, event(5, "removed", *hashes(A[:160], 4))], 6, id="all that is missing"),
        pytest.param(
            [event(5, "removed", *hashes(A[:160], 4))], 6, id="events that begin after the blocks were stored"
        ),
        pytest.param([STORED, event(5, "removed", *hashes(A[:160], 4, 6))], 2, id="the first of them"),
        pytest.param(
            [STORED, event(5, "removed", *hashes(A[:160], 6))], 0, id="not the first: the hit ended before it"
        ),
        pytest.param([STORED, event(5, "removed", *hashes(A[:160], 0, 4))], 0, id="what was hit all the same"),
        pytest.param([STORED, event(20, "removed", *hashes(A[:160], 4))], 0, id="after the turn had ended"),
        pytest.param(
            [STORED, event(13, "removed", *hashes(A[:160], 4))], 6, id="while the turn waited to be scheduled"
        ),
        pytest.param(
            [STORED, event(5, "removed", *hashes(A[:160], 4)), event(11, "stored", *hashes(A[:160], 4))],
            6,
            id="and stored anew by the turn itself",
        ),
        pytest.param(
            [STORED, event(5, "removed", *hashes(A[:160], 4)), event(6, "stored", *hashes(A[:160], 4))],
            0,
            id="and stored anew before the turn",
        ),
        pytest.param([STORED, STORED, event(5, "removed", *hashes(A[:160], 4))], 0, id="one of two copies"),
        pytest.param(
            [STORED, event(1, "cleared"), STORED, event(5, "removed", *hashes(A[:160], 4))],
            6,
            id="the copy since all was cleared",
        ),
    ],
)
def test_removals_that_explain_what_is_missing(events: list[KvEvent], removed: int | None) -> None:
    assert gap(PAUSE, *events).removed_blocks == removed


def test_removals_of_blocks_that_cannot_be_told() -> None:
    told = (STORED, event(5, "removed", *hashes(A[:160], 4)))
    salted = [(name, replace(turn, request=replace(turn.request, salt="A"))) for name, turn in PAUSE]
    assert gap(salted, *told).removed_blocks is None, "the salt is not kept"
    untimed = [(name, replace(turn, started_at=None, ended_at=None)) for name, turn in PAUSE]
    assert gap(untimed, *told).removed_blocks is None, "no time to compare"
    unknown = Gaps(visits(PAUSE), SETTINGS, SideFiles(told, hash_algorithm="xxhash")).of(1)
    assert unknown.removed_blocks is None


@pytest.mark.parametrize(("at", "cleared"), [(0.5, False), (1.0, True), (5.0, True), (10.0, True), (11.0, False)])
def test_a_clearing_between_two_turns(at: float, cleared: bool) -> None:
    assert gap(PAUSE, event(at, "cleared")).cleared is cleared


def test_a_clearing_where_the_log_does_not_say_when_turns_end() -> None:
    open_ended = [(name, replace(turn, ended_at=None)) for name, turn in PAUSE]
    assert gap(open_ended, event(5.0, "cleared")).cleared
    assert not gap(PAUSE[:1], event(5.0, "cleared")).cleared


def growing(*cached: int | None, step: int = 50, salt: str | None = None) -> list[tuple[str, Turn]]:
    """A session that grows by ``step`` tokens a turn, with these reports after its first turn."""
    every = [0, *cached]
    return [
        ("a", logged(tokens(A[: step * number]), cached=reported, at=10.0 * number, salt=salt))
        for number, reported in enumerate(every, 1)
    ]


def test_all_zero_needs_several_turns_that_could_reuse() -> None:
    assert facts(*growing(0, 0, 0)).all_zero
    assert not facts(*growing(0, 0)).all_zero, "two turns are no pattern"
    assert not facts(*growing(0, 0, 16)).all_zero
    assert not facts(*growing(0, 0, None)).all_zero, "unknown is not zero"
    assert not facts(*growing(0, 0, 0, step=5)).all_zero, "less than a block could never be hit"


def test_a_common_unit_far_above_the_block() -> None:
    assert facts(*growing(128, 256, 384, step=130)).unit == 128
    assert facts(*growing(0, 128, 256, 384, step=90)).unit == 128, "a zero fits every unit"
    assert facts(*growing(128, 256, 256, step=130)).unit is None, "two different hits are no pattern"
    assert facts(*growing(48, 96, 144)).unit is None, "48 is not far above 16"
    assert facts(*growing(48, 96, 128)).unit is None


def test_every_hit_short_by_a_block() -> None:
    assert facts(*growing(32, 80, 128)).short_by_block
    assert not facts(*growing(32, 80, 144)).short_by_block
    assert not facts(*growing(32, 80)).short_by_block
    drops = replace(SETTINGS, spec_decode=True)
    assert not facts(*growing(32, 80, 128), settings=drops).short_by_block, "where it was predicted it is no surprise"


def test_hits_that_end_with_the_previous_prompt() -> None:
    def turns(*cached: int) -> list[tuple[str, Turn]]:
        ids = [A[: 60 * number] for number in range(1, 6)]
        return [
            ("a", logged(tokens(mine), tokens(more[len(mine) :]), hit, at=10.0 * len(mine)))
            for mine, more, hit in zip(ids, ids[1:], (0, *cached), strict=False)
        ]

    assert facts(*turns(48, 112, 176)).only_prompts_kept
    assert not facts(*turns(48, 112, 224)).only_prompts_kept
    assert not facts(*growing(48, 96, 144)).only_prompts_kept, "without replies it would mean nothing"


def test_counters_are_handed_on() -> None:
    assert facts(*growing(0), side=SideFiles(counters=Counters(hits=3))).counters == Counters(hits=3)


def together(*cached: int, before: int = 96, at: float = 100.0) -> list[tuple[str, Turn]]:
    """Sessions with two turns each and then one more, whose hits are these; the first of those starts at ``at``."""
    made = []
    for number, name in enumerate("abcde"[: len(cached)]):
        ids = range(10_000 * number, 10_000 * number + 400)
        made += [(name, logged(tokens(ids[:100]), cached=0, at=float(number)))]
        made += [(name, logged(tokens(ids[:200]), cached=before, at=20.0 + number))]
    for number, (name, hit) in enumerate(zip("abcde", cached, strict=False)):
        ids = range(10_000 * number, 10_000 * number + 400)
        made += [(name, logged(tokens(ids[:300]), cached=hit, at=at + number))]
    return made


def test_all_sessions_start_at_zero_again() -> None:
    assert facts(*together(0, 0, 0)).dropped_at == (100.0,)
    assert facts(*together(0, 0, 0, 0)).dropped_at == (100.0, 101.0), "every instant that three of them lie around"


@pytest.mark.parametrize(
    "turns",
    [
        pytest.param(together(0, 0, 192), id="one of them hit"),
        pytest.param(together(0, 0), id="two sessions are too few"),
        pytest.param(together(0, 0, 0, before=0), id="nothing was ever hit"),
        pytest.param([(name, replace(turn, started_at=None)) for name, turn in together(0, 0, 0)], id="no times"),
        pytest.param(growing(0, 0, 0, 0), id="one session alone"),
    ],
)
def test_no_drop(turns: list[tuple[str, Turn]]) -> None:
    assert facts(*turns).dropped_at == ()


def test_a_turn_that_skips_the_cache_is_no_pattern() -> None:
    skipping = [
        (name, replace(turn, request=replace(turn.request, skips_cache=True))) for name, turn in growing(0, 0, 0)
    ]
    assert not facts(*skipping).all_zero
    made = together(192, 192, 192)
    made[6] = (made[6][0], replace(made[6][1], request=replace(made[6][1].request, skips_cache=True)))
    assert facts(*made).dropped_at == ()


def test_models_that_never_had_a_hit() -> None:
    """Three turns that say so are enough, unknown ones do not count, and one hit is a hit."""

    def turns(model: str, *cached: int | None) -> list[Turn]:
        return [logged(tokens(1), cached=hit, model=model) for hit in cached]

    said = [
        *turns("never", 0, None, 0, 0),
        *turns("once", 0, 0, 0, 16),
        *turns("few", 0, 0, None),
        *turns("unknown", None),
    ]
    assert never_cached(said) == {"never"}
