"""Probes of what a template prints: each finding, and a template that does nothing of the kind."""

import pytest

from analysis.core import text_probes as probes
from analysis.core.bench import FIXED_TIME, Bench, NotApplicable
from analysis.core.conversations import Conversation, Shape
from analysis.core.text_probes import DATE_FORMATS
from analysis.model.session import JsonObject
from tests.mini_template import bench, mini

LOOP, PLAIN = Shape(), Shape(tool_loop=False)


def test_the_date() -> None:
    assert probes.date(bench(), LOOP).finding == "none printed"
    assert probes.date(bench("frozen date"), LOOP).finding == "always 26 Jul 2024"
    found = probes.date(bench("date"), LOOP)
    assert (found.verdict, found.finding) == ("not-pure", "follows the clock")
    assert found.old is not None and found.old.startswith("<2025-12-17>")


def test_a_date_that_comes_only_without_a_system_message() -> None:
    found = probes.date(bench("date without system"), LOOP)
    assert (found.verdict, found.finding) == ("not-pure", "follows the clock without a system message")
    assert probes.date(bench("date"), LOOP).finding == "follows the clock"


def test_the_date_of_a_server_is_known_by_the_day() -> None:
    found = probes.date(Bench(mini("date"), now=FIXED_TIME), LOOP)
    assert found.verdict == "not-pure" and found.old is None
    assert found.message is not None and "2025-12-17" in found.message
    assert probes.date(Bench(mini("date"), now=FIXED_TIME + 86_400), LOOP).verdict == "not-pure", "another time zone"
    later = probes.date(Bench(mini("date"), now=FIXED_TIME + 90 * 86_400), LOOP)
    assert (later.verdict, later.finding) == ("pure", "always 2025-12-17")
    assert probes.date(Bench(mini("frozen date"), now=FIXED_TIME), LOOP).finding == "always 26 Jul 2024"


@pytest.mark.parametrize("pattern", DATE_FORMATS)
def test_every_spelling_of_today_is_seen(pattern: str) -> None:
    shown = probes.datetime.fromtimestamp(FIXED_TIME, probes.UTC).strftime(pattern)

    def render(asked: Conversation, arguments: JsonObject, at: float, generating: bool) -> str:
        return f"Today is {shown}.{mini()(asked, arguments, at, generating)}"

    assert probes.date(Bench(render, now=FIXED_TIME), PLAIN).verdict == "not-pure"


def test_the_place_of_the_tools() -> None:
    assert probes.tools_relocated(bench(), LOOP).finding == "after the system text"
    assert probes.tools_relocated(bench(), Shape(system=False)).finding == "at the head"
    found = probes.tools_relocated(bench("tools-relocated"), LOOP)
    assert (found.verdict, found.finding) == ("not-pure", "before the last user message: moved")
    assert probes.tools_relocated(bench("wants tools"), LOOP).finding == "after the system text"
    with pytest.raises(NotApplicable, match="tools are not printed"):
        probes.tools_relocated(bench("no tools"), LOOP)


@pytest.mark.parametrize(
    ("written", "place"),
    [
        pytest.param("{tools}[system|{system}][user|{user}]", "before the system text", id="before"),
        pytest.param("[system|{system}][the user|{tools}{user}]", "in the first user message", id="in the user's"),
        pytest.param("[system|{system}][user|{user}]{tools}", "behind the first user message", id="behind"),
    ],
)
def test_other_places_of_the_tools(written: str, place: str) -> None:
    def render(asked: Conversation, _arguments: JsonObject, _at: float, _generating: bool) -> str:
        system, user, *rest = (str(message["content"]) for message in asked.messages)
        tools = f"Tools: {list(asked.tools)}" if asked.tools else ""
        return written.format(system=system, user=user, tools=tools) + "".join(rest)

    assert probes.tools_relocated(Bench(render), LOOP).finding == place


def test_ids_of_tool_calls() -> None:
    assert probes.tool_ids(bench(), LOOP).finding == "not printed"
    assert probes.tool_ids(bench("tool-ids"), LOOP).finding.startswith("printed")


@pytest.mark.parametrize(
    ("fault", "finding"),
    [
        pytest.param("", "object: JSON; string: verbatim", id="verbatim"),
        pytest.param("quotes", "object: JSON; string: quoted", id="quoted"),
        pytest.param("wants object", "object: JSON; string: raises", id="a string raises"),
    ],
)
def test_arguments(fault: str, finding: str) -> None:
    found = probes.arguments(bench(fault), LOOP)
    assert (found.verdict, found.finding) == ("pure", finding)
    assert (found.message is None) == (fault != "wants object")


def test_arguments_that_must_be_a_string_raise_on_a_server() -> None:
    with pytest.raises(ValueError, match="wants string"):
        probes.arguments(bench("wants string"), LOOP)
    found = probes.arguments(bench("wants string"), Shape(arguments="string"))
    assert (found.verdict, found.finding) == ("raises", "object: raises; string: verbatim")


def test_a_server_parses_arguments_itself() -> None:
    assert probes.arguments(Bench(mini("quotes"), parses_arguments=True), LOOP).finding == "object: JSON"


@pytest.mark.parametrize(
    ("written", "form"),
    [
        pytest.param('{"volume":"harbour","signed":true}', "compact JSON", id="compact"),
        pytest.param("<volume>harbour</volume><signed>True</signed>", "markup of its own, booleans as True", id="True"),
        pytest.param("<volume>harbour</volume><signed>true</signed>", "markup of its own", id="true"),
    ],
)
def test_forms_of_arguments(written: str, form: str) -> None:
    def render(asked: Conversation, arguments: JsonObject, at: float, generating: bool) -> str:
        text = mini()(asked, arguments, at, generating)
        return text.replace('{"volume": "harbour", "signed": true}', written)

    assert probes.arguments(Bench(render, parses_arguments=True), LOOP).finding == f"object: {form}"


def test_calls_that_are_not_printed() -> None:
    with pytest.raises(NotApplicable, match="calls are not printed"):
        probes.arguments(bench("no calls"), LOOP)


def test_trims() -> None:
    assert probes.trims(bench(), LOOP).finding == "nothing"
    everything = "system, user, assistant, content beside tool calls, tool"
    assert probes.trims(bench("trims"), LOOP).finding == everything
    assert probes.trims(bench("trims"), Shape(False, False)).finding == "user, assistant"


def test_content_that_a_template_leaves_out_is_told() -> None:
    assert probes.trims(bench("drops beside calls"), LOOP).finding == "content beside tool calls (dropped)"
    assert probes.trims(bench("drops beside calls"), PLAIN).finding == "nothing"


def test_blanks_that_are_trimmed_only_later() -> None:
    def render(asked: Conversation, arguments: JsonObject, at: float, generating: bool) -> str:
        faults = ("trims",) if len(asked.messages) > 2 else ()
        return mini(*faults)(asked, arguments, at, generating)

    assert probes.trims(Bench(render), LOOP).verdict == "not-pure"
