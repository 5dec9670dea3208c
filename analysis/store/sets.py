"""What two sets of sessions are held against each other by, a row per session: the sums that a baseline is made of.

The same figures as ``analysis.report.baseline`` takes from records, without reading every turn of thousands of
sessions.  Finds out nothing and compares nothing.
"""

import pandas as pd

from analysis.store.desk import MEASURED, Cursors

_CONDITIONS = {  # over which turns a sum is taken, by its name and what is added up
    "rendered_tokens": ("prompt_tokens", "is_rendered"),
    "reusable_tokens": ("reusable_tokens", "is_rendered"),
    "known_tokens": ("prompt_tokens", "cached_tokens IS NOT NULL"),
    "cached_tokens": ("cached_tokens", "prompt_tokens IS NOT NULL"),
    "prompt_tokens": ("prompt_tokens", "true"),
    "checked_tokens": ("prompt_tokens", "has_account"),
    "lost_tokens": ("lost", "has_account AND NOT is_meant"),
    "reported_tokens": ("prompt_tokens", "has_account AND missed IS NOT NULL"),
    "missed_tokens": ("missed", "has_account AND NOT is_meant"),
    "following_tokens": ("prompt_tokens", "ideal_tokens IS NOT NULL"),
    "ideal_tokens": ("ideal_tokens", "true"),
}
SUMS = ("num_turns", *_CONDITIONS)
_COLUMNS = ", ".join(
    f"coalesce(sum({column}) FILTER ({condition}), 0)::BIGINT AS {name}"
    for name, (column, condition) in _CONDITIONS.items()
)
SETS = f"""{MEASURED},
    sums AS (
        SELECT session_key, count(*) AS num_turns, {_COLUMNS} FROM (
            SELECT *, reusable_tokens IS NOT NULL AND fidelity IS DISTINCT FROM 'mismatch' AS is_rendered FROM measured)
        GROUP BY session_key)
    SELECT session_key, session_id, inferred, settings::VARCHAR AS settings, sums.* EXCLUDE session_key
    FROM sums JOIN sessions USING (session_key) ORDER BY session_key
"""

# A session's first turn is kept whole: the tokens of its prompt, then those of the reply.
OPENINGS = """
    WITH first AS (SELECT session_key, min(turn) AS turn FROM requests GROUP BY session_key)
    SELECT session_key, hash(list_slice(suffix_ids, 1, prompt_tokens)) AS opening
    FROM request_tokens JOIN first USING (session_key, turn) JOIN requests USING (session_key, turn)
    WHERE prefix_tokens = 0 AND prompt_tokens > 0 AND fidelity IS DISTINCT FROM 'mismatch'
"""


class Sets:
    """The sums of one database's sessions.  Safe to use from several threads, as the repository it comes from."""

    def __init__(self, reading: Cursors) -> None:
        self._reading = reading

    def sums(self) -> pd.DataFrame:
        """One row per session: its id, whether that was made up, its settings as JSON, and the columns of ``SUMS``."""
        return self._frame(SETS)

    def openings(self) -> pd.DataFrame:
        """A digest of the tokens of the first prompt by session key, where they are known and can be trusted."""
        return self._frame(OPENINGS)

    def _frame(self, query: str) -> pd.DataFrame:
        with self._reading() as cursor:
            frame: pd.DataFrame = cursor.sql(query).df()
        return frame
