"""What the repository lists: the causes of a session in its row, and what other sessions asked meanwhile."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from analysis.model.finding import Cause, Note
from analysis.model.record import SessionRecord
from analysis.store.imports import Import
from analysis.store.repository import Repository
from tests.sample_store import analysed_samples, fill, record_of


@pytest.fixture
def empty() -> Iterator[Repository]:
    repository = Repository.open(":memory:")
    yield repository
    repository.close()


def an_import(*records: SessionRecord, sha256: str = "s") -> Import:
    return Import("a.jsonl", sha256, 10, "as given", records)


def stating(record: SessionRecord, *causes: tuple[tuple[str, int], ...], name: str = "s") -> SessionRecord:
    """A session of one turn per list of causes, each a code with its tokens."""
    turns = tuple(
        replace(
            record.turns[0],
            turn=number,
            causes=tuple(Cause(code, "certain", None, tokens, None, "seen", "undo") for code, tokens in stated),
            notes=(Note("a/note", "why"),),
        )
        for number, stated in enumerate(causes, 1)
    )
    return replace(record, session_id=name, turns=turns, full_ids=(None,) * len(turns))


@pytest.mark.parametrize(
    ("causes", "codes"),
    [
        pytest.param([(("x", 5),)], ["x"], id="one"),
        pytest.param([(("x", 5),), (("y", 9),)], ["y", "x"], id="the most tokens first"),
        pytest.param([(("x", 5),), (("y", 9),), (("x", 5),)], ["x", "y"], id="tokens of all turns together"),
        pytest.param([(("x", 5), ("y", 99))], ["y", "x"], id="all that own tokens"),
        pytest.param([(("x", 5), ("y", 0))], ["x"], id="what owns nothing behind another is an alternative"),
        pytest.param([(("x", 0),)], ["x"], id="the first cause counts without tokens"),
        pytest.param([(), ()], [], id="none, and a note is none"),
    ],
)
def test_the_causes_of_a_session(
    empty: Repository, causes: list[tuple[tuple[str, int], ...]], codes: list[str]
) -> None:
    record = record_of("03")
    empty.save(an_import(stating(record, *causes), stating(record, (("z", 1),), name="another")))
    found = {row.session_id: list(row.causes) for row in empty.sessions().itertuples(index=False)}
    assert found == {"s": codes, "another": ["z"]}


def test_the_causes_of_the_samples() -> None:
    repository = fill(":memory:")
    listed = {(row.source, row.session_id): list(row.causes) for row in repository.sessions().itertuples(index=False)}
    repository.close()
    records = [record for analysed in analysed_samples().values() for record in analysed.records]
    assert len(listed) == len(records)
    for record in records:
        codes = {one.code for turn in record.turns for at, one in enumerate(turn.causes) if one.tokens or not at}
        assert sorted(listed[record.source, record.session_id]) == sorted(codes)


def started(record: SessionRecord, name: str, *times: float | None) -> SessionRecord:
    turns = tuple(replace(record.turns[0], turn=number, started_at=at) for number, at in enumerate(times, 1))
    return replace(record, session_id=name, turns=turns, full_ids=(None,) * len(turns))


@pytest.mark.parametrize(
    ("start", "stop", "found"),
    [
        pytest.param(
            0.0, 99.0, [("b", 1), ("c", 1), ("b", 2)], id="by start time, other sessions and known times only"
        ),
        pytest.param(20.0, 30.0, [("c", 1), ("b", 2)], id="both ends belong to it"),
        pytest.param(20.5, 29.5, [], id="nothing in between"),
        pytest.param(30.0, 20.0, [], id="the wrong way round"),
    ],
)
def test_what_other_sessions_of_the_server_asked_meanwhile(
    empty: Repository, start: float, stop: float, found: list[tuple[str, int]]
) -> None:
    record = record_of("03")
    asking = started(record, "a", 10.0, 25.0)
    others = started(record, "b", 15.0, 30.0, None), started(record, "c", 20.0)
    empty.save(an_import(asking, *others))
    empty.save(an_import(started(record, "another server", 22.0), sha256="t"))
    rows = empty.sessions()
    (key,) = rows[rows.session_id == "a"].session_key
    between = empty.between(int(key), start, stop)
    assert list(zip(between.session_id, between.turn, strict=True)) == found
    first = record.turns[0]
    assert set(between.prompt_tokens) <= {first.prompt_tokens} and set(between.cached_tokens) <= {first.cached_tokens}


def test_calls_of_two_imports_are_found(empty: Repository) -> None:
    record = record_of("01")
    keys = [empty.save(Import(f"{name}.jsonl", name, 1, "{}", [record])) for name in "ab"]
    assert [empty.repeated(key) for key in keys] == [(1, ("b.jsonl",)), (1, ("a.jsonl",))]
    timeless = replace(record, turns=tuple(replace(turn, started_at=None) for turn in record.turns))
    assert empty.repeated(empty.save(Import("c.jsonl", "c", 1, "{}", [timeless]))) == (0, ())
