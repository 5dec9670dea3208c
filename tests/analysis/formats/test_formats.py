"""The registry: exactly one format says yes, and what is no log is said in one line."""

from pathlib import Path

import pytest

import analysis.formats as formats
from analysis.formats import FORMATS, detect, named, read_log
from analysis.formats.base import HEAD_BYTES, Format, FormatError, UnknownFormat
from tests.builders import RECORDED, ROOT, SAMPLES

FORMAT_OF = dict.fromkeys((*SAMPLES, *RECORDED), "openai-chat")
NO_LOGS = {
    "binary": b"\x7fELF\0\0\0",
    "compressed": b"\x1f\x8b\x08\0abc",
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
    with pytest.raises(UnknownFormat, match=r"^f\.bin: .*none of: .*openai-chat.*whymiss formats"):
        read_log(data, "f.bin", "f.bin")


def test_binary_data_is_called_so() -> None:
    with pytest.raises(UnknownFormat, match="binary data"):
        detect(NO_LOGS["binary"], "f")
    with pytest.raises(UnknownFormat, match="text"):
        detect(NO_LOGS["text"], "f")


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
    with pytest.raises(FormatError, match="no line holds a request"):
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
