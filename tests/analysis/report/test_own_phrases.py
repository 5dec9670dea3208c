"""Problems taken apart: phrases of ours stay, whatever a log may have said is a quote."""

import pytest

from analysis.report.own_phrases import own_phrases, problem_said
from analysis.report.quotes import Prose, Quote

LOST = "the log has no token ids, so its turns are compared by text, without token figures"

NONE = "so no tokenizer can give its tokens. Log whole requests with `whymiss record`."


def shown(parts: Prose[Quote]) -> str:
    """A problem with its quotes in angle brackets."""
    return "".join(part if isinstance(part, str) else f"<{part.text}>" for part in parts)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        pytest.param(
            f"no tokenizer for the model “acme/x”: {LOST}.", f"no tokenizer for the model “<acme/x>”: {LOST}.",
            id="a value in quotes",
        ),
        pytest.param(
            "a turn was aborted: a call of it without usage counts as no turn. (and 12 more such lines)",
            "a turn was aborted: a call of it without usage counts as no turn. (and 12 more such lines)",
            id="one of several",
        ),
        pytest.param(
            f"This log leaves out the system prompt and the tools, {NONE}",
            f"This log leaves out the system prompt and the tools, {NONE}",
            id="put together of parts",
        ),
        pytest.param("hunter2 is the password", "<hunter2 is the password>", id="nothing of ours"),
        pytest.param(f"“{LOST}”", f"“<{LOST}>”", id="our words in quotes are the log's"),
        pytest.param("'sk-1': " + LOST, "'<sk-1>': " + LOST, id="a value in other quotes"),
        pytest.param("", "", id="nothing"),
    ],
)  # fmt: skip
def test_only_phrases_of_ours_are_no_quote(message: str, said: str) -> None:
    assert shown(problem_said(message)) == said


def test_phrases_are_long_enough_to_be_no_accident() -> None:
    phrases = own_phrases()
    assert len(phrases) > 300
    assert all(" " in phrase for phrase in phrases)
    assert sorted(map(len, phrases), reverse=True) == list(map(len, phrases))
