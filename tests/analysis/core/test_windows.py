"""What a model with sliding windows lets a prompt hit: a recorded server, and what holds for any traffic."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.core.blocks import fingerprints, reusable_tokens
from analysis.core.lineage import History
from analysis.core.windows import Windows
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from tests.builders import ROOT, lines_of, log_of, tokens
from tests.traffic import shared, traffic

RECORDED = ROOT / "tests" / "data" / "recorded" / "sliding-window-block32-retention0.jsonl"
SIZE = 4
TRACES = 10  # random traces of one example
many = settings(max_examples=30, deadline=None)
seeds = st.integers(0, 2**40)

Requests = list[tuple[list[int], int]]  # ids of prompt and reply, tokens of the prompt


def requests(seed: int) -> Requests:
    return [(list(call.ids), call.prompt) for call in traffic(seed)]


def served(made: Requests, window: int, retention: int | None) -> list[int]:
    """Tokens that each request hits."""
    windows, history = Windows(SIZE, window, retention), History(SIZE)
    numbers = [history.number(fingerprints(tokens(ids), SIZE), "k") for ids, _prompt in made]
    return [SIZE * windows.serve(known, prompt) for known, (_ids, prompt) in zip(numbers, made, strict=True)]


def plain(made: Requests) -> list[int]:
    """The formula of full attention: the longest common prefix with whatever came before, in whole blocks."""
    hits = []
    for number, (ids, prompt) in enumerate(made):
        common = max((shared(other, ids[:prompt]) for other, _prompt in made[:number]), default=0)
        hits.append(reusable_tokens(common, prompt, SIZE))
    return hits


def test_the_recorded_server() -> None:
    """All 19 requests of a real server: window 256, blocks of 32, retention interval 0."""
    wanted = {number: line["oracle"]["cached_tokens"] for number, line in enumerate(lines_of(RECORDED), 1)}
    given_settings = Settings(32, "given", window=256, retention=0)
    found = analyse(log_of(RECORDED).sessions, lambda model: None, given_settings)
    predicted = {turn.turn.line: turn.reusable_tokens for session in found for turn in session.turns}
    assert predicted == wanted and len(wanted) == 19


def test_the_recorded_server_is_not_explained_by_full_attention() -> None:
    found = analyse(log_of(RECORDED).sessions, lambda model: None, Settings(32, "given"))
    missed = {turn.turn.line: turn.account.missed for session in found for turn in session.turns if turn.account}
    short = {4: 992, 7: 192, 9: 192, 13: 32, 15: 32, 16: 32, 17: 64, 18: 64}
    assert {line: tokens for line, tokens in missed.items() if tokens} == short


@many
@given(seeds, st.integers(2, 20))
def test_kept_for_ever_windows_are_full_attention(seed: int, window: int) -> None:
    for made in map(requests, range(seed, seed + TRACES)):
        assert served(made, window, None) == plain(made)
        assert served(made, window, window) == plain(made), "an interval of the window's length keeps everything too"


@many
@given(seeds, st.integers(2, 20), st.integers(0, 24))
def test_windows_never_hit_more_than_full_attention(seed: int, window: int, retention: int) -> None:
    for made in map(requests, range(seed, seed + TRACES)):
        for hit, most in zip(served(made, window, retention), plain(made), strict=True):
            assert 0 <= hit <= most and hit % SIZE == 0


@many
@given(seeds, st.integers(2, 20), st.integers(0, 24))
def test_the_same_prompt_again_hits_all_but_the_last_token(seed: int, window: int, retention: int) -> None:
    """The end of a prompt is what is kept of it."""
    for made in map(requests, range(seed, seed + TRACES)):
        ids, prompt = made[-1]
        assert served([*made, (ids[:prompt], prompt)], window, retention)[-1] == (prompt - 1) // SIZE * SIZE


@pytest.mark.parametrize(
    ("retention", "hits"),
    [
        pytest.param(0, [0, 40, 0, 20], id="only the end of the prompt and what was left twice"),
        pytest.param(16, [0, 48, 16, 20], id="and the end of every interval"),
        pytest.param(12, [0, 48, 12, 20], id="which a window of 9 needs two blocks of"),
        pytest.param(None, [0, 48, 20, 20], id="everything"),
    ],
)
def test_a_divergence_in_the_middle(retention: int | None, hits: list[int]) -> None:
    """A prompt of 42 and a reply of 6, appended to; then left at token 22 twice: the second time is hit."""
    long, reply, other = list(range(100, 142)), list(range(200, 206)), list(range(300, 320))
    made = [
        ([*long, *reply], 42),
        ([*long, *reply, 1, 2], 50),
        ([*long[:22], *other], 42),
        ([*long[:22], *other[::-1]], 42),
    ]
    assert served(made, 9, retention) == hits


def test_a_short_prompt_hits_what_reaches_back_to_its_start() -> None:
    """Fewer blocks than a window needs are enough where nothing stands before them."""
    assert served([(list(range(9)), 9), (list(range(9)), 9)], 1000, 0) == [0, 8]
