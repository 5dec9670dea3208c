"""One server's history against a plain model of it: whose blocks a request may hit, and which were still there."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from analysis.core.serving import Asked, Served, Serving
from analysis.model.settings import Settings
from tests.builders import tokens
from tests.served_traffic import asked, served
from tests.traffic import Call, PlainServer, traffic, with_images

SIZE = 4
TRACES = 25  # random traces of one example
many = examples(max_examples=40, deadline=None)
seeds = st.integers(0, 2**40)


def settings_of(**given_settings: object) -> Settings:
    return Settings(block_size=SIZE, block_size_basis="given", **given_settings)  # type: ignore[arg-type]


def call(
    *ids: int | range | list[int], reply: int = 0, session: int = 0, at: float = 0.0, takes: float = 0.5, **more: object
) -> Call:
    """A call of these ids, the last ``reply`` of which are its reply."""
    flat = tuple(tokens(*ids).tolist())
    return Call(session, flat, len(flat) - reply, at, at + takes, **more)  # type: ignore[arg-type]


def hits(calls: list[Call], **given_settings: object) -> list[int]:
    return [one.hit_tokens for one in served(Serving(settings_of(**given_settings)), calls)]


def test_a_reply_cannot_be_hit_before_it_was_written() -> None:
    """The prompt can, from the moment it was scheduled; what was in the reply is missed, not unknown."""
    first = call(range(20), reply=8, at=0, takes=10)
    early, late = call(range(30), at=5), call(range(30), at=10, session=1)
    one, two, three = served(Serving(settings_of()), [first, early, late])
    assert (one.hit_tokens, two.hit_tokens, three.hit_tokens) == (0, 12, 28)
    assert (one.overlaps, two.overlaps, three.overlaps) == (False, True, False)
    assert two.same_keys is not None and two.same_keys.lcp_tokens == 12
    assert two.anyone is not None and (two.anyone.index, two.anyone.lcp_tokens) == (0, 20)


def test_without_times_each_request_ends_before_the_next() -> None:
    serving, whole = Serving(settings_of()), tokens(range(20))
    first = serving.serve(Asked(whole, 12, "k"))
    second = serving.serve(Asked(tokens(range(30)), 30, "k", previous=first, lcp_tokens=20))
    assert (second.hit_tokens, second.overlaps) == (20, False)


@pytest.mark.parametrize("other", [("model", None), ("salt", "B"), (None, "replica")], ids=str)
def test_other_keys_share_nothing(other: object) -> None:
    calls = [call(range(20), session=0, at=0), call(range(20), session=1, at=1, keys=other)]
    again = [*calls, call(range(20), session=2, at=2, keys=other), call(range(20), session=3, at=3)]
    assert hits(again) == [0, 0, 16, 16]


def test_a_session_that_changes_its_keys_could_have_reused_its_own_blocks() -> None:
    calls = [call(range(20)), call(range(22), at=1, keys="B"), call(range(21), at=2, session=1, keys="C")]
    serving = Serving(settings_of())
    first = serving.serve(asked(calls[0], None, mixed=True))
    second = serving.serve(asked(calls[1], (calls[0], first), mixed=True))
    third = serving.serve(asked(calls[2], None, mixed=True))
    assert (second.hit_tokens, second.same_keys) == (0, None)
    assert second.anyone is not None and (second.anyone.index, second.anyone.lcp_tokens) == (0, 20)
    assert third.anyone is None, "another session with other keys"


def test_an_image_that_changes_takes_its_block_and_all_behind_it() -> None:
    """Tokens 10 to 14 are an image; the second turn shows another, the third the first one again."""
    first = call(range(10), [7] * 4, range(20, 30), images=((10, 14, "a"),))
    other = call(range(10), [7] * 4, range(20, 34), at=1, images=((10, 14, "b"),))
    again = call(range(10), [7] * 4, range(20, 38), at=2, session=1, images=((10, 14, "a"),))
    one, two, three = served(Serving(settings_of()), [first, other, again], mixed=True)
    assert [one.hit_tokens, two.hit_tokens, three.hit_tokens] == [0, 8, 24]
    assert two.same_keys is not None and two.same_keys.lcp_tokens == 10
    assert two.anyone is not None and two.anyone.lcp_tokens == 24, "with the image unchanged"


def test_drafting_drops_the_last_block_of_a_hit() -> None:
    calls = [call(range(20)), call(range(21), at=1), call(range(3), at=2), call(range(6), at=3)]
    assert hits(calls) == [0, 20, 0, 4]
    assert hits(calls, spec_decode=True) == [0, 16, 0, 0]


def test_decode_context_parallelism_multiplies_the_unit_of_a_hit() -> None:
    calls = [call(range(20)), call(range(21), at=1)]
    assert hits(calls, dcp=2) == [0, 16]
    assert hits(calls, dcp=3) == [0, 12]
    assert hits(calls, dcp=8) == [0, 0]


def test_a_request_that_skips_the_cache_hits_nothing_and_leaves_everything() -> None:
    calls = [call(range(20)), call(range(30), at=1, skips=True), call(range(31), at=2)]
    made = served(Serving(settings_of()), calls)
    assert [one.hit_tokens for one in made] == [0, 0, 28]
    assert made[1].kept_tokens == 20, "the blocks were there"


def test_a_window_and_a_pool_each_take_their_share() -> None:
    """Of 20 tokens the window keeps the prompt's end; of the pool's nine blocks another session took three."""
    calls = [call(range(20), reply=8), call(range(21), at=1, session=1)]
    made = served(Serving(settings_of(window=5, retention=0)), calls)
    assert (made[1].kept_tokens, made[1].hit_tokens) == (20, 8)
    calls = [calls[0], call(range(100, 128), at=1, session=1), call(range(21), at=2, session=2)]
    made = served(Serving(settings_of(num_blocks=10)), calls)
    assert (made[2].kept_tokens, made[2].hit_tokens, made[2].evicted_by) == (8, 8, (1,))


def test_evicted_by_names_who_took_what_is_missing() -> None:
    calls = [
        call(range(32), session=0, at=0),
        call(range(100, 108), session=1, at=1),  # two blocks: the pool has ten
        call(range(200, 208), session=2, at=2),  # takes the two deepest
        call(range(300, 308), session=3, at=3),  # and the next two
        call(range(100, 109), session=1, at=4),  # still there; its ninth token needs a block, taken from the deep end
        call(range(33), session=0, at=5),
    ]
    made = served(Serving(settings_of(num_blocks=11)), calls)
    assert made[4].hit_tokens == 8 and made[4].evicted_by == ()
    assert (made[5].hit_tokens, made[5].evicted_by) == (12, (4, 3, 2))


def test_a_block_that_came_back_was_not_evicted_by_who_once_took_it() -> None:
    """Its fifth block is taken, computed again by a third session, and there."""
    calls = [
        call(range(20), session=0, at=0),
        call(range(100, 124), session=1, at=1),  # one of six blocks is taken from the first
        call(range(21), session=2, at=2),  # computes it again, in a block of session 1
        call(range(21), session=3, at=3),
    ]
    made = served(Serving(settings_of(num_blocks=11)), calls)
    assert (made[2].hit_tokens, made[2].evicted_by) == (16, (1,))
    assert (made[3].hit_tokens, made[3].evicted_by) == (20, ())


def test_every_replica_has_a_pool_of_its_own() -> None:
    """Two replicas with room for one session each keep both."""
    serving = Serving(settings_of(num_blocks=7))
    for place in ("a", "b"):
        serving.serve(Asked(tokens(range(20)), 20, place, place=place))
    again = [serving.serve(Asked(tokens(range(20)), 20, place, place=place)).hit_tokens for place in ("a", "b")]
    assert again == [16, 16]


@pytest.mark.parametrize("num_blocks", [5, 1], ids=["too few", "none of use"])
def test_a_pool_that_is_too_small_is_an_error_and_can_be_forgotten(num_blocks: int) -> None:
    serving = Serving(settings_of(num_blocks=num_blocks))
    request = Asked(tokens(range(30)), 20, "k", started_at=0.0, ended_at=1.0)
    with pytest.raises(ValueError, match="pool of"):
        serving.serve(request)
    serving.forget_pools()
    assert serving.serve(request).hit_tokens == 0
    later = Asked(tokens(range(30)), 30, "k", started_at=2.0, ended_at=3.0)
    assert serving.serve(later).hit_tokens == 28
    assert serving.all_removed() is None


def test_a_reply_that_has_no_room_is_found_when_it_ends() -> None:
    serving = Serving(settings_of(num_blocks=6))
    first = serving.serve(Asked(tokens(range(30)), 20, "k", started_at=0.0, ended_at=1.0))
    with pytest.raises(ValueError, match="no room"):
        serving.all_removed()
    serving.forget_pools()
    again = Asked(tokens(range(31)), 31, "k", started_at=2.0, ended_at=3.0, previous=first, lcp_tokens=30)
    assert serving.serve(again).hit_tokens == 28


def compare(calls: list[Call], num_blocks: int | None, drops: bool) -> int:
    """Serve the same calls in both servers; how many were served before the pool was full."""
    plain = PlainServer(SIZE, num_blocks, drops)
    serving = Serving(settings_of(num_blocks=num_blocks, spec_decode=drops))
    made = served(serving, calls, mixed=True)
    for one, each in zip(made, calls, strict=False):
        wanted = plain.serve(each)
        assert one.anyone is None or one.anyone.index < one.index
        best = min(one.anyone.lcp_tokens // SIZE, (each.prompt - 1) // SIZE) * SIZE if one.anyone else 0
        found = (one.hit_tokens, best, one.evicted_by)
        assert found == (wanted.hit, wanted.best, wanted.evicted_by), (one.index, calls)
    if len(made) < len(calls):
        with pytest.raises(ValueError, match="no room"):
            plain.serve(calls[len(made)])
    elif plain.pool is not None:
        removed = _removed(serving, made, calls)
        if removed is None:
            with pytest.raises(ValueError, match="no room"):
                plain.finish(float("inf"))
        else:
            plain.finish(float("inf"))
            assert removed == plain.pool.removed
    return len(made)


def _removed(serving: Serving, made: list[Served], calls: list[Call]) -> list[object] | None:
    """The contents that lost a block; None where a last reply has no room."""
    content_of = {number: content for pair in zip(made, calls, strict=True) for number, content in _contents(*pair)}
    try:
        removed = serving.all_removed()
    except ValueError:
        return None
    assert removed is not None
    return [content_of[number] for number in removed]


def _contents(one: Served, call: Call) -> list[tuple[int, object]]:
    keys, seen = one.asked.keys, call.seen
    return [(number, (keys, seen[: stop * SIZE])) for stop, number in enumerate(one.numbers[keys].tolist(), 1)]


@pytest.mark.slow
@many
@given(seeds, st.booleans())
def test_unlimited_memory_equals_the_plain_server(seed: int, drops: bool) -> None:
    for number in range(TRACES):
        calls = traffic(seed + number, keys="kkB", skips=0.1)
        assert compare(calls, None, drops) == len(calls)


@pytest.mark.slow
@many
@given(seeds, st.booleans())
def test_a_pool_equals_the_plain_server(seed: int, drops: bool) -> None:
    """Hits, who took what, and every removal in its order, with requests that overlap."""
    done = 0
    for number in range(TRACES):
        done += compare(traffic(seed + number, "kkB", skips=0.1), Random(seed + number).randint(12, 40), drops)
    assert done > TRACES, "a pool that is always full tests nothing"


@pytest.mark.slow
@many
@given(seeds, st.booleans())
def test_images_are_part_of_their_blocks_alone(seed: int, limited: bool) -> None:
    """What stands before a changed image is hit, its block and all behind it is not; also under eviction."""
    for number in range(TRACES):
        calls = with_images(seed, traffic(seed + number, "kkB"))
        compare(calls, Random(seed + number).randint(16, 40) if limited else None, drops=False)


@pytest.mark.slow
@many
@given(seeds, st.integers(12, 60))
def test_a_finite_pool_never_hits_more(seed: int, num_blocks: int) -> None:
    for number in range(TRACES // 2):
        calls = traffic(seed + number, most=20)
        finite, unlimited = hits(calls, num_blocks=num_blocks), hits(calls)
        assert all(few <= most for few, most in zip(finite, unlimited, strict=False))
    assert hits(calls, num_blocks=1000) == unlimited, "with room for everything it hits the same"
