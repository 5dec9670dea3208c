"""The donor: the earlier request whose whole blocks the prompt could reuse."""

import pytest

from analysis.core.blocks import fingerprints
from analysis.core.lineage import Candidate, History
from analysis.model.session import TokenIds
from tests.builders import tokens

SIZE = 4
A, B, C = range(0, 4), range(10, 14), range(20, 24)


def history(*sequences: TokenIds, scope: str = "k") -> History:
    made = History(SIZE)
    for ids in sequences:
        made.add(ids, fingerprints(ids, SIZE), (scope,))
    return made


def donor(made: History, prompt: TokenIds, scope: str = "k", preferred: Candidate | None = None) -> Candidate | None:
    return made.donor(prompt, fingerprints(prompt, SIZE), scope, preferred)


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
    assert made.add(tokens(A), fingerprints(tokens(A), SIZE), ("keys", "session")) == 0
    assert made.add(tokens(B), fingerprints(tokens(B), SIZE), ("keys",)) == 1
    assert donor(made, tokens(B, C), "session") is None
    assert donor(made, tokens(B, C), "keys") == Candidate(1, 4)
