"""One import: what is read, what is kept of it, and what a second import changes."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from analysis.formats.base import FormatError, UnknownFormat
from analysis.model.settings import Settings
from analysis.pipeline import resuming
from analysis.pipeline.importing import already_stored, analyse_source, import_source, store
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.sources import LogFile, Source, joined, read_source
from analysis.pipeline.tokens import rendered_tokens
from analysis.store.repository import Repository
from tests.builders import RECORDED, ROOT, SAMPLE_MODEL, SAMPLES, lines_of, log_of, without_ids
from tests.sample_store import GIVEN, fill, sample, sample_renderers

SALTED = next(path for path in RECORDED if path.stem == "cache-salt-rotated")
FAULTY = next(path for path in SAMPLES if path.stem.startswith("06"))
LOOP = next(path for path in RECORDED if path.stem == "clean-tool-loop")


@pytest.fixture
def repository() -> Iterator[Repository]:
    repository = Repository.open(":memory:")
    yield repository
    repository.close()


def request(text: str, **fields: Any) -> bytes:
    return json.dumps({"model": "m", "messages": [{"role": "user", "content": text}], **fields}).encode() + b"\n"


def source(*files: bytes, name: str = "log.jsonl") -> Source:
    return Source(name, tuple(LogFile(f"{name}{number or ''}", data) for number, data in enumerate(files)))


def keep(repository: Repository, source: Source, renderers: Renderers | None = None, size: int = 16) -> int:
    renderers = renderers or sample_renderers()
    return store(analyse_source(source, renderers, Settings(size, "given")), renderers, repository)


def counts(repository: Repository) -> Sequence[tuple[Any, ...]]:
    tables = ("imports", "sessions", "requests", "divergences", "request_tokens", "block_runs", "problems")
    return [repository.transactions.rows(f"SELECT count(*) FROM {table}")[0] for table in (*tables, "token_text")]


def test_a_file_is_read_by_its_name_alone() -> None:
    found = read_source(LOOP)
    assert found.name == LOOP.name and [file.name for file in found.files] == [LOOP.name]
    assert found.num_bytes == LOOP.stat().st_size


def test_a_folder_is_the_history_of_one_server(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.json", "c.ndjson", "d.log"):
        (tmp_path / name).write_bytes(request(name))
    (tmp_path / "notes.txt").write_text("no log")
    (tmp_path / "folder.jsonl").mkdir()
    found = read_source(tmp_path)
    assert found.name == tmp_path.name
    assert [file.name for file in found.files] == ["a.json", "b.jsonl", "c.ndjson", "d.log"]


def test_a_folder_without_logs_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"no log in this folder \(looked for \*\.jsonl"):
        read_source(tmp_path)


def test_a_file_that_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_source(tmp_path / "none.jsonl")


def test_a_fingerprint_is_that_of_the_content() -> None:
    one, two = request("one"), request("two")
    assert source(one).sha256 == source(one, name="other").sha256
    assert len({source(one).sha256, source(two).sha256, source(one, two).sha256, source(two, one).sha256}) == 4
    assert source(one, two).num_bytes == len(one) + len(two)


def test_joined_sources_are_one_server() -> None:
    together = joined([source(request("a"), name="a"), source(request("b"), request("c"), name="b")])
    assert together.name == "a + b" and [file.name for file in together.files] == ["a", "b", "b1"]


def test_sessions_of_one_source_share_blocks_and_those_of_two_do_not() -> None:
    first = LOOP.read_bytes().splitlines(keepends=True)[0]
    second = first.replace(b'"session_id":"', b'"session_id":"other-', 1).replace(b"chatcmpl-", b"chatcmpl-other-")
    assert first.count(b"chatcmpl-") > 0 and first != second
    renderers = Renderers()
    alone = analyse_source(source(second), renderers, GIVEN)
    shared = analyse_source(joined([source(first, name="a"), source(second, name="b")]), renderers, GIVEN)
    assert [turn.reusable_tokens for record in alone.records for turn in record.turns] == [0]
    assert shared.records[-1].turns[0].reusable_tokens > 0  # type: ignore[operator]


def test_progress_counts_bytes_and_turns() -> None:
    said: list[tuple[str, int, int]] = []
    analyse_source(read_source(LOOP), Renderers(), GIVEN, progress=lambda *step: said.append(step))
    size = LOOP.stat().st_size
    assert said[0][0] == "bytes read" and ("bytes read", size, size) in said
    assert ("turns analysed", 8, 8) in said and said[-1] == ("fix plans made", 1, 1)


def test_one_bad_file_among_good_ones_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "good.jsonl").write_bytes(LOOP.read_bytes())
    (tmp_path / "bad.log").write_bytes(b"\x00\x01binary")
    (tmp_path / "empty.json").write_bytes(b"")
    analysed = analyse_source(read_source(tmp_path), Renderers(), GIVEN)
    assert len(analysed.records) == 1
    said = {problem.file: problem.message for problem in analysed.problems}
    assert said["bad.log"].startswith(
        "binary data, and no log that Whymiss reads. Read it as a format of your choice with --format"
    )
    assert said["empty.json"].startswith("the file is empty")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "log.jsonl: the file is empty"),
        (b"\x00\xff", "log.jsonl: binary data"),
        (b"hello", "log.jsonl: text, and no log"),
    ],
)
def test_nothing_to_read_is_an_error(data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        analyse_source(source(data), Renderers(), GIVEN)


def test_a_format_can_be_named() -> None:
    named = analyse_source(source(request("a")), Renderers(), GIVEN, "openai-chat")
    assert named.records[0].log_format == "openai-chat"
    with pytest.raises(UnknownFormat, match="no format is called 'nonesuch'; there are: openai-chat"):
        analyse_source(source(request("a")), Renderers(), GIVEN, "nonesuch")


def test_a_missing_tokenizer_is_one_problem_per_model() -> None:
    data = request("a") + request("b") + request("c", model="n")
    problems = analyse_source(source(data), Renderers(), GIVEN).problems
    missing = [problem.message for problem in problems if problem.message.startswith("no tokenizer")]
    assert len(missing) == 2
    assert "“m”: the log has no token ids" in missing[0] and "--model" in missing[0] and "“n”" in missing[1]
    with_ids = analyse_source(read_source(LOOP), Renderers(), GIVEN).problems
    assert "its figures come from the ids in the log" in with_ids[-1].message


def test_what_no_tokenizer_can_mend_is_said_as_it_is() -> None:
    trajectory = ROOT / "tests" / "data" / "formats" / "swe-agent" / "test-repo.traj"
    nameless = analyse_source(read_source(trajectory), Renderers(), GIVEN).problems[-1].message
    assert nameless.startswith("the log names no model: the log has no token ids")
    assert nameless.endswith(" Name its tokenizer under Add logs, or with --model.")
    codex = read_source(ROOT / "tests" / "data" / "formats" / "codex" / "small.jsonl")
    end = "so no tokenizer can give its tokens. Log whole requests with `whymiss record`."
    for renderers in (Renderers(), Renderers(model=str(SAMPLE_MODEL))):
        problems = analyse_source(codex, renderers, GIVEN).problems
        assert f"This log leaves out the tools, {end}" in [problem.message for problem in problems]


def test_every_problem_is_listed_once() -> None:
    analysed = analyse_source(source(b"{broken\n" + request("a") + b"{again\n"), Renderers(), GIVEN)
    assert len(analysed.all_problems) == len(set(analysed.all_problems))
    assert set(analysed.problems) <= set(analysed.all_problems)


def test_importing_twice_changes_nothing(repository: Repository) -> None:
    key = keep(repository, read_source(LOOP))
    before = repository.version(), counts(repository), repository.imports().to_json(date_format="iso")
    again = read_source(LOOP)
    assert already_stored(again, sample_renderers(), GIVEN, repository)
    assert keep(repository, again) == key
    renamed = Source("renamed.jsonl", (LogFile("renamed.jsonl", LOOP.read_bytes()),))
    assert keep(repository, renamed) == key
    assert (repository.version(), counts(repository), repository.imports().to_json(date_format="iso")) == before


def test_a_file_that_has_grown_replaces_what_it_was(repository: Repository) -> None:
    lines = LOOP.read_bytes().splitlines(keepends=True)
    first = keep(repository, source(b"".join(lines[:5])))
    (session_key,) = repository.sessions().session_key
    grown = source(b"".join(lines))
    assert not already_stored(grown, sample_renderers(), GIVEN, repository)
    assert keep(repository, grown) != first
    assert repository.imports().num_sessions.tolist() == [1]
    assert repository.sessions().num_turns.tolist() == [len(lines)]
    assert repository.sessions().session_key.tolist() == [session_key], "a link to it stays good"


def test_another_file_of_the_same_name_replaces_nothing(repository: Repository) -> None:
    keep(repository, source(LOOP.read_bytes()))
    keep(repository, source(SALTED.read_bytes()))
    assert len(repository.imports()) == 2


WRONG = "does not make the token ids of this log"


def with_other_ids() -> bytes:
    """The loop with ids that no render of the sample model has."""
    lines = lines_of(LOOP)
    for turn in log_of(LOOP).sessions[0].turns:
        assert turn.prompt_ids is not None
        lines[turn.line - 1]["prompt_token_ids"] = ((turn.prompt_ids * 7 + 1) % 4096).tolist()
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def test_a_tokenizer_that_is_not_the_one_of_the_log_names_no_field(repository: Repository) -> None:
    renderers = Renderers(str(SAMPLE_MODEL))
    analysed = analyse_source(source(with_other_ids()), renderers, GIVEN)
    assert [problem.line for problem in analysed.problems if WRONG in problem.message] == [1], "said once"
    assert analysed.wrong_models == {"qwen3-tiny"}
    turns = [turn for record in analysed.records for turn in record.turns]
    assert {turn.fidelity for turn in turns} == {"logged"} and all(turn.reusable_tokens is not None for turn in turns)
    assert all(turn.divergence is None or turn.divergence.segment is None for turn in turns)
    store(analysed, renderers, repository)
    assert counts(repository)[-1] == (0,)


def test_the_tokenizer_of_a_log_is_not_called_wrong(repository: Repository) -> None:
    analysed = sample("02")
    assert analysed.wrong_models == frozenset() and not any(WRONG in it.message for it in analysed.problems)
    store(analysed, sample_renderers(), repository)
    assert counts(repository)[-1] > (0,)


@pytest.mark.parametrize(
    ("renderers", "size"),
    [(None, 32), (Renderers(str(SAMPLE_MODEL)), 16)],
    ids=["another block size", "another renderer"],
)
def test_another_way_of_reading_replaces(repository: Repository, renderers: Renderers | None, size: int) -> None:
    keep(repository, sample("03").source)
    assert not already_stored(sample("03").source, renderers or sample_renderers(), Settings(size, "given"), repository)
    keep(repository, sample("03").source, renderers, size)
    (key,) = repository.sessions().session_key
    record = repository.session(int(key))
    assert record is not None and record.settings.block_size == size
    assert len(repository.imports()) == 1


def test_a_stored_session_is_read_without_its_tokenizer() -> None:
    repository = fill(":memory:", "02")
    (key,) = repository.sessions().session_key
    ids = repository.full_ids(int(key))
    model = sample("02").records[0].model
    texts = repository.token_bytes(model, {token for turn in ids.values() for token in turn.tolist()})
    text = b"".join(texts[token] for token in ids[1].tolist()).decode()
    first = lines_of(next(path for path in Path(SAMPLE_MODEL).parent.glob("02*")))[0]["request"]
    assert first["messages"][0]["content"].strip() in text and text.startswith("<|im_start|>system\n")
    repository.close()


def test_without_a_tokenizer_no_texts_are_kept(repository: Repository) -> None:
    keep(repository, read_source(LOOP), Renderers())
    assert counts(repository)[-1] == (0,)


def test_no_salt_and_no_header_reaches_the_store(repository: Repository) -> None:
    lines = lines_of(SALTED)
    salts = {line["request"]["cache_salt"] for line in lines}
    for line in lines:
        line["request_headers"] = {"authorization": "Bearer sk-secret", "cookie": "id=secret", "x-session-id": "s"}
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    keep(repository, source(data), Renderers())
    tables = [name for (name,) in repository.transactions.rows("SELECT table_name FROM information_schema.tables")]
    kept = "".join(
        repr(repository.transactions.rows(f"SELECT * FROM {name}")) for name in tables if name != "request_tokens"
    )
    assert len(salts) == 2 and "salt A" in kept and "salt B" in kept
    assert not [secret for secret in (*salts, "sk-secret", "id=secret") if secret in kept]


def test_no_body_reaches_the_store(repository: Repository) -> None:
    """Beside tokens and their texts, only the few words around a divergence are kept."""
    keep(repository, source(request("A quite unmistakable sentence.", session_id="s")), Renderers())
    tables = [name for (name,) in repository.transactions.rows("SELECT table_name FROM information_schema.tables")]
    assert "unmistakable" not in "".join(repr(repository.transactions.rows(f"SELECT * FROM {name}")) for name in tables)


def test_a_large_import_that_stops_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resuming, "LARGE_IMPORT", 0)
    repository = Repository.open(tmp_path / "db.duckdb")
    log, rendered = source(without_ids(FAULTY)), []

    def stop(stage: str, done: int, total: int) -> None:
        if (stage, done) == ("turns analysed", 3):
            raise KeyboardInterrupt

    def counted(*asked: Any) -> Any:
        rendered.append(asked[1].number)
        return rendered_tokens(*asked)

    monkeypatch.setattr(resuming, "rendered_tokens", counted)
    with pytest.raises(KeyboardInterrupt):
        import_source(log, sample_renderers(), GIVEN, repository, progress=stop)
    assert rendered == [1, 2, 3] and repository.imports().empty
    assert len(list((tmp_path / "db.duckdb.unfinished").iterdir())) == 1
    found = import_source(log, sample_renderers(), GIVEN, repository)
    assert rendered == [turn.turn for turn in found.records[0].turns]
    assert found.records == analyse_source(log, sample_renderers(), GIVEN).records
    assert not (tmp_path / "db.duckdb.unfinished").exists()
    repository.close()


def test_a_small_import_and_one_in_memory_leave_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_disk, in_memory = Repository.open(tmp_path / "db.duckdb"), Repository.open(":memory:")
    import_source(sample("03").source, sample_renderers(), GIVEN, on_disk)
    monkeypatch.setattr(resuming, "LARGE_IMPORT", 0)
    import_source(sample("03").source, sample_renderers(), GIVEN, in_memory)
    assert len(on_disk.imports()) == len(in_memory.imports()) == 1
    on_disk.close()
    assert [file.name for file in tmp_path.iterdir()] == ["db.duckdb"]


def test_an_import_goes_on_without_a_checkpoint_where_none_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resuming, "LARGE_IMPORT", 0)
    (tmp_path / "db.duckdb.unfinished").write_text("a file where the folder should be")
    repository = Repository.open(tmp_path / "db.duckdb")
    import_source(sample("03").source, sample_renderers(), GIVEN, repository)
    assert len(repository.imports()) == 1
    repository.close()
