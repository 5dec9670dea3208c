"""Nothing that people wrote about a case leaves with its redacted report; what is released leaves, and is recorded."""

import json

import pytest

from analysis.model.annotation import CaseText
from analysis.report.document import Report
from analysis.report.quotes import Quote
from analysis.report.redaction import Rules, redacted
from app.reporting import FORMS, written
from tests.case_reports import case, case_report, pinned
from tests.generated_secrets import Secret
from tests.leak_check import Sought
from tests.planted import Planter

KEY = bytes(range(32))


def leaks(report: Report[Quote], rules: Rules, form: str, secrets: list[Secret]) -> set[str]:
    """The secrets that are in the file, in any disguise."""
    return Sought(secrets).found_in(written(redacted(report, rules, KEY)[0], form))


def planted() -> tuple[Report[Quote], list[Secret]]:
    """A case with secrets in its title, ticket, customer, story, labels, notes and pins, and in names of authors."""
    planter = Planter(11)

    def secret() -> str:
        return f"what {planter.secret()} says"

    text = CaseText(secret(), secret(), secret(), f"{secret()}\n\n{secret()}")
    pins = [
        pinned(1, 3, 4, secret(), f"the same tools in another order: “{secret()}” now, {secret()} before"),
        pinned(2, 1, 7, secret(), secret()),
    ]
    report = case_report(case(text, pins, secret()), (secret(), secret()), secret())
    return report, planter.maker.made


@pytest.mark.parametrize("form", FORMS)
def test_no_secret_of_a_case_is_in_its_report(form: str) -> None:
    report, secrets = planted()
    assert not leaks(report, Rules(), form, secrets)
    assert len(secrets) == 14
    every = {one.core for one in secrets}
    assert leaks(report, Rules("nothing"), form, secrets) == every, "they would be found where they leave"


@pytest.mark.parametrize("form", FORMS)
def test_a_text_that_is_released_is_recorded(form: str) -> None:
    report, secrets = planted()
    _made, hidden = redacted(report, Rules(), KEY)
    (title,) = (one for one in hidden if one.placeholder.startswith("‹title · "))
    rules = Rules(released=frozenset([title.placeholder]))
    assert leaks(report, rules, form, secrets) == {secrets[0].core}
    said = written(redacted(report, rules, KEY)[0], form)
    if form == ".json":
        assert json.loads(said)["redaction"]["released"] == [title.placeholder]
    else:
        assert "Released one by one, and so readable here: ‹title · " in said


@pytest.mark.parametrize("form", FORMS)
def test_names_of_people_go_even_where_only_secrets_do(form: str) -> None:
    text = CaseText(
        "Ann Lee saw it", "SUP-17", "Jo Ott", "Ann and Bob Ott looked at the annotation; key sk-abcdef123456."
    )
    report = case_report(case(text, (pinned(1, 1, 7, "Carl Ives"),)), (), "Bob Ott, again")
    said = written(redacted(report, Rules("secrets"), KEY)[0], form)
    assert not [name for name in ("Ann", "Bob", "Ott", "Jo ", "Carl", "Ives", "sk-abc") if name in said]
    assert "saw it" in said and "annotation" in said and "SUP-17" in said
