"""An import that is interrupted goes on with the tokens it had found."""

import os
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from analysis.model.renderer import Renderer
from analysis.model.session import Session, TokenIds
from analysis.pipeline.analyse import analyse
from analysis.pipeline.checkpoint import ENDING, STALE_SECONDS, Checkpoint, checkpoint
from analysis.pipeline.record import records
from analysis.pipeline.tokens import TurnTokens, rendered_tokens
from tests.builders import SAMPLES, log_of, read_log, without_ids
from tests.sample_store import GIVEN, sample_renderers

FAULTY = next(path for path in SAMPLES if path.stem.startswith("06"))  # three faults: it diverges again and again
SHARED = next(path for path in SAMPLES if path.stem.startswith("13"))  # several sessions


class Counted:
    """Renders, and counts how often."""

    def __init__(self) -> None:
        self.turns = 0

    def __call__(self, model: str) -> Renderer | None:
        self.turns += 1
        return sample_renderers().renderer_for(model)


def sessions_of(path: Path) -> list[Session]:
    """The sessions of a sample as a log without token ids gives them."""
    return list(read_log(without_ids(path), path.name, path.name).sessions)


def walked(folder: Path, sessions: list[Session], stop_after: int | None = None) -> tuple[list[TurnTokens | None], int]:
    """The tokens of the turns up to one of them, and how many of them were rendered."""
    kept, counted = checkpoint(folder, "this import"), Counted()
    found: list[TurnTokens | None] = []
    last: dict[int, TokenIds] = {}
    for session in sessions:
        for turn in session.turns:
            if stop_after is not None and len(found) >= stop_after:
                break
            tokens = kept.tokens_of(session, turn, counted, last.get(id(session)))
            found.append(tokens)
            if tokens is not None:
                last[id(session)] = tokens.full_ids
    kept.close()
    return found, counted.turns


def same(one: TurnTokens | None, other: TurnTokens | None) -> bool:
    assert one is not None and other is not None
    kinds = [(it.prompt_tokens, it.fidelity, it.generated_basis, it.media, it.full_ids.dtype) for it in (one, other)]
    return kinds[0] == kinds[1] and np.array_equal(one.full_ids, other.full_ids)


@pytest.mark.parametrize("path", [FAULTY, SHARED], ids=lambda path: path.stem)
@pytest.mark.parametrize("stop_after", [0, 1, 3])
def test_it_goes_on_where_it_was(tmp_path: Path, path: Path, stop_after: int) -> None:
    sessions = sessions_of(path)
    total = sum(len(session.turns) for session in sessions)
    whole, rendered = walked(tmp_path / "whole", sessions)
    assert rendered == len(whole) == total
    assert walked(tmp_path, sessions, stop_after)[1] == stop_after
    resumed, rendered = walked(tmp_path, sessions)
    assert rendered == total - stop_after
    assert all(map(same, whole, resumed))
    assert walked(tmp_path, sessions)[1] == 0


def test_an_analysis_from_known_tokens_is_the_same(tmp_path: Path) -> None:
    sessions, renderer_for = sessions_of(FAULTY), sample_renderers().renderer_for
    expected = records(analyse(sessions, renderer_for, GIVEN))
    for _again in range(2):
        kept = checkpoint(tmp_path, "this import")
        assert records(analyse(sessions, renderer_for, GIVEN, tokens_of=kept.tokens_of)) == expected
        kept.close()


@pytest.mark.parametrize("cut", [1, 5, 30, 200])
def test_a_record_that_was_cut_off_is_found_anew(tmp_path: Path, cut: int) -> None:
    sessions = sessions_of(FAULTY)
    whole, _rendered = walked(tmp_path, sessions)
    (file,) = tmp_path.glob(f"*{ENDING}")
    os.truncate(file, file.stat().st_size - cut)
    resumed, rendered = walked(tmp_path, sessions)
    assert all(map(same, whole, resumed)) and 1 <= rendered <= 2
    assert walked(tmp_path, sessions)[1] == 0


def test_a_damaged_file_is_found_anew(tmp_path: Path) -> None:
    sessions = sessions_of(FAULTY)
    whole, total = walked(tmp_path, sessions)
    (file,) = tmp_path.glob(f"*{ENDING}")
    for damaged, rendered in ((b"something else", total), (file.read_bytes()[:100] + b"\xff" * 4000, total)):
        file.write_bytes(damaged)
        assert walked(tmp_path, sessions)[1] == rendered
        assert all(map(same, whole, walked(tmp_path, sessions)[0]))


def test_another_import_has_a_file_of_its_own(tmp_path: Path) -> None:
    for name in ("one", "other", "one"):
        checkpoint(tmp_path, name).close()
    assert len(list(tmp_path.iterdir())) == 2
    checkpoint(tmp_path, "one").drop()
    assert len(list(tmp_path.iterdir())) == 1
    checkpoint(tmp_path, "other").drop()
    assert not tmp_path.exists()


def test_what_was_interrupted_long_ago_is_forgotten(tmp_path: Path) -> None:
    old = checkpoint(tmp_path, "old")
    old.close()
    os.utime(old.path, (0, old.path.stat().st_mtime - STALE_SECONDS - 1))
    checkpoint(tmp_path, "new").close()
    assert not old.path.exists()


def test_logged_ids_and_errors_are_not_kept(tmp_path: Path) -> None:
    (session,) = log_of(next(path for path in SAMPLES if path.stem.startswith("03"))).sessions
    logged = [turn for turn in session.turns if turn.prompt_ids is not None]

    def refuses(model: str) -> Renderer | None:
        raise ValueError("no")

    kept = checkpoint(tmp_path, "x")
    for turn in logged:
        assert kept.tokens_of(session, turn, lambda model: None, None) is not None
    with pytest.raises(ValueError, match="no"):
        kept.tokens_of(session, sessions_of(FAULTY)[0].turns[0], refuses, None)
    size = kept.path.stat().st_size
    kept.close()
    assert kept.path.stat().st_size == size


def test_a_full_disk_does_not_stop_an_import() -> None:
    class Full(BytesIO):
        def write(self, data: object) -> int:
            raise OSError(28, "No space left on device")

    (session,) = sessions_of(FAULTY)
    kept = Checkpoint(Path("x"), Full(), iter(()), rendered_tokens)
    for turn in session.turns[:2]:
        assert kept.tokens_of(session, turn, sample_renderers().renderer_for, None) is not None
    kept.close()
