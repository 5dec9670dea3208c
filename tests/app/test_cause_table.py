"""The causes of the sessions that are listed: sums of the store, and the sessions of some of them."""

import pandas as pd

from app.cause_table import ranked, with_cause
from tests.sample_store import analysed_samples, fill


def test_causes_are_ranked_by_what_they_cost_and_lead_to_their_sessions() -> None:
    repository = fill(":memory:")
    causes, sessions = repository.causes(), repository.sessions()
    repository.close()
    records = [record for analysed in analysed_samples().values() for record in analysed.records]
    wanted: dict[str, int] = {}
    names: dict[str, set[str]] = {}
    for record in records:
        for cause in [cause for turn in record.turns for cause in turn.causes if not cause.deliberate]:
            wanted[cause.code] = wanted.get(cause.code, 0) + (cause.tokens or 0)
            names.setdefault(cause.code, set()).add(record.session_id)
    frame = ranked(causes, sessions)
    assert dict(zip(frame.code, frame.tokens.astype(int), strict=True)) == wanted
    assert frame.tokens.tolist() == sorted(frame.tokens.tolist(), reverse=True)
    assert frame.words[frame.code == "key/cache-salt"].tolist() == ["the cache salt changed"]
    assert dict(zip(frame.code, frame.sessions, strict=True)) == {code: len(found) for code, found in names.items()}
    for code, expected in names.items():
        assert {*sessions.session_id[sessions.session_key.isin(with_cause(causes, (code,)))]} == expected
    assert with_cause(causes, ()) == set()


CAUSES = pd.DataFrame(
    {"session_key": [1, 1, 2, 3], "code": ["a", "b", "a", "c"], "tokens": [10, 30, 5, None], "turns": [1, 2, 3, 4]}
)


def test_only_listed_sessions_count() -> None:
    frame = ranked(CAUSES, pd.DataFrame({"session_key": [2, 3]}))
    assert frame.code.tolist() == ["a", "c"] and frame.turns.tolist() == [3, 4]
    assert frame.share.tolist()[0] == 1 and pd.isna(frame.tokens[1]) and pd.isna(frame.share[1])
    assert ranked(CAUSES, pd.DataFrame({"session_key": []})).empty
