"""Problems of one file: their order, and many alike as one."""

from analysis.formats.base import FilesRead, FormatError, Problems, UnknownFormat
from analysis.model.session import Problem


def test_problems_keep_their_order() -> None:
    problems = Problems("f.jsonl")
    problems.add(3, "third")
    problems.add(None, "whole file")
    problems.add(1, "first")
    assert problems.listed() == (
        Problem("f.jsonl", 3, "third"),
        Problem("f.jsonl", None, "whole file"),
        Problem("f.jsonl", 1, "first"),
    )


def test_problems_of_one_kind_are_counted_under_the_first_line() -> None:
    problems = Problems("f.jsonl")
    for line in range(5, 2007):
        problems.count("json", line, "broken.")
    problems.count("role", 9, "odd.")
    problems.count("role", 10, "odd.")
    assert [(problem.line, problem.message) for problem in problems.listed()] == [
        (5, "broken. (and 2,001 more such lines)"),
        (9, "odd. (and 1 more such line)"),
    ]


def test_an_unknown_format_is_a_format_error() -> None:
    assert issubclass(UnknownFormat, FormatError) and issubclass(FormatError, ValueError)


def test_a_file_without_a_turn_says_why_and_what_stood_first() -> None:
    problems = Problems("f")
    assert str(problems.refusal("no call in it", "logs of x")) == "f: no call in it. Whymiss reads logs of x."
    problems.add(3, "left out.")
    assert str(problems.refusal("no call in it", "x")).endswith("reads x. First problem: line 3: left out.")
    whole = Problems("f")
    whole.add(None, "cut off.")
    assert str(whole.refusal("no call in it", "x")).endswith("First problem: cut off.")


def test_what_is_done_of_several_files_adds_up() -> None:
    said: list[tuple[int, int]] = []
    count = FilesRead(lambda number, done: said.append((number, done)))
    count.within(4, 10)
    count.end(10, files=2)
    for done, total in ((1, 2), (2, 2), (3, 3)):
        count.within_together(done, total)
    assert said == [(1, 4), (3, 11), (3, 12), (4, 15)]


def test_problems_of_another_reader_are_taken_over() -> None:
    own, other = Problems("f"), Problems("f")
    own.count("a", 1, "A.")
    for kind, line in (("a", 2), ("a", 3), ("b", 4), ("c", 5)):
        other.count(kind, line, f"{kind.upper()}.")
    other.add(6, "D.", "damaged")
    own.take(other, "body", but=("c",))
    assert [(one.line, one.message, one.kind) for one in own.listed()] == [
        (1, "A. (and 2 more such lines)", "other"),
        (4, "body: B.", "other"),
        (6, "body: D.", "damaged"),
    ]
