"""The desk in the store: marks that outlive an import, rates, views, and sums that agree with the analysis."""

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd
import pytest

from analysis.core.account import wasted_by_cause
from analysis.core.price import Price, Rates
from analysis.model.desk import Mark, MarkChange, View
from analysis.model.record import SessionRecord, TurnRecord
from analysis.store.imports import Import
from analysis.store.repository import Repository
from tests.sample_store import analysed_samples, fill, record_of, text_record

RECORDS = [record for analysed in analysed_samples().values() for record in analysed.records]


@pytest.fixture(scope="module")
def filled() -> Iterator[Repository]:
    repository = fill(":memory:")
    yield repository
    repository.close()


@pytest.fixture
def empty() -> Iterator[Repository]:
    repository = Repository.open(":memory:")
    yield repository
    repository.close()


def an_import(*records: SessionRecord, sha256: str = "s") -> Import:
    return Import("a.jsonl", sha256, 1, "as given", list(records))


def test_nobody_has_marked_anything_at_first(empty: Repository) -> None:
    assert (empty.desk.marks(), empty.desk.rates(), empty.desk.views()) == ({}, {}, [])


def test_several_sessions_are_marked_at_once_and_keep_what_is_not_changed(empty: Repository) -> None:
    empty.save(an_import(record_of("02"), record_of("03"), record_of("07")))
    desk = empty.desk
    desk.change_marks([1, 2], MarkChange("investigating", "ada", added=("acme", "eu")))
    desk.change_marks([2, 3], MarkChange(added=("prod", "eu"), removed=("acme",)))
    assert desk.marks() == {
        1: Mark("investigating", "ada", ("acme", "eu")),
        2: Mark("investigating", "ada", ("eu", "prod")),
        3: Mark("new", "", ("eu", "prod")),
    }
    desk.change_marks([1], MarkChange("fixed", ""))
    assert desk.marks()[1] == Mark("fixed", "", ("acme", "eu"))


def test_a_session_that_is_gone_is_not_marked(empty: Repository) -> None:
    empty.save(an_import(record_of("02")))
    empty.desk.change_marks([1, 99], MarkChange("fixed"))
    assert empty.desk.marks() == {1: Mark("fixed")}


def test_marks_stay_when_a_log_is_imported_anew_and_go_with_their_sessions(empty: Repository) -> None:
    first = empty.save(an_import(record_of("02"), record_of("03")))
    empty.desk.change_marks([1, 2], MarkChange("explained", "ada", added=("a'b",)))
    again = empty.save(an_import(record_of("02"), sha256="t"), replacing=[first])
    assert empty.desk.marks() == {1: Mark("explained", "ada", ("a'b",))}, "the other session is in no log any more"
    empty.delete(again)
    assert empty.desk.marks() == {}


def test_rates_are_kept_by_model_and_replaced_as_a_whole(empty: Repository) -> None:
    given = {"a": Rates(Price(2, 0.5, 8), 9000), "b": Rates(None, 4000), "c": Rates(Price(0, 0, 0))}
    empty.desk.set_rates(given | {"nothing": Rates()})
    assert empty.desk.rates() == given
    empty.desk.set_rates({"b": Rates(None, 1)})
    assert empty.desk.rates() == {"b": Rates(None, 1)}


def test_views_have_a_name_each(empty: Repository) -> None:
    for view in (View("worst", "order=cost"), View("Acme", "label=acme"), View("worst", "order=seconds")):
        empty.desk.save_view(view)
    assert empty.desk.views() == [View("Acme", "label=acme"), View("worst", "order=seconds")]
    empty.desk.drop_view("worst")
    empty.desk.drop_view("no such view")
    assert [view.name for view in empty.desk.views()] == ["Acme"]


def test_losses_are_those_that_the_analysis_counts_by_cause(filled: Repository) -> None:
    frame = filled.desk.losses()
    for key, record in enumerate(RECORDS, 1):
        mine = frame[frame.session_key == key]
        assert mine.groupby("code").tokens.sum().to_dict() == wasted_by_cause(record.turns), record.session_id
    assert frame.tokens.sum() > 0


def test_every_turn_has_its_figures(filled: Repository) -> None:
    frame = filled.desk.turns().set_index(["session_key", "turn"])
    for key, record in enumerate(RECORDS, 1):
        for turn in record.turns:
            row = frame.loc[key, turn.turn]
            assert known(row.prompt_tokens) == turn.prompt_tokens
            assert known(row.computed_tokens) == computed(turn)
            assert known(row.wasted_tokens) == wasted(turn), (record.session_id, turn.turn)
    assert len(frame) == sum(len(record.turns) for record in RECORDS)


def test_a_turn_says_how_long_its_first_token_took(empty: Repository) -> None:
    record = record_of("02")
    first, second = record.turns[:2]
    timed = replace(first, started_at=100.0, first_token_at=100.75)
    empty.save(
        an_import(replace(record, turns=(timed, replace(second, first_token_at=None)), full_ids=record.full_ids[:2]))
    )
    waited = empty.desk.turns().seconds_to_first_token
    assert waited[0] == 0.75 and pd.isna(waited[1])
    alone = empty.desk.timed().to_dict("records")
    assert alone == [{"model": first.model, "computed_tokens": computed(first), "seconds_to_first_token": 0.75}]


def test_sessions_add_up_by_model(filled: Repository, empty: Repository) -> None:
    wasted_tokens = filled.desk.shares().groupby("session_key").wasted_tokens.sum()
    sums = filled.sessions().set_index("session_key").sort_index()
    assert (wasted_tokens == (sums.missed_tokens + sums.lost_tokens)).all()
    record = record_of("02")
    turns = [replace(turn, model="b", client="agent/2") if turn.turn % 2 else turn for turn in record.turns]
    empty.save(an_import(replace(record, turns=tuple(turns))))
    both = empty.desk.shares().set_index("model")
    assert set(both.index) == {"b", record.model} and list(both.clients["b"]) == ["agent/2"]
    assert both.prompt_tokens["b"] == sum(turn.prompt_tokens or 0 for turn in turns if turn.model == "b")
    assert list(both.fidelities["b"]) == [record.turns[0].fidelity] and not both.unsaid_turns.any()


def test_counts_that_are_not_known_are_named(empty: Repository) -> None:
    empty.save(an_import(text_record()))
    (row,) = empty.desk.shares().itertuples()
    assert (row.num_turns, row.unsaid_turns, list(row.fidelities)) == (4, 4, ["unknown"])
    assert empty.desk.losses().empty and empty.desk.turns().wasted_tokens.isna().all()


def computed(turn: TurnRecord) -> int | None:
    if turn.prompt_tokens is None or turn.cached_tokens is None:
        return None
    return turn.prompt_tokens - turn.cached_tokens


def wasted(turn: TurnRecord) -> int | None:
    if turn.account is None:
        return None
    meant = any(cause.deliberate for cause in turn.causes)
    return 0 if meant else (turn.account.missed or 0) + turn.account.lost


def known(value: float) -> int | None:
    return None if pd.isna(value) else int(value)
