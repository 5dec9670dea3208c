"""What leaves: placeholders with equal labels for equal texts, empty boxes, and nothing else of a log."""

from dataclasses import replace

import pytest

from analysis.report.document import Report
from analysis.report.quotes import Placeholder, Quote, Released, Shown
from analysis.report.redaction import Hidden, Rules, label, redacted
from analysis.report.turn_document import Box, Column
from tests.report_parts import every
from tests.sample_reports import KEY, report

EMPTY: Report[Quote] = Report("0", "nothing", None, (), ())


def of(*quotes: Quote) -> Report[Quote]:
    return replace(EMPTY, problems=(quotes,))


def shown(report: Report[Quote], rules: Rules = Rules(), key: bytes = KEY) -> list[str]:  # noqa: B008
    return [one.text for one in every(redacted(report, rules, key)[0].problems, Placeholder | Released)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("quote", "placeholder"),
    [
        pytest.param(Quote("Zor q", "messages[3].content"), "‹messages[3].content · A · 5 characters›", id="text"),
        pytest.param(Quote("Z", "prompt"), "‹prompt · A · 1 character›", id="one"),
        pytest.param(Quote("Zor", "prompt", num_tokens=212), "‹prompt · A · 212 tokens›", id="tokens"),
        pytest.param(Quote("Zor", "prompt", num_tokens=1), "‹prompt · A · 1 token›", id="one token"),
        pytest.param(Quote("Zor…", "prompt", cut=True), "‹prompt · A · 4 characters or more›", id="cut"),
        pytest.param(Quote("10:00", "prompt", form="HH:MM (+5 s)"), "‹prompt · A · HH:MM (+5 s)›", id="a form"),
        pytest.param(Quote("look", "tool", "name"), "tool A", id="a name"),
        pytest.param(Quote("2026-01-01", "started", "time", "YYYY-MM-DD"), "‹YYYY-MM-DD›", id="a time"),
        pytest.param(Quote(", character 5", "offset", "offset"), "", id="an offset"),
        pytest.param(Quote("the", "token", "token"), "", id="a token"),
    ],
)
def test_what_stands_for_a_quote(quote: Quote, placeholder: str) -> None:
    assert shown(of(quote)) == [placeholder]


def test_equal_texts_have_equal_labels_and_names_are_counted_by_what_they_name() -> None:
    quotes = [Quote(text, "prompt") for text in ("x", "y", "x")]
    names = [Quote("x", "tool", "name"), Quote("x", "model", "name"), Quote("z", "tool", "name")]
    assert [one.split(" · ")[1] for one in shown(of(*quotes))] == ["A", "B", "A"]
    assert shown(of(*names)) == ["tool A", "model A", "tool B"]


def test_labels_are_letters() -> None:
    assert [label(number) for number in (0, 25, 26, 27, 701, 702)] == ["A", "Z", "AA", "AB", "ZZ", "AAA"]


def test_what_is_released_leaves_and_is_recorded() -> None:
    quotes = of(Quote("Zor", "prompt"), Quote("quen", "prompt"))
    (first, _second) = shown(quotes)
    made, hidden = redacted(quotes, Rules(released=frozenset({first, "‹no such›"})), KEY)
    assert made.released == (first,) and hidden[0] == Hidden(first, "Zor")
    assert [type(one) for one in made.problems[0]] == [Released, Placeholder]


def test_names_of_a_kind_can_be_kept() -> None:
    quotes = of(Quote("look", "tool", "name"), Quote("acme", "model", "name"))
    rules = Rules(kept=frozenset({"tool"}))
    assert shown(quotes, rules) == ["look", "model A"] and redacted(quotes, rules, KEY)[0].kept == ("tool",)


def test_without_redaction_everything_leaves() -> None:
    quotes = of(Quote("Zor", "prompt"), Quote(", character 5", "offset", "offset"))
    made, hidden = redacted(quotes, Rules("nothing"), KEY)
    assert made.problems[0] == (Released("Zor"), Released(", character 5", plain=True)) and hidden == ()


def test_an_excerpt_of_which_the_narrow_scope_leaves_nothing_has_a_placeholder() -> None:
    cut = Quote("10:00:00-x", "prompt", form="HH:MM:SS (+2 s)", cut=True)
    assert shown(of(cut), Rules("secrets")) == ["‹prompt · A · HH:MM:SS (+2 s)›"]
    assert shown(of(Quote("hunter2", "prompt", cut=True)), Rules("secrets")) == ["‹prompt · A · 7 characters›"]
    assert shown(of(Quote("is 10:00:02", "prompt", cut=True)), Rules("secrets")) == ["… 10:00:02"]


def test_the_narrow_scope_hides_secrets_in_texts_and_in_tokens() -> None:
    assert shown(of(Quote("key sk-abc12345def here", "note")), Rules("secrets")) == ["key ‹hidden› here"]
    boxes = tuple(Box(at, False, False, Quote(text, "token", "token"), Quote("7", "token", "token"))
                  for at, text in enumerate(("a", "·sk-abc", "12345", "·x", "·y")))  # fmt: skip
    made, _hidden = redacted(replace(EMPTY, problems=((Column(1, boxes),),)), Rules("secrets"), KEY)  # type: ignore[arg-type]
    (column,) = every(made, Column)
    assert [box.text.text for box in column.boxes] == ["", "", "", "·x", ""], "and the words at both ends"
    assert [box.token_id.text for box in column.boxes] == ["", "", "", "7", ""]


def test_another_key_makes_the_same_report() -> None:
    """Labels say nothing of the key: it only keeps digests from being compared."""
    made: list[Report[Shown]] = [redacted(report("03"), Rules(), key)[0] for key in (KEY, b"other")]
    assert made[0] == made[1]


def test_every_quote_of_a_report_is_gone() -> None:
    made, hidden = redacted(report("06"), Rules(), KEY)
    assert not [*every(made, Quote)] and not [*every(made, Released)]
    assert len(hidden) == len({one.placeholder for one in hidden}) > 20
