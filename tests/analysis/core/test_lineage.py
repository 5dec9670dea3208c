"""The donor: the earlier request whose whole blocks the prompt could reuse."""

from collections.abc import Hashable

import numpy as np
import pytest

from analysis.core.blocks import fingerprints
from analysis.core.lineage import Candidate, History, Numbers, leading
from analysis.model.session import TokenIds
from tests.builders import tokens

SIZE = 4
A, B, C = range(0, 4), range(10, 14), range(20, 24)


def numbered(made: History, ids: TokenIds, *scopes: Hashable) -> dict[Hashable, Numbers]:
    return {scope: made.number(fingerprints(ids, SIZE), scope) for scope in scopes}


def history(*sequences: TokenIds, scope: str = "k") -> History:
    made = History(SIZE)
    for ids in sequences:
        made.add(ids, numbered(made, ids, scope))
    return made


def donor(made: History, prompt: TokenIds, scope: str = "k", preferred: Candidate | None = None) -> Candidate | None:
    return made.donor(prompt, made.number(fingerprints(prompt, SIZE), scope), scope, preferred)


@pytest.mark.parametrize(
    ("earlier", "prompt", "found"),
    [
        pytest.param([], tokens(A), None, id="nothing served yet"),
        pytest.param([tokens(A)], tokens(B), None, id="nothing shared"),
        pytest.param([tokens(A)], tokens(A, B), Candidate(0, 4), id="a whole donor"),
        pytest.param([tokens(A, B), tokens(A)], tokens(A, B, C), Candidate(0, 8), id="most blocks, not the latest"),
        pytest.param([tokens(A, 1), tokens(A, 2)], tokens(A, 1, 1), Candidate(1, 4), id="equal blocks: the latest"),
        pytest.param([tokens(0, 1, 9), tokens(0, 8)], tokens(A), Candidate(1, 1), id="under a block: the latest"),
        pytest.param([tokens(A)], tokens(0, 1), Candidate(0, 2), id="a prompt of less than a block"),
        pytest.param([tokens(A)], tokens(), None, id="an empty prompt"),
        pytest.param([tokens()], tokens(A), None, id="an empty donor"),
    ],
)
def test_donor(earlier: list[TokenIds], prompt: TokenIds, found: Candidate | None) -> None:
    assert donor(history(*earlier), prompt) == found


def test_the_previous_turn_wins_ties() -> None:
    made = history(tokens(A, 1), tokens(A, 2), tokens(A, B, 3))
    assert donor(made, tokens(A, 9), preferred=Candidate(0, 4)) == Candidate(0, 4)
    assert donor(made, tokens(A, B), preferred=Candidate(0, 4)) == Candidate(2, 8), "but not against more blocks"


def test_scopes_share_nothing() -> None:
    made = history(tokens(A, B), scope="salt A")
    assert donor(made, tokens(A, B, C), scope="salt B") is None
    assert donor(made, tokens(A, B, C), scope="salt A") == Candidate(0, 8)


def test_one_request_may_stand_in_several_scopes() -> None:
    made = History(SIZE)
    assert made.add(tokens(A), numbered(made, tokens(A), "keys", "session")) == 0
    assert made.add(tokens(B), numbered(made, tokens(B), "keys")) == 1
    assert donor(made, tokens(B, C), "session") is None
    assert donor(made, tokens(B, C), "keys") == Candidate(1, 4)


def test_a_reply_can_be_hit_once_it_was_written() -> None:
    made, whole = History(SIZE), tokens(A, B)
    numbers = numbered(made, whole, "k")
    index = made.add(tokens(A), {"k": numbers["k"][:1]})
    assert (donor(made, tokens(A, B, C)), made.tokens_of(index)) == (Candidate(0, 4), 4)
    made.extend(index, whole, numbers)
    assert (donor(made, tokens(A, B, C)), made.tokens_of(index)) == (Candidate(0, 8), 8)
    assert made.num_requests == 1


def test_a_request_that_ends_late_is_not_the_latest() -> None:
    """Of two with the same blocks the one that came last is the donor, whoever ended last."""
    made = history(tokens(A), tokens(A))
    made.extend(0, tokens(A, B), numbered(made, tokens(A, B), "k"))
    assert donor(made, tokens(A, C)) == Candidate(1, 4)
    assert donor(made, tokens(0, 1, 9)) == Candidate(1, 2)


def test_numbers_tell_blocks_of_a_scope_apart() -> None:
    made = History(SIZE)
    first = made.number(fingerprints(tokens(A, B, A), SIZE), "k")
    again = made.number(fingerprints(tokens(A, B, C), SIZE), "k", first, 2)
    other = made.number(fingerprints(tokens(A, B, A), SIZE), "another")
    assert len(set(first.tolist())) == 3, "a number stands for all tokens up to a block's end"
    assert again[:2].tolist() == first[:2].tolist() and again[2] not in first
    assert not set(other.tolist()) & set(first.tolist())


def test_numbers_taken_over_are_those_found_anew() -> None:
    """However much is said to be known: no more than there is."""
    made, ids = History(1), tokens(range(3000))
    blocks = fingerprints(ids, 1)
    known = made.number(blocks, "k")
    for count in (0, 1, 2999, 3000, 9999):
        assert np.array_equal(made.number(blocks, "k", known, count), known)
    assert np.array_equal(made.number(blocks[:10], "k", known, 9999), known[:10])


@pytest.mark.parametrize(
    ("flags", "count"), [([], 0), ([True, True], 2), ([True, False, True], 1), ([False], 0)], ids=str
)
def test_leading(flags: list[bool], count: int) -> None:
    assert leading(np.array(flags, bool)) == count
