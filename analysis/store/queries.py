"""What the lists of the dashboard ask of the store: sessions, causes, models and problems, one row each."""

from analysis.causes.measurement import REPLY_FORM
from analysis.model.session import HEADLESS

_HEADLESS = f"fidelity IS NULL AND coalesce(list_has_any(completeness, {sorted(HEADLESS)}), false)"
_UNRENDERABLE = f"""CASE WHEN bool_or({_HEADLESS} AND prompt_tokens IS NOT NULL)
            THEN count(*) FILTER ({_HEADLESS}) ELSE 0 END"""

SESSIONS = f"""
    WITH meant AS (SELECT DISTINCT session_key, turn, true AS is_meant FROM findings WHERE deliberate),
    marked AS (SELECT requests.*, coalesce(is_meant, false) AS is_meant
        FROM requests LEFT JOIN meant USING (session_key, turn)),
    costliest AS (
        SELECT session_key, arg_max(turn, lost) FILTER (NOT is_meant) AS turn, count(*) AS num_divergences
        FROM divergences JOIN marked USING (session_key, turn) GROUP BY session_key),
    by_code AS (
        SELECT session_key, deliberate, code, coalesce(sum(tokens), 0) AS tokens, count(*) AS times FROM findings
        WHERE kind = 'cause' AND (position = 0 OR tokens > 0) GROUP BY session_key, deliberate, code),
    named AS (
        SELECT session_key, list(code ORDER BY deliberate, tokens DESC, times DESC, code) AS codes FROM by_code
        GROUP BY session_key),
    replies AS (SELECT DISTINCT session_key, turn, true AS is_reply FROM findings WHERE code = '{REPLY_FORM}'),
    by_text AS (
        SELECT session_key, count(*) AS turns,
            count(*) FILTER (path IS NOT NULL AND NOT is_meant AND is_reply IS NULL) AS changes,
            count(*) FILTER (path IS NOT NULL AND NOT is_meant AND is_reply) AS replies,
            count(*) FILTER (path IS NOT NULL AND is_meant) AS meant,
            arg_max({{'turn': turn, 'path': path, 'role': role}}, (previous_chars - equal_chars, -turn))
                FILTER (path IS NOT NULL AND NOT is_meant AND is_reply IS NULL) AS most
        FROM text_comparisons JOIN marked USING (session_key, turn) LEFT JOIN replies USING (session_key, turn)
        GROUP BY session_key),
    short AS (
        SELECT session_key, list(DISTINCT turn ORDER BY turn) AS turns
        FROM findings JOIN marked USING (session_key, turn)
        WHERE kind = 'cause' AND tokens > 0 AND fidelity IS NULL AND NOT is_meant AND NOT starts_with(code, 'key/')
        GROUP BY session_key)
    SELECT sessions.session_key, sessions.import_key, session_id, source, file, sessions.model, inferred,
        count(*) AS num_turns, coalesce(any_value(num_divergences), 0) AS num_divergences,
        min(started_at) AS started_at, coalesce(sum(prompt_tokens), 0) AS prompt_tokens,
        count(cached_tokens) AS known_turns,
        coalesce(sum(prompt_tokens) FILTER (cached_tokens IS NOT NULL), 0) AS known_prompt_tokens,
        coalesce(sum(cached_tokens), 0) AS cached_tokens, coalesce(sum(reusable_tokens), 0) AS reusable_tokens,
        coalesce(sum(missed) FILTER (NOT is_meant), 0) AS missed_tokens,
        coalesce(sum(lost) FILTER (NOT is_meant), 0) AS lost_tokens,
        count(*) FILTER (fidelity IS NULL) AS unknown_turns,
        count(*) FILTER (fidelity = 'mismatch') AS mismatched_turns,
        any_value(costliest.turn) AS costliest_turn, any_value(path) AS costliest_path,
        any_value(divergences.char) AS costliest_char, any_value(role) AS costliest_role,
        coalesce(any_value(codes), []) AS causes,
        coalesce(any_value(by_text.turns), 0) AS text_turns, coalesce(any_value(by_text.changes), 0) AS text_changes,
        coalesce(any_value(by_text.meant), 0) AS text_meant, coalesce(any_value(by_text.replies), 0) AS text_replies,
        {_UNRENDERABLE} AS headless_turns, coalesce(any_value(short.turns), []) AS short_turns,
        any_value(most.turn) AS text_turn, any_value(most.path) AS text_path, any_value(most.role) AS text_role,
        list(cached_tokens / prompt_tokens ORDER BY marked.turn)
            FILTER (cached_tokens IS NOT NULL AND prompt_tokens > 0) AS hit_rates
    FROM sessions JOIN marked USING (session_key)
        LEFT JOIN costliest USING (session_key)
        LEFT JOIN named USING (session_key)
        LEFT JOIN by_text USING (session_key)
        LEFT JOIN short USING (session_key)
        LEFT JOIN divergences
            ON divergences.session_key = sessions.session_key AND divergences.turn = costliest.turn
    GROUP BY ALL
    ORDER BY missed_tokens + lost_tokens DESC, sessions.session_key
"""

CAUSES = """
    SELECT session_key, code, sum(tokens) AS tokens, count(DISTINCT turn) AS turns
    FROM findings WHERE kind = 'cause' AND NOT deliberate
    GROUP BY session_key, code ORDER BY session_key, code
"""

MODELS = f"""
    SELECT requests.model, count(DISTINCT requests.session_key) AS num_sessions, count(*) AS num_turns,
        {_UNRENDERABLE} AS headless_turns,
        count(*) FILTER (fidelity IS NULL) AS unknown_turns,
        count(*) FILTER (fidelity = 'mismatch') AS mismatched_turns,
        list(DISTINCT import_key ORDER BY import_key) AS import_keys
    FROM requests JOIN sessions USING (session_key)
    GROUP BY requests.model ORDER BY unknown_turns DESC, mismatched_turns DESC, num_turns DESC, requests.model
"""

PROBLEMS = """
    SELECT import_key, file, line, message FROM problems
    UNION ALL SELECT NULL, file, NULL, message FROM refused
    ORDER BY import_key DESC NULLS FIRST, file, line
"""

# The sessions of an import with calls that another one has as well, and the name of its log.  A call is known by its
# start, its figures, and the session or the id that it has.
REPEATED = """
    WITH calls AS (
        SELECT import_key, session_key, requests.model, started_at, ended_at, output_tokens, cached_tokens,
            unnest([if(inferred, NULL, 'session ' || session_id),
                if(regexp_matches(request_id, $made_up), NULL, 'request ' || request_id)]) AS name
        FROM requests JOIN sessions USING (session_key) WHERE started_at IS NOT NULL)
    SELECT DISTINCT mine.session_key, imports.import_key, imports.file
    FROM calls AS mine JOIN calls AS theirs ON mine.name = theirs.name
        AND mine.started_at = theirs.started_at AND mine.model = theirs.model
        AND mine.ended_at IS NOT DISTINCT FROM theirs.ended_at
        AND mine.output_tokens IS NOT DISTINCT FROM theirs.output_tokens
        AND mine.cached_tokens IS NOT DISTINCT FROM theirs.cached_tokens
        AND mine.import_key <> theirs.import_key
    JOIN imports ON imports.import_key = theirs.import_key
    WHERE mine.import_key = $import_key ORDER BY imports.import_key, mine.session_key
"""
