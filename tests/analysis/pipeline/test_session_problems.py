"""What is said of a session beside its turns: notes counted, and counts that no block size fits."""

from analysis.model.session import Problem, Session
from analysis.model.settings import Settings
from analysis.pipeline.session_problems import session_problems
from tests.builders import of_turns, turn, user


def found(made: Session, block_size: int = 16) -> list[tuple[int | None, str]]:
    """Line and words of the problems of a session."""
    return [(one.line, one.message) for one in session_problems(made, (), Settings(block_size=block_size))]


def test_a_count_that_fits_no_block_names_the_size_that_does() -> None:
    made = of_turns(turn(user("a"), cached=192), turn(user("a"), cached=96), turn(user("x"), cached=0))
    ((line, message),) = found(made, 64)
    assert line == 2
    assert "96 is no multiple of the block size 64" in message and "--block-size 96" in message
    assert found(made, 32) == []


def test_counts_that_no_block_size_fits_are_of_another_kind_of_server() -> None:
    ((_line, message),) = found(of_turns(turn(user("a"), cached=192), turn(user("a"), cached=98)))
    assert message.endswith(
        "No block size of vLLM fits: a hosted API or a gateway counts otherwise, so do not expect whole blocks."
    )
    assert "--block-size" not in message


def test_what_was_noted_in_the_same_words_is_counted_under_the_first_line() -> None:
    made = of_turns(turn(user("a"), cached=24))
    noted = [Problem("f", line, words) for line, words in ((1, "odd."), (2, "odd."), (3, "even."), (4, "odd."))]
    said = [(one.line, one.message) for one in session_problems(made, noted, Settings(block_size=16))]
    assert sorted(said[:2]) == [(1, "odd. (and 2 more such lines)"), (3, "even.")]
    assert [line for line, _message in said[2:]] == [1], "the odd count comes last"
