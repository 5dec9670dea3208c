"""The arguments that a template takes are read from the template itself."""

import pytest

from analysis.render.arguments import argument_names
from analysis.render.errors import RenderError
from tests.builders import SAMPLE_MODEL


@pytest.mark.parametrize(
    ("source", "names"),
    [
        pytest.param("{{ messages }}{{ tools }}{{ bos_token }}{{ raise_exception('x') }}", (), id="what is given"),
        pytest.param("{% if keep %}a{% endif %}", ("keep",), id="a switch"),
        pytest.param("{% if keep is defined and keep is false %}a{% endif %}", ("keep",), id="a test"),
        pytest.param("{% set keep = keep if keep is defined else True %}{{ keep }}", ("keep",), id="a default"),
        pytest.param("{% set keep = keep | default(false) %}{{ keep }}", ("keep",), id="a filter"),
        pytest.param(
            "{% if not day is defined %}{% set day = '1' %}{% endif %}{{ day }}", ("day",), id="set if missing"
        ),
        pytest.param(
            "{% for m in messages %}{% set text = m %}{{ text }}{% endfor %}{{ loop }}", ("loop",), id="a loop"
        ),
        pytest.param(
            "{% for m in messages %}{% if m %}{% set a = 1 %}{% endif %}{{ a }}{% endfor %}", (), id="its own"
        ),
        pytest.param("{% generation %}{{ keep }}{% endgeneration %}{{ range(3) }}", ("keep",), id="training tags"),
    ],
)
def test_names(source: str, names: tuple[str, ...]) -> None:
    assert argument_names(source) == names


def test_the_sample_template() -> None:
    source = (SAMPLE_MODEL / "chat_template.jinja").read_text("utf-8")
    assert argument_names(source) == ("date_string", "enable_thinking", "preserve_reasoning", "show_date")


@pytest.mark.parametrize("source", ["{% if %}", "{{ messages | frobnicate }}"], ids=["syntax", "no such filter"])
def test_no_template(source: str) -> None:
    with pytest.raises(RenderError, match="cannot be compiled"):
        argument_names(source)
