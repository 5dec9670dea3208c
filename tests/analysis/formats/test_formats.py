"""The registry: exactly one format says yes, and what is no log is said in one line."""

import gzip
import json
from pathlib import Path

import pytest

import analysis.formats as formats
from analysis.formats import FORMATS, detect, named, read_log
from analysis.formats.base import HEAD_BYTES, Format, FormatError, UnknownFormat
from tests.builders import RECORDED, ROOT, SAMPLES

FORMAT_OF = dict.fromkeys((*SAMPLES, *RECORDED), "openai-chat")
NO_LOGS = {
    "binary": b"\x7fELF\x02\x01\x01" + bytes(57),
    "an image": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01",
    "compressed": gzip.compress(SAMPLES[0].read_bytes()),
    "zeros": bytes(64),
    "text": b"hello, world\n",
    "other JSON": b'{"a": 1}\n',
    "a number": b"42",
}


@pytest.mark.parametrize("path", FORMAT_OF, ids=lambda path: path.stem)
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
        match=r"^f\.bin: (binary data|text), and no log that Whymiss reads\. Tried: openai-chat looks for a JSON",
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
    monkeypatch.setattr(formats, "FORMATS", (*FORMATS, *FORMATS))
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
