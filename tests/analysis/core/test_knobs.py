"""Which template arguments are tried, and in which order."""

from analysis.core.bench import Bench
from analysis.core.conversations import Conversation
from analysis.core.knobs import FIXED_DATE, KNOWN_NAMES, knobs_to_try
from analysis.model.session import JsonObject
from tests.mini_template import bench


def render(_asked: Conversation, arguments: JsonObject, _at: float, _generating: bool) -> str:
    if "breaks" in arguments:
        raise ValueError("no such thing")
    return "thinking" if arguments.get("enable_thinking") else "plain"


def test_what_keeps_the_first_prompt_is_tried_first() -> None:
    names = ("breaks", "enable_thinking", "preserve_thinking", "reasoning_effort", "date_string")
    assert [(knob.words, knob.changes_prompt) for knob in knobs_to_try(Bench(render), names)] == [
        ("enable_thinking=false", False),
        ("preserve_thinking=true", False),
        ("preserve_thinking=false", False),
        (f"date_string={FIXED_DATE}", False),
        ("breaks=true", True),
        ("breaks=false", True),
        ("enable_thinking=true", True),
    ]


def test_a_knob_as_it_is_sent() -> None:
    true, _false = knobs_to_try(Bench(render), ("preserve_thinking",))
    assert true.as_arguments == {"preserve_thinking": True}


def test_a_template_that_takes_no_first_request() -> None:
    def refuse(*_: object) -> str:
        raise ValueError("never")

    assert all(knob.changes_prompt for knob in knobs_to_try(Bench(refuse), KNOWN_NAMES))


def test_the_first_prompt_is_asked_in_a_shape_that_is_taken() -> None:
    assert not knobs_to_try(bench("no system", "needs parts"), ("keep_all",))[0].changes_prompt
