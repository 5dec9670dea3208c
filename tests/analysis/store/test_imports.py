"""Imports as rows: replaced and forgotten whole, and a session keeps its key."""

from dataclasses import replace

from analysis.model.session import Problem
from analysis.store.repository import Repository
from tests.analysis.store.stored import an_import, key_of
from tests.sample_store import record_of


def test_replacing_and_deleting_leave_nothing_behind(empty: Repository) -> None:
    problem = Problem("a.jsonl", 3, "odd")
    first = empty.save(an_import(replace(record_of("02"), problems=(problem,)), problems=[problem]))
    second = empty.save(an_import(record_of("07"), sha256="t"), replacing=[first])
    assert empty.sessions().session_id.tolist() == [record_of("07").session_id]
    assert empty.problems().empty
    empty.delete(second)
    tables = ("imports", "sessions", "requests", "divergences", "findings", "request_tokens", "block_runs", "problems")
    for table in tables:
        assert empty.transactions.rows(f"SELECT count(*) FROM {table}") == [(0,)], table


def test_a_session_of_a_replaced_import_keeps_its_key(empty: Repository) -> None:
    first = empty.save(an_import(record_of("03"), record_of("07")))
    keys = {record: key_of(empty, record_of(record)) for record in ("03", "07")}
    grown = replace(record_of("07"), turns=record_of("07").turns[:3], full_ids=record_of("07").full_ids[:3])
    empty.save(an_import(record_of("02"), grown, sha256="t"), replacing=[first])
    assert key_of(empty, grown) == keys["07"]
    assert key_of(empty, record_of("02")) not in keys.values()
    assert empty.session(keys["07"], with_runs=True) == grown and list(empty.full_ids(keys["07"])) == [1, 2, 3]
    assert empty.session(keys["03"]) is None
