"""Of a log that has grown only what is new is rendered, as long as the renderer is what it was."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from analysis.model.renderer import Renderer
from analysis.model.session import Session, TokenIds, Turn
from analysis.pipeline import known_tokens
from analysis.pipeline.analyse import analyse
from analysis.pipeline.known_tokens import KnownTokens
from analysis.pipeline.record import records
from analysis.pipeline.tokens import RendererFor, TurnTokens, rendered_tokens
from analysis.store.reading import StoredTokens
from tests.builders import RECORDED, SAMPLES, log_of, read_log, without_ids
from tests.sample_store import GIVEN, sample_renderers

SHARED = next(path for path in SAMPLES if path.stem.startswith("13"))  # five sessions of three turns


def stored(sessions: list[Session], most: int) -> Iterator[StoredTokens]:
    """The tokens of the first lines, as an import of them stored them."""
    for one in analyse(sessions, sample_renderers().renderer_for, GIVEN):
        for found in one.turns:
            if found.turn.line <= most:
                assert found.full_ids is not None and found.prompt_tokens is not None and found.fidelity is not None
                kinds = found.prompt_tokens, found.fidelity, found.generated_basis
                yield StoredTokens(found.turn.line, found.turn.request_id, found.full_ids, *kinds)


@pytest.fixture
def sessions() -> list[Session]:
    return list(read_log(without_ids(SHARED), SHARED.name, SHARED.name).sessions)


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lines whose turns were rendered."""
    lines: list[int] = []

    def counted(session: Session, turn: Turn, renderer_for: RendererFor, last: TokenIds | None) -> TurnTokens | None:
        lines.append(turn.line)
        return rendered_tokens(session, turn, renderer_for, last)

    monkeypatch.setattr(known_tokens, "rendered_tokens", counted)
    return lines


@pytest.mark.parametrize("most", [0, 1, 7, 15])
def test_what_is_new_is_rendered(sessions: list[Session], rendered: list[int], most: int) -> None:
    known, renderer_for = KnownTokens(list(stored(sessions, most))), sample_renderers().renderer_for
    expected = records(analyse(sessions, renderer_for, GIVEN))
    found = records(analyse(sessions, renderer_for, GIVEN, tokens_of=known.tokens_of))
    assert found == expected
    assert all(
        one.tolist() == other.tolist()
        for left, right in zip(found, expected, strict=True)
        for one, other in zip(left.full_ids, right.full_ids, strict=True)
        if one is not None and other is not None
    )
    newest = {max(lines) for one in sessions if (lines := [turn.line for turn in one.turns if turn.line <= most])}
    assert sorted(rendered) == sorted([*newest, *range(most + 1, 16)])


def test_another_render_takes_nothing_over(sessions: list[Session], rendered: list[int]) -> None:
    def dated(model: str) -> Renderer | None:
        renderer = sample_renderers().renderer_for(model)
        return renderer.with_template("{{ messages }}") if renderer is not None else None  # type: ignore[attr-defined]

    known = KnownTokens(list(stored(sessions, 15)))
    changed = records(analyse(sessions, dated, GIVEN, tokens_of=known.tokens_of))
    assert changed == records(analyse(sessions, dated, GIVEN))
    assert len(rendered) == 15 + len(sessions)


def test_a_renderer_that_refuses_takes_nothing_over(sessions: list[Session]) -> None:
    def refuses(model: str) -> Renderer | None:
        raise ValueError("no")

    known = KnownTokens(list(stored(sessions, 15)))
    with pytest.raises(ValueError, match="no"):
        known.tokens_of(sessions[0], sessions[0].turns[0], refuses, None)


def test_logged_ids_go_first() -> None:
    (session,) = log_of(RECORDED[0]).sessions[:1]
    turn = session.turns[0]
    assert turn.prompt_ids is not None
    other = StoredTokens(turn.line, turn.request_id, turn.prompt_ids[:5], 5, "exact", "unknown")
    tokens = KnownTokens([other]).tokens_of(replace(session, turns=(turn,)), turn, lambda model: None, None)
    assert tokens is not None and tokens.fidelity == "logged"
