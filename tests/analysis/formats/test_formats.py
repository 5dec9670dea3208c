"""The registry: exactly one format says yes, and what is no log is said in one line."""

import contextlib
import gzip
import json
import random
import textwrap
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import analysis.formats as formats
from analysis.formats import FORMATS, detect, named
from analysis.formats.base import HEAD_BYTES, Format, FormatError, UnknownFormat
from tests.builders import RECORDED, ROOT, SAMPLES, read_log
from tests.format_samples import FORMAT_SAMPLES, mutated, packed

FORMAT_OF = {**dict.fromkeys((*SAMPLES, *RECORDED), "openai-chat"), **FORMAT_SAMPLES}
NO_LOGS = {
    "binary": b"\x7fELF\x02\x01\x01" + bytes(57),
    "an image": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01",
    "compressed": gzip.compress(SAMPLES[0].read_bytes()),
    "zeros": bytes(64),
    "text": b"hello, world\n",
    "other JSON": b'{"a": 1}\n',
    "a number": b"42",
}


@pytest.mark.parametrize("path", FORMAT_OF, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_only_its_own_format_says_yes(path: Path) -> None:
    head = path.read_bytes()[:HEAD_BYTES]
    assert [known.name for known in FORMATS if known.sniff(head)] == [FORMAT_OF[path]]
    assert detect(head, path.name).name == FORMAT_OF[path]


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_every_format_has_a_file_and_says_its_limits(known: Format) -> None:
    assert known.name in FORMAT_OF.values()
    assert known.title and known.limitations


@pytest.mark.parametrize("data", NO_LOGS.values(), ids=NO_LOGS)
def test_no_format_says_yes_to_what_is_no_log(data: bytes) -> None:
    with pytest.raises(
        UnknownFormat,
        match=r"^f\.bin: (binary data|text), and no log that Whymiss reads\..* Tried: openai-chat looks for a",
    ):
        read_log(data, "f.bin", "f.bin")


@pytest.mark.parametrize(
    ("kind", "called"),
    [("binary", "binary data"), ("an image", "binary data"), ("compressed", "binary data"), ("text", "text")],
)
def test_binary_data_is_called_so(kind: str, called: str) -> None:
    with pytest.raises(UnknownFormat, match=f"^f: {called}, and no log"):
        detect(NO_LOGS[kind], "f")


LINE = b'{"request": {"model": "m", "messages": [{"role": "user", "content": "hi"}]}}\n'
ANSWER_FIRST = json.dumps({"response": {"choices": [{"message": {"content": "x" * (1 << 20)}}]}}).encode()
LOGS = {
    "a first line cut off at its start": b'ent": "hi"}]}}\n' + LINE,
    "a first line cut off at its end": LINE[:30] + b"\n" + LINE,
    "a comment above": b"# written by the proxy\n" + LINE,
    "leading zeros": bytes(4096) + LINE,
    "a line of zeros in between": LINE + bytes(64) + b"\n" + LINE,
    "zeros before a line": LINE + bytes(64) + LINE,
    "blank lines": b" \r\n\n" * 1000 + LINE,
    "a byte order mark": b"\xef\xbb\xbf" + LINE,
    "a request behind a megabyte of response": ANSWER_FIRST[:-1] + b", " + LINE[1:],
}


@pytest.mark.parametrize("data", LOGS.values(), ids=LOGS)
def test_a_log_is_known_whatever_stands_around_its_requests(data: bytes) -> None:
    assert detect(data[:HEAD_BYTES], "f").name == "openai-chat"
    turns = [turn for session in read_log(data, "f", "f").sessions for turn in session.turns]
    assert [turn.request.model for turn in turns] == ["m"] * data.count(LINE[1:])


def test_a_file_of_blank_lines_is_judged_at_once() -> None:
    """A search that began anew at every line would take hours here."""
    assert not any(known.sniff(b"\n" * (1 << 20) + b"x") for known in FORMATS)


def test_two_formats_that_say_yes_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "FORMATS", (FORMATS[0], FORMATS[0]))
    with pytest.raises(UnknownFormat, match=r"could be any of: openai-chat, openai-chat.*--format"):
        detect(SAMPLES[0].read_bytes()[:HEAD_BYTES], "f")


def test_named() -> None:
    assert named("openai-chat").name == "openai-chat"
    with pytest.raises(UnknownFormat, match=r"'nope'; there are: .*openai-chat"):
        named("nope")


@pytest.mark.parametrize("data", [b"", b" \r\n\t "], ids=["nothing", "blanks"])
def test_an_empty_file_says_so(data: bytes) -> None:
    with pytest.raises(FormatError, match=r"^f: the file is empty\."):
        read_log(data, "f", "f")


def test_a_named_format_is_not_asked_whether_it_is_the_one() -> None:
    with pytest.raises(FormatError, match=r"^f: no request in it that could be read\. Whymiss reads OpenAI"):
        read_log(b'{"a": 1}', "f", "f", "openai-chat")


def test_source_and_file_are_kept_apart() -> None:
    (session,) = read_log(SAMPLES[0].read_bytes(), "a/f.jsonl", "a").sessions
    assert (session.source, session.file, session.log_format) == ("a", "a/f.jsonl", "openai-chat")


def test_progress_ends_at_the_size_of_the_file() -> None:
    seen: list[tuple[int, int]] = []
    data = (ROOT / "sample_sessions" / "14-template-date.jsonl").read_bytes()
    read_log(data, "f", "f", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (len(data), len(data))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_a_refusal_names_every_format_and_what_it_looks_for() -> None:
    with pytest.raises(UnknownFormat) as refused:
        detect(b"hello", "f")
    for known in FORMATS:
        assert f"{known.name} looks for {known.looks_for}" in str(refused.value)


@pytest.mark.slow
@pytest.mark.parametrize("path", FORMAT_SAMPLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_file_that_is_cut_off_gives_no_other_turns(path: Path) -> None:
    """At every 1 % of the file: what is read is part of what the whole file gives, and nothing else is raised."""
    known = named(FORMAT_OF[path])
    whole = path.read_bytes()
    ids = _ids(known, whole)
    for percent in range(100):
        data = whole[: len(whole) * percent // 100]
        known.sniff(data)
        assert _ids(known, data) <= ids


def _ids(known: Format, data: bytes) -> set[tuple[int, str, int]]:
    try:
        sessions = known.read(data, "f", "s").sessions
    except FormatError:
        return set()
    return {(turn.line, turn.request_id, len(turn.request.messages)) for session in sessions for turn in session.turns}


@pytest.mark.slow
@given(st.sampled_from(list(FORMAT_SAMPLES)), st.sampled_from(FORMATS), st.integers(0, 2**32))
@settings(max_examples=300, deadline=None)
def test_a_parser_raises_nothing_else_whatever_stands_in_the_fields(path: Path, known: Format, seed: int) -> None:
    data = _broken(path, random.Random(seed))
    known.sniff(data)
    with contextlib.suppress(FormatError):
        known.read(data, "f", "s")


@given(st.binary(max_size=300), st.sampled_from(FORMATS))
@settings(max_examples=300, deadline=None)
def test_a_parser_raises_nothing_else_on_any_bytes(data: bytes, known: Format) -> None:
    known.sniff(data)
    with contextlib.suppress(FormatError):
        known.read(data, "f", "s")


def _broken(path: Path, chance: random.Random) -> bytes:
    """A sample with broken fields; an archive with broken fields in its members."""
    if zipfile.is_zipfile(path):
        return packed({name: json.dumps(mutated(value, chance)).encode() for name, value in _members(path).items()})
    return json.dumps([mutated(record, chance) for record in _records(path)]).encode()


@cache
def _members(path: Path) -> dict[str, object]:
    with zipfile.ZipFile(path) as archive:
        return {name: json.loads(archive.read(name)) for name in archive.namelist()}


@cache
def _records(path: Path) -> list[object]:
    text = path.read_text("utf-8")
    try:
        whole = json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.startswith("{")]  # of what is no JSON, none
    return whole if isinstance(whole, list) else [whole]


SECRETS = ("tenant-secret", "secret-hash", "hashed-key")


@pytest.mark.parametrize("path", FORMAT_SAMPLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_secret_leaves_a_parser(path: Path) -> None:
    with contextlib.suppress(FormatError):
        said = repr(named(FORMAT_OF[path]).read(path.read_bytes(), "f", "s"))
        assert not any(secret in said for secret in SECRETS)


def test_the_format_of_the_readme_is_one() -> None:
    """The example is run as it stands there."""
    text = (ROOT / "README.md").read_text("utf-8")
    example = text[text.index('    name, title = "acme"') : text.index("\n\nThe sample goes to")]
    module: dict[str, Any] = {}
    exec(
        "from analysis.formats import jsontext, shape\n"
        "from analysis.formats.base import FormatError, Problems, Progress\n"
        "from analysis.formats.calls import entry, first_text, objects, usage\n"
        "from analysis.formats.grouping import grouped\n"
        "from analysis.model.session import Log\n" + textwrap.dedent(example),
        module,
    )
    data = b'{"acme_run": 7, "model": "m", "messages": [{"role": "user", "content": "a"}], "prompt": 9, "cached": 0}'
    assert module["sniff"](data) and not any(known.sniff(data) for known in FORMATS if known.name != "openai-chat")
    (session,) = module["read"](data, "f", "s").sessions
    (turn,) = session.turns
    assert (session.session_id, turn.usage.cached_tokens, turn.completeness) == ("7", 0, {"no_tools"})
    with pytest.raises(FormatError):
        module["read"](b"{", "f", "s")
