"""The triage desk in the store: marks of sessions, rates of models, saved views, and the sums the desk is sorted by.

Finds out nothing about a session: what its tokens were lost to is read as it was analysed.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager

import duckdb
import pandas as pd

from analysis.core.price import Price, Rates
from analysis.model.desk import Mark, MarkChange, View
from analysis.model.finding import UNEXPLAINED

Cursors = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]

MEASURED = """
    WITH meant AS (SELECT DISTINCT session_key, turn FROM findings WHERE deliberate),
    measured AS (
        SELECT requests.*, first_token_at - started_at AS waited, meant.turn IS NOT NULL AS is_meant,
            CASE WHEN NOT has_account THEN NULL WHEN meant.turn IS NOT NULL THEN 0
                ELSE coalesce(missed, 0) + lost END AS wasted
        FROM requests LEFT JOIN meant USING (session_key, turn))
"""

SHARES = f"""{MEASURED}
    SELECT session_key, model, count(*) AS num_turns, coalesce(sum(wasted), 0) AS wasted_tokens,
        coalesce(sum(prompt_tokens), 0) AS prompt_tokens, coalesce(sum(cached_tokens), 0) AS cached_tokens,
        coalesce(sum(output_tokens), 0) AS output_tokens,
        count(*) FILTER (prompt_tokens IS NULL OR cached_tokens IS NULL OR output_tokens IS NULL) AS unsaid_turns,
        max(started_at) AS last_at,
        coalesce(list(DISTINCT client ORDER BY client) FILTER (client IS NOT NULL), []) AS clients,
        list(DISTINCT coalesce(fidelity, 'unknown')) AS fidelities
    FROM measured GROUP BY session_key, model ORDER BY session_key, model
"""

TURNS = f"""{MEASURED}
    SELECT session_key, turn, started_at, model, client, prompt_tokens, wasted AS wasted_tokens,
        prompt_tokens - cached_tokens AS computed_tokens, waited AS seconds_to_first_token
    FROM measured ORDER BY session_key, turn
"""

TIMED = """
    SELECT model, prompt_tokens - cached_tokens AS computed_tokens,
        first_token_at - started_at AS seconds_to_first_token
    FROM requests WHERE computed_tokens IS NOT NULL AND seconds_to_first_token IS NOT NULL ORDER BY session_key, turn
"""

# Causes own what was wasted in their order, and what is left is nobody's: as wasted_by_cause counts it.
LOSSES = f"""{MEASURED},
    ranked AS (
        SELECT session_key, turn, code, wasted, coalesce(tokens, 0) AS tokens,
            coalesce(sum(tokens) OVER (PARTITION BY session_key, turn ORDER BY position
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
        FROM findings JOIN measured USING (session_key, turn) WHERE kind = 'cause' AND wasted > 0),
    owned AS (SELECT session_key, turn, code, greatest(0, least(tokens, wasted - before)) AS tokens FROM ranked),
    claimed AS (SELECT session_key, turn, sum(tokens) AS tokens FROM owned GROUP BY session_key, turn),
    lost AS (
        SELECT * FROM owned
        UNION ALL
        SELECT session_key, turn, '{UNEXPLAINED}', wasted - coalesce(claimed.tokens, 0)
        FROM measured LEFT JOIN claimed USING (session_key, turn) WHERE wasted > coalesce(claimed.tokens, 0))
    SELECT session_key, turn, code, sum(lost.tokens)::BIGINT AS tokens, any_value(started_at) AS started_at,
        any_value(model) AS model, any_value(client) AS client
    FROM lost JOIN requests USING (session_key, turn) WHERE lost.tokens > 0
    GROUP BY session_key, turn, code ORDER BY session_key, turn, code
"""


class Desk:
    """The desk of one database.  Safe to use from several threads, as the repository is that it comes from."""

    def __init__(self, reading: Cursors, writing: Cursors) -> None:
        self._reading = reading
        self._writing = writing

    def marks(self) -> dict[int, Mark]:
        """The marks of the sessions that somebody marked, by session key."""
        with self._reading() as cursor:
            rows = cursor.execute("SELECT session_key, status, assignee, labels FROM marks").fetchall()
        return {key: Mark(status, assignee, tuple(labels)) for key, status, assignee, labels in rows}

    def change_marks(self, session_keys: Iterable[int], change: MarkChange) -> None:
        """Mark these sessions, all or none of them; a session that is gone meanwhile is passed over."""
        with self._writing() as cursor:
            cursor.execute(
                """INSERT OR REPLACE INTO marks
                SELECT session_key, coalesce($status, status, 'new'), coalesce($assignee, assignee, ''),
                    list_sort(list_distinct(list_filter(
                        list_concat(coalesce(labels, []), $added::VARCHAR[]),
                        lambda label: NOT list_contains($removed::VARCHAR[], label)))), now()
                FROM sessions LEFT JOIN marks USING (session_key) WHERE list_contains($keys::BIGINT[], session_key)""",
                {
                    "status": change.status,
                    "assignee": change.assignee,
                    "added": list(change.added),
                    "removed": list(change.removed),
                    "keys": list(session_keys),
                },
            )

    def rates(self) -> dict[str, Rates]:
        """What people gave for models, by model."""
        with self._reading() as cursor:
            rows = cursor.execute(
                "SELECT model, uncached, cached, output, prefill FROM rates ORDER BY model"
            ).fetchall()
        return {
            model: Rates(None if uncached is None else Price(uncached, cached, output), prefill)
            for model, uncached, cached, output, prefill in rows
        }

    def set_rates(self, given: Mapping[str, Rates]) -> None:
        """Keep these rates in place of all earlier ones; a model with nothing given is not kept."""
        kept = [(model, rates) for model, rates in given.items() if rates != Rates()]
        with self._writing() as cursor:
            cursor.execute("TRUNCATE rates")
            for model, rates in kept:
                price = rates.price
                parts = [price.uncached, price.cached, price.output] if price else [None, None, None]
                cursor.execute("INSERT INTO rates VALUES (?, ?, ?, ?, ?)", [model, *parts, rates.prefill])

    def views(self) -> list[View]:
        """The saved views in the order of their names."""
        with self._reading() as cursor:
            rows = cursor.execute("SELECT name, query FROM views ORDER BY lower(name), name").fetchall()
        return [View(name, query) for name, query in rows]

    def save_view(self, view: View) -> None:
        """Keep a view in place of an earlier one of this name."""
        with self._writing() as cursor:
            cursor.execute("INSERT OR REPLACE INTO views VALUES (?, ?)", [view.name, view.query])

    def drop_view(self, name: str) -> None:
        """Forget a view."""
        with self._writing() as cursor:
            cursor.execute("DELETE FROM views WHERE name = ?", [name])

    def shares(self) -> pd.DataFrame:
        """One row per session and model: its turns and tokens, and how many turns lack a count that a cost needs."""
        return self._frame(SHARES)

    def turns(self) -> pd.DataFrame:
        """One row per turn: when, for which model and client, wasted and computed tokens, seconds to the first token.

        Unknown is NaN: without an account no wasted tokens, without ``cached_tokens`` no computed ones.
        """
        return self._frame(TURNS)

    def timed(self) -> pd.DataFrame:
        """Model, computed tokens and seconds to the first token of the turns that have both."""
        return self._frame(TIMED)

    def losses(self) -> pd.DataFrame:
        """One row per turn and cause with the wasted tokens it owns; all rows of a turn add up to what it wasted."""
        return self._frame(LOSSES)

    def _frame(self, query: str) -> pd.DataFrame:
        with self._reading() as cursor:
            frame: pd.DataFrame = cursor.sql(query).df()
        return frame


def drop_lost_marks(cursor: duckdb.DuckDBPyConnection) -> None:
    """Forget the marks of sessions that are gone; one that was imported anew has kept its key, and its mark."""
    cursor.execute("DELETE FROM marks WHERE session_key NOT IN (SELECT session_key FROM sessions)")
