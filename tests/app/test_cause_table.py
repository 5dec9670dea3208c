"""The causes of all sessions: sums of the store, and the sessions of one of them."""

from app.cause_table import with_cause
from tests.sample_store import analysed_samples, fill


def test_causes_are_ranked_by_what_they_cost_and_lead_to_their_sessions() -> None:
    repository = fill(":memory:")
    frame, sessions = repository.causes(), repository.sessions()
    repository.close()
    records = [record for analysed in analysed_samples().values() for record in analysed.records]
    wanted: dict[str, int] = {}
    names: dict[str, set[str]] = {}
    for record in records:
        for cause in [cause for turn in record.turns for cause in turn.causes if not cause.deliberate]:
            wanted[cause.code] = wanted.get(cause.code, 0) + cause.tokens
            names.setdefault(cause.code, set()).add(record.session_id)
    assert dict(zip(frame.code, frame.tokens.astype(int), strict=True)) == wanted
    assert frame.tokens.tolist() == sorted(frame.tokens.tolist(), reverse=True)
    assert "key/cache-salt" in wanted, "the samples hold a rotated salt"
    for code, expected in names.items():
        assert set(with_cause(sessions, frame, code).session_id) == expected
