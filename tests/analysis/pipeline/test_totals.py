"""The short way to a session's tokens gives what the whole history gives."""

from dataclasses import replace

import pytest

from analysis.model.plan import Tokens
from analysis.model.settings import Settings
from analysis.pipeline import totals
from analysis.pipeline.analyse import analyse
from analysis.pipeline.totals import Totals
from analysis.pipeline.what_if import Renders, as_sent, figures, replayed
from analysis.render.errors import RenderError
from tests.builders import ByteRenderer, session

SESSIONS = [
    session("You are kind and short.", "a", "yes", "b", "no", "c", salts=("x", "y", "y")),
    session("You are kind and short.", "a", "yes", "z", salts=("x", "x")),
    session("You are not.", "a", "yes", "b", salts=("y", "x")),
]


def known(settings: Settings) -> Totals:
    return Totals(analyse(SESSIONS, lambda model: ByteRenderer(), settings), Renders(lambda model: ByteRenderer()))


@pytest.mark.parametrize("settings", [Settings(4), Settings(2), Settings(4, num_blocks=100), Settings(4, window=16)])
@pytest.mark.parametrize("index", range(len(SESSIONS)))
@pytest.mark.parametrize("salt", ["x", "y", "other"])
def test_it_agrees_with_the_whole_history(settings: Settings, index: int, salt: str) -> None:
    mine = known(settings)
    sent = [replace(one, request=replace(one.request, salt=salt)) for one in as_sent(mine.history[index])]
    whole = figures(replayed(mine.history, {index: sent}, mine.renders, settings)[index])
    expected = Tokens(sum(turn.prompt_tokens for turn in whole), sum(turn.reusable_tokens for turn in whole))
    assert mine.of(index, sent, {}) == expected
    assert mine.of(index, sent, {(index + 1) % 3: as_sent(mine.history[(index + 1) % 3])}) == expected


def test_recorded() -> None:
    mine = known(Settings(4))
    prompt, reusable = (
        sum(getattr(turn, name) for turn in mine.history[0].turns) for name in ("prompt_tokens", "reusable_tokens")
    )
    assert mine.recorded(0) == Tokens(prompt, reusable)


def test_a_long_log_is_not_gone_through_for_one_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(totals, "MANY_TURNS", 3)
    mine = known(Settings(4, num_blocks=100))
    with pytest.raises(RenderError, match="too long to go through"):
        mine.of(0, as_sent(mine.history[0]), {})
    plain = known(Settings(4))
    assert plain.of(0, as_sent(plain.history[0]), {}) == plain.recorded(0)
