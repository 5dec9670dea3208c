"""Known reports of losses that tokens show, whose templates are small enough to stand here: each gets its cause."""

import pytest

from tests.visible_cases import CASES, FETCHED, FOLDER, OWN, analysed, own_renderer


@pytest.mark.parametrize("name", OWN)
def test_a_report_gets_its_cause(name: str) -> None:
    case = CASES[name]
    turn = analysed(case, own_renderer(case["template"])).turns[1]
    wanted = case["expected"]
    assert [cause.code for cause in turn.causes[:1]] == ([wanted["cause"]] if wanted["cause"] else [])
    assert turn.causes == () or turn.causes[0].segment == wanted["segment"]
    assert all(cause.evidence and cause.fix.endswith(".") for cause in turn.causes)
    assert [cause.hidden for cause in turn.causes] == [at > 0 for at in range(len(turn.causes))]


@pytest.mark.parametrize("name", [name for name in OWN if CASES[name]["expected"]["cause"] is not None])
def test_ids_of_a_log_say_the_same(name: str) -> None:
    """The log of the case with its ids: nothing is taken from a render but the fields."""
    case = CASES[name]
    turn = analysed(case, own_renderer(case["template"]), logged=True).turns[1]
    assert turn.causes[0].code == case["expected"]["cause"]


@pytest.mark.parametrize("name", [name for name in (*OWN, *FETCHED) if CASES[name]["expected"]["deliberate"]])
def test_what_was_meant_is_no_fault(name: str) -> None:
    turn = analysed(CASES[name], own_renderer("arguments_verbatim")).turns[1]
    assert [(cause.code, cause.deliberate) for cause in turn.causes] == [(CASES[name]["expected"]["cause"], True)]


def test_every_case_is_looked_at() -> None:
    assert len(CASES) == 32 and set(OWN) | set(FETCHED) == set(CASES)
    templates = {path.stem for path in (FOLDER / "templates").glob("*.jinja")}
    assert {CASES[name]["template"] for name in OWN} <= templates
