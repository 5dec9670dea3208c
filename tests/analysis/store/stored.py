"""Small imports, and what a person sees of a database."""

from typing import Any

from analysis.model.record import SessionRecord
from analysis.store.imports import Import
from analysis.store.repository import Repository


def an_import(*records: SessionRecord, sha256: str = "s", **fields: Any) -> Import:
    return Import("a.jsonl", sha256, 10, "as given", records, **fields)


def key_of(repository: Repository, record: SessionRecord) -> int:
    query = "SELECT session_key FROM sessions WHERE session_id = ? AND source = ?"
    ((key,),) = repository.transactions.rows(query, record.session_id, record.source)
    return int(key)


def contents(repository: Repository) -> tuple[Any, ...]:
    """All that a person can see of a database."""
    frames = (repository.imports(), repository.sessions(), repository.problems())
    return repository.version(), *(frame.to_json(date_format="iso") for frame in frames)
