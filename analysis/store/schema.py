"""The tables, as numbered migrations: a database is brought to the newest version one step at a time.

A migration is never changed once it has been released; a new need is a new function at the end.
"""

import secrets
from collections.abc import Callable

import duckdb

Migration = Callable[[duckdb.DuckDBPyConnection], None]


def m001_sessions(connection: duckdb.DuckDBPyConnection) -> None:
    """Imports, sessions, requests, their tokens and blocks, findings and the texts of tokens."""
    connection.execute("""
        CREATE SEQUENCE import_keys;
        CREATE SEQUENCE session_keys;
        CREATE TABLE imports (
            import_key BIGINT PRIMARY KEY, file VARCHAR NOT NULL, sha256 VARCHAR NOT NULL, num_bytes BIGINT NOT NULL,
            settings VARCHAR NOT NULL, imported_at TIMESTAMPTZ NOT NULL DEFAULT now());
        CREATE TABLE problems (
            import_key BIGINT NOT NULL, session_key BIGINT, file VARCHAR NOT NULL, line INTEGER,
            message VARCHAR NOT NULL);
        CREATE TABLE sessions (
            session_key BIGINT PRIMARY KEY, import_key BIGINT NOT NULL, session_id VARCHAR NOT NULL,
            source VARCHAR NOT NULL, file VARCHAR NOT NULL, log_format VARCHAR NOT NULL, model VARCHAR NOT NULL,
            inferred BOOLEAN NOT NULL, settings JSON NOT NULL, reconciliation JSON);
        CREATE TABLE requests (
            session_key BIGINT NOT NULL, turn INTEGER NOT NULL, line INTEGER NOT NULL, request_id VARCHAR NOT NULL,
            model VARCHAR NOT NULL, salt VARCHAR, started_at DOUBLE, ended_at DOUBLE, note VARCHAR,
            prompt_tokens INTEGER, output_tokens INTEGER, cached_tokens INTEGER, cached_basis VARCHAR NOT NULL,
            fidelity VARCHAR, generated_basis VARCHAR NOT NULL, lcp_tokens INTEGER, best_tokens INTEGER,
            reusable_tokens INTEGER, ideal_tokens INTEGER, donor_session VARCHAR, donor_turn INTEGER,
            donor_lcp INTEGER, previous_turn INTEGER, previous_lcp INTEGER, has_account BOOLEAN NOT NULL,
            cached INTEGER, missed INTEGER, rounding INTEGER, lost INTEGER, new INTEGER, unreported INTEGER,
            beyond_prediction INTEGER, PRIMARY KEY (session_key, turn));
        CREATE TABLE divergences (
            session_key BIGINT NOT NULL, turn INTEGER NOT NULL, token INTEGER NOT NULL, block INTEGER NOT NULL,
            path VARCHAR, char INTEGER, role VARCHAR, previous_path VARCHAR, previous_char INTEGER,
            previous_role VARCHAR, segment_basis VARCHAR, before VARCHAR, old VARCHAR, new VARCHAR);
        CREATE TABLE findings (
            session_key BIGINT NOT NULL, turn INTEGER NOT NULL, position INTEGER NOT NULL, kind VARCHAR NOT NULL,
            code VARCHAR NOT NULL, confidence VARCHAR, segment VARCHAR, tokens INTEGER, recovers INTEGER,
            evidence VARCHAR NOT NULL, fix VARCHAR, hidden BOOLEAN, deliberate BOOLEAN);
        CREATE TABLE request_tokens (
            session_key BIGINT NOT NULL, turn INTEGER NOT NULL, prefix_tokens INTEGER NOT NULL,
            suffix_ids INTEGER[] NOT NULL);
        CREATE TABLE block_runs (
            session_key BIGINT NOT NULL, turn INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL,
            state UTINYINT NOT NULL);
        CREATE TABLE token_text (model VARCHAR NOT NULL, id INTEGER NOT NULL, bytes BLOB NOT NULL,
            PRIMARY KEY (model, id));
    """)


def m002_plan(connection: duckdb.DuckDBPyConnection) -> None:
    """The fix plan of a session; sessions that were stored before have none."""
    connection.execute("ALTER TABLE sessions ADD COLUMN plan JSON")


def m003_text(connection: duckdb.DuckDBPyConnection) -> None:
    """What a log says of its turns beside their tokens, comparisons by text, renderers by model, and refused files."""
    connection.execute("""
        ALTER TABLE requests ADD COLUMN lineage VARCHAR;
        ALTER TABLE requests ADD COLUMN client VARCHAR;
        ALTER TABLE requests ADD COLUMN completeness VARCHAR[];
        ALTER TABLE requests ADD COLUMN first_token_at DOUBLE;
        CREATE TABLE text_comparisons (
            session_key BIGINT NOT NULL, turn INTEGER NOT NULL, previous INTEGER NOT NULL,
            equal_messages INTEGER NOT NULL, equal_chars BIGINT NOT NULL, previous_chars BIGINT NOT NULL,
            path VARCHAR, char INTEGER, role VARCHAR, previous_path VARCHAR, previous_char INTEGER,
            previous_role VARCHAR, before VARCHAR, old VARCHAR, new VARCHAR);
        CREATE TABLE renderers (model VARCHAR PRIMARY KEY, kind VARCHAR NOT NULL, value VARCHAR NOT NULL);
        CREATE TABLE refused (file VARCHAR PRIMARY KEY, message VARCHAR NOT NULL,
            refused_at TIMESTAMPTZ NOT NULL DEFAULT now());
    """)


def m004_notes(connection: duckdb.DuckDBPyConnection) -> None:
    """Annotations and cases with all their states, and the key of the digests that find an annotation's text again."""
    connection.execute("""
        CREATE SEQUENCE note_keys;
        CREATE SEQUENCE case_keys;
        CREATE SEQUENCE pin_keys;
        CREATE TABLE notes (note_key BIGINT PRIMARY KEY, session_key BIGINT NOT NULL, anchor JSON NOT NULL);
        CREATE TABLE note_versions (
            note_key BIGINT NOT NULL, version INTEGER NOT NULL, author VARCHAR NOT NULL,
            written_at TIMESTAMPTZ NOT NULL DEFAULT now(), words VARCHAR, PRIMARY KEY (note_key, version));
        CREATE TABLE case_versions (
            case_key BIGINT NOT NULL, version INTEGER NOT NULL, author VARCHAR NOT NULL,
            written_at TIMESTAMPTZ NOT NULL DEFAULT now(), words JSON, PRIMARY KEY (case_key, version));
        CREATE TABLE case_sessions (case_key BIGINT NOT NULL, session_key BIGINT NOT NULL, side VARCHAR);
        CREATE TABLE pinned_findings (
            pin_key BIGINT NOT NULL, case_key BIGINT NOT NULL, position BIGINT NOT NULL, finding JSON NOT NULL,
            author VARCHAR NOT NULL, written_at TIMESTAMPTZ NOT NULL DEFAULT now());
        CREATE TABLE digest_key (bytes BLOB NOT NULL);
    """)
    connection.execute("INSERT INTO digest_key VALUES (?)", [secrets.token_bytes(32)])


def m005_desk(connection: duckdb.DuckDBPyConnection) -> None:
    """Status, assignee and labels of sessions, prices and prefill rates of models, and saved views."""
    connection.execute("""
        CREATE TABLE marks (session_key BIGINT PRIMARY KEY, status VARCHAR NOT NULL, assignee VARCHAR NOT NULL,
            labels VARCHAR[] NOT NULL, changed_at TIMESTAMPTZ NOT NULL DEFAULT now());
        CREATE TABLE rates (model VARCHAR PRIMARY KEY, uncached DOUBLE, cached DOUBLE, output DOUBLE, prefill DOUBLE);
        CREATE TABLE views (name VARCHAR PRIMARY KEY, query VARCHAR NOT NULL);
    """)


MIGRATIONS: tuple[Migration, ...] = (m001_sessions, m002_plan, m003_text, m004_notes, m005_desk)


def version_of(connection: duckdb.DuckDBPyConnection) -> int:
    """The version of the tables there; 0 where there are none."""
    tables = connection.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'schema_version'").fetchone()
    if tables == (0,):
        return 0
    row = connection.execute("SELECT max(version) FROM schema_version").fetchone()
    return int(row[0]) if row and row[0] is not None else 0


def migrate(connection: duckdb.DuckDBPyConnection, migrations: tuple[Migration, ...] = MIGRATIONS) -> None:
    """Bring the database to the newest version in one transaction; raise ValueError for one from the future."""
    connection.execute("BEGIN")
    try:
        connection.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
        version = version_of(connection)
        if version > len(migrations):
            raise ValueError(f"schema version {version} is newer than this Whymiss knows ({len(migrations)})")
        for number, migration in enumerate(migrations[version:], version + 1):
            migration(connection)
            connection.execute("INSERT INTO schema_version VALUES (?)", [number])
        connection.execute("COMMIT")
    except (duckdb.Error, ValueError):
        connection.execute("ROLLBACK")
        raise
