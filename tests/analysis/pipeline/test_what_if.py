"""Changed requests go through the history again; what cannot be rendered has a reason and no figure."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from analysis.causes.fixes import Sent
from analysis.model.finding import SessionAnalysis
from analysis.model.renderer import Renderer
from analysis.model.session import Request, Session, TokenIds
from analysis.model.settings import Settings
from analysis.pipeline import what_if as module
from analysis.pipeline.analyse import analyse
from analysis.pipeline.what_if import Renders, as_sent, figures, replayed, what_if
from tests.builders import ByteRenderer, of_turns, request, session, tokens, user

SIZE = Settings(block_size=4)


class Counting(ByteRenderer):
    """Counts its renders."""

    def __init__(self) -> None:
        super().__init__()
        self.renders = 0

    def prompt_ids(self, request: Request, at: float | None) -> TokenIds:
        self.renders += 1
        return super().prompt_ids(request, at)


def salted() -> Session:
    return session("Be kind.", "a", "yes", "b", "no", "c", salts=("x", "y", "y"))


def history(*sessions: Session, renderer: Renderer | None = None) -> list[SessionAnalysis]:
    return analyse(sessions, lambda model: renderer or ByteRenderer(), SIZE)


def with_kwarg(sent: Sequence[Sent]) -> list[Sent]:
    return [replace(one, request=replace(one.request, template_kwargs={"new": True})) for one in sent]


def with_salt(sent: Sequence[Sent], salt: str) -> list[Sent]:
    return [replace(one, request=replace(one.request, salt=salt)) for one in sent]


def test_a_change_is_shown_before_and_after() -> None:
    found = history(salted())
    shown = what_if("one salt", 0, found, {0: with_salt(as_sent(found[0]), "x")}, Renders(lambda model: ByteRenderer()))
    assert shown.reason is None and [turn.turn for turn in shown.after] == [1, 2, 3]
    assert [turn.reusable_tokens for turn in shown.before][1] == 0 < [turn.reusable_tokens for turn in shown.after][1]
    assert [turn.prompt_tokens for turn in shown.before] == [turn.prompt_tokens for turn in shown.after]
    for turn in shown.after:
        assert turn.account is not None and turn.account.cached is None
        told = turn.account
        parts = (told.reusable_unreported, told.rounding, told.lost, told.new)
        assert sum(part for part in parts if part is not None) == turn.prompt_tokens


def test_nothing_changed_is_what_was() -> None:
    found = history(salted(), session("Be kind.", "a", "yes", "z"))
    again = replayed(found, {0: as_sent(found[0])}, Renders(lambda model: None), SIZE)
    for before, after in zip(found, again, strict=True):
        assert [turn.reusable_tokens for turn in before.turns] == [turn.reusable_tokens for turn in after.turns]
        for one, other in zip(before.turns, after.turns, strict=True):
            assert one.full_ids is not None and np.array_equal(one.full_ids, other.full_ids)


def test_other_sessions_stay_as_they_were() -> None:
    found = history(salted(), session("Be kind.", "a", "yes", "z", salts=("x", "x")))
    again = replayed(found, {0: with_salt(as_sent(found[0]), "z")}, Renders(lambda model: ByteRenderer()), SIZE)
    assert again[1].turns[0].reusable_tokens == 0 < (found[1].turns[0].reusable_tokens or 0)


def test_nothing_is_rendered_twice() -> None:
    renderer = Counting()
    found = history(salted(), renderer=renderer)
    renders, changed = Renders(lambda model: renderer), with_kwarg(as_sent(found[0]))
    replayed(found, {0: changed}, renders, SIZE)
    once = renderer.renders
    replayed(found, {0: changed}, renders, SIZE)
    assert renderer.renders == once == 2 * len(changed)  # for the analysis, and changed


def test_ids_of_a_log_are_rendered_once_to_see_that_they_come_out_alike() -> None:
    renderer, plain = Counting(), salted()
    logged = of_turns(*(replace(one, prompt_ids=renderer.prompt_ids(one.request, None)) for one in plain.turns))
    found = history(logged)
    renderer.renders = 0
    replayed(found, {0: with_kwarg(as_sent(found[0]))}, Renders(lambda model: renderer), SIZE)
    assert renderer.renders == 2 * len(logged.turns)


@pytest.mark.parametrize(
    ("renderer", "reason"),
    [
        pytest.param(None, "no tokenizer for the model “bytes”", id="no tokenizer"),
        pytest.param(ByteRenderer(keep_reasoning=False), "does not render as the server rendered it", id="another one"),
    ],
)
def test_what_cannot_be_rendered_has_no_figure(renderer: Renderer | None, reason: str) -> None:
    plain = salted()
    ids = [tokens(range(40)) if renderer else ByteRenderer().prompt_ids(turn.request, None) for turn in plain.turns]
    logged = of_turns(*(replace(turn, prompt_ids=prompt) for turn, prompt in zip(plain.turns, ids, strict=True)))
    found = history(logged)
    shown = what_if("a kwarg", 0, found, {0: with_kwarg(as_sent(found[0]))}, Renders(lambda model: renderer))
    assert shown.after == () and reason in (shown.reason or "")


def test_a_salt_shows_in_no_token_so_nothing_is_rendered() -> None:
    found = history(salted())
    shown = what_if("one salt", 0, found, {0: with_salt(as_sent(found[0]), "x")}, Renders(lambda model: None))
    assert shown.reason is None and len(shown.after) == 3


def test_turns_without_tokens_are_left_out() -> None:
    found = analyse([salted()], lambda model: None, SIZE)
    assert figures(found[0]) == ()
    shown = what_if("a kwarg", 0, found, {0: with_kwarg(as_sent(found[0]))}, Renders(lambda model: ByteRenderer()))
    assert "tokens of turn 1 are unknown" in (shown.reason or "")


def test_renders_are_remembered_as_long_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_TOKENS", 60)
    renderer = Counting()
    renders = Renders(lambda model: renderer)
    one, other, long = (Sent(request(user(text)), 0.0) for text in ("one", "other", "long " * 20))
    counts = []
    for sent in (one, other, one, long, long, one):
        renders.as_sent(sent)
        counts.append(renderer.renders)
    assert counts == [1, 2, 2, 3, 3, 4]
