"""Real tokenizers and chat templates: the same ids as the whole text, the same text as transformers."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer
from transformers.utils.chat_template_utils import render_jinja_template

from analysis.core.normalise import normalise_message, normalise_tool
from analysis.model.session import Json
from analysis.render import provenance
from analysis.render.confined import ConfinedTemplate
from analysis.render.errors import RenderError
from analysis.render.jinja import ChatTemplate
from analysis.render.segments import SegmentTokenizer
from analysis.render.tokenizer import ModelFiles, load_model, token_bytes
from tests.builders import SAMPLES, assistant, log_of, user

pytestmark = pytest.mark.oracle

TOKENIZERS = ("qwen3", "gptoss", "llama3_1", "deepseek_v3")
ODD = [
    "e\u0301",
    "é",
    "<",
    "|",
    "<|im_",
    "start|>",
    " ",
    "  ",
    "\n\n",
    "\t",
    "😀",
    "ﬁ",
    "한글",
    "中文，",
    "1234567",
    "'ll",
    "\x00",
]
WORDS = ["the ", "blocks", "def f(x):\n    return x\n", '{"a": [1, 2.50]}', "https://x.y/z?q=1"]
few_hundred = settings(max_examples=400, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module", params=TOKENIZERS)
def model(request: pytest.FixtureRequest, oracles: Path) -> ModelFiles:
    return load_model(str(oracles / "tokenizers" / request.param))


@pytest.fixture(scope="module")
def segmented(model: ModelFiles) -> SegmentTokenizer:
    """One for all texts of a model, so that what it remembers is put to the test."""
    made = SegmentTokenizer(model.tokenizer)
    assert made.exact
    return made


def whole(model: ModelFiles, text: str) -> list[int]:
    return list(model.tokenizer.encode(text, add_special_tokens=False).ids)


def added(model: ModelFiles) -> list[str]:
    return [token.content for token in model.tokenizer.get_added_tokens_decoder().values()]


@few_hundred
@given(data=st.data())
def test_segments_of_any_text(model: ModelFiles, segmented: SegmentTokenizer, data: st.DataObject) -> None:
    pieces = st.sampled_from([*added(model)[:40], *ODD, *WORDS]) | st.text(max_size=9)
    text = "".join(data.draw(st.lists(pieces, max_size=12)))
    assert segmented.encode(text).tolist() == whole(model, text)
    grown = text[: data.draw(st.integers(0, len(text)))] + "".join(data.draw(st.lists(pieces, max_size=6)))
    assert segmented.encode(grown).tolist() == whole(model, grown)
    assert len(segmented.starts(grown)) == len(whole(model, grown))


def test_segments_of_growing_conversations(model: ModelFiles, segmented: SegmentTokenizer) -> None:
    """Real texts between the model's own markers, growing as a session grows, with an edit now and then."""
    chance, text = random.Random(7), ""
    messages = [str(turn.request.messages[-1].get("content")) for turn in log_of(SAMPLES[0]).sessions[0].turns]
    for _ in range(200):
        text += chance.choice(added(model)) + chance.choice(["", "\n", "user\n"]) + chance.choice(messages)[:400]
        if chance.random() < 0.2:
            text = text[: chance.randrange(len(text))]
        if len(text) > 20_000:
            text = text[:500]
        assert segmented.encode(text).tolist() == whole(model, text)


def test_a_folder_loads_as_transformers_loads_it(model: ModelFiles) -> None:
    theirs = AutoTokenizer.from_pretrained(model.name)
    for text in (*WORDS, *ODD, "".join(ODD), *(f"a{marker} b" for marker in added(model))):
        assert whole(model, text) == theirs.encode(text, add_special_tokens=False), repr(text)
    named = {name: str(value) for name, value in theirs.special_tokens_map.items() if isinstance(value, str)}
    assert model.special_tokens == named
    assert model.chat_template == theirs.chat_template


def test_token_bytes_join_to_the_text(model: ModelFiles) -> None:
    for text in (*WORDS, *ODD, "".join(ODD)):
        normal = model.tokenizer.normalizer.normalize_str(text) if model.tokenizer.normalizer else text
        assert b"".join(token_bytes(model.tokenizer, whole(model, text))).decode() == normal


SYSTEM: dict[str, Json] = {"role": "system", "content": " You are an agent.\nBe brief. "}
TOOL: dict[str, Json] = {
    "type": "function",
    "function": {
        "name": "look",
        "description": "Looks <at> things, é.",
        "parameters": {"type": "object", "properties": {"a": {"type": "integer", "description": "what"}}},
    },
}
RESULT: dict[str, Json] = {"role": "tool", "tool_call_id": "c1", "name": "look", "content": '{"found": "ü & <b>"}'}
PARTS: list[Json] = [{"type": "text", "text": "Which one?"}]
CONVERSATIONS: dict[str, tuple[list[dict[str, Json]], list[dict[str, Json]]]] = {
    "one message": ([user("hi")], []),
    "system": ([SYSTEM, user("hi\n")], []),
    "several turns": ([SYSTEM, user("Hello!"), assistant(" hi "), user("What?"), assistant("no"), user("Bye.")], []),
    "reasoning": ([user("hi"), assistant("42", reasoning="Hm.\nSo."), user("why?")], []),
    "think block in the text": ([user("hi"), assistant("<think>\nhm\n</think>\n\n42"), user("why?")], []),
    "tools": ([SYSTEM, user("hi")], [TOOL, {**TOOL, "x": 1}]),
    "tool calls": ([SYSTEM, user("hi"), assistant("I look.", a=1), RESULT, assistant("there"), user("more")], [TOOL]),
    "in a tool loop": ([user("hi"), assistant("", reasoning="Look.", a=1), RESULT, assistant("", a=2), RESULT], [TOOL]),
    "parts": ([{"role": "user", "content": PARTS}], []),
}
NAMES: dict[str, Any] = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}


def traced_items(name: str, items: list[dict[str, Json]]) -> list[Any]:
    return [provenance.trace(item, f"{name}[{index}]") for index, item in enumerate(items)]


def accepted(source: str) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Our render, the render with provenance and the inputs, for every conversation that the template accepts."""
    template = ChatTemplate(source)
    now = datetime.now().replace(tzinfo=UTC).timestamp()  # transformers reads the local clock
    for name, (messages, tools) in CONVERSATIONS.items():
        normal = messages if name == "parts" else [normalise_message(message) for message in messages]
        normal_tools = [normalise_tool(tool) for tool in tools]
        for generating in (True, False):
            variables: dict[str, Any] = {
                **NAMES,
                "messages": normal,
                "tools": normal_tools or None,
                "documents": None,
                "add_generation_prompt": generating,
            }
            traced = {
                **variables,
                "messages": traced_items("messages", normal),
                "tools": traced_items("tools", normal_tools) or None,
            }
            try:
                plain = template.render(variables, now)
            except RenderError:
                continue
            yield name, plain, template.render_traced(traced, now), variables


def templates(oracles: Path) -> list[Path]:
    return sorted((oracles / "templates").glob("*.jinja"))


def test_our_render_is_that_of_transformers(oracles: Path) -> None:
    renders = 0
    for path in templates(oracles):
        source = path.read_text("utf-8")
        for name, plain, _traced, variables in accepted(source):
            given_by_name = {key: value for key, value in variables.items() if key not in ("messages", "documents")}
            theirs: Any = render_jinja_template(
                conversations=[variables["messages"]], chat_template=source, **given_by_name
            )
            assert plain == theirs[0][0], f"{path.stem}: {name}"
            renders += 1
    assert renders > 800, "most templates take most conversations"


def test_what_we_refuse_transformers_refuses(oracles: Path) -> None:
    for path in templates(oracles):
        source = path.read_text("utf-8")
        taken = {name for name, *_ in accepted(source)}
        for name in CONVERSATIONS.keys() - taken:
            messages, tools = CONVERSATIONS[name]
            normal = messages if name == "parts" else [normalise_message(message) for message in messages]
            with pytest.raises(Exception):  # noqa: B017  a template may raise anything
                render_jinja_template(
                    conversations=[normal],
                    tools=[normalise_tool(tool) for tool in tools] or None,
                    chat_template=source,
                    add_generation_prompt=True,
                    **NAMES,
                )


def test_the_render_with_provenance_is_the_plain_render(oracles: Path) -> None:
    seen = 0
    for path in templates(oracles):
        for name, plain, traced, variables in accepted(path.read_text("utf-8")):
            assert traced == plain, f"{path.stem}: {name}"
            for span in provenance.spans(traced):
                field = variables["messages" if span.path.startswith("messages") else "tools"]
                assert int(span.path.partition("[")[2].partition("]")[0]) < len(field)
            seen += bool(provenance.spans(traced))
    assert seen > 800


def test_a_render_in_a_process_of_its_own_is_the_same(oracles: Path) -> None:
    seen = 0
    now = datetime.now().replace(tzinfo=UTC).timestamp()
    for path in templates(oracles):
        source = path.read_text("utf-8")
        confined = ConfinedTemplate(source)
        for name, plain, traced, variables in accepted(source):
            assert confined.render(variables, now) == plain, f"{path.stem}: {name}"
            found = confined.render_traced(variables, now)
            assert found == traced and provenance.spans(found) == provenance.spans(traced), f"{path.stem}: {name}"
            seen += 1
    assert seen > 800


def test_content_is_attributed_to_its_message(oracles: Path) -> None:
    """A user's text is printed as the content of that message, where a template prints plain text at all."""
    printed = 0
    for path in templates(oracles):
        for name, plain, traced, variables in accepted(path.read_text("utf-8")):
            if name != "several turns":
                continue
            found = {span.path: plain[span.start : span.stop] for span in provenance.spans(traced)}
            for index, message in enumerate(variables["messages"]):
                content = str(message["content"])
                if message["role"] == "user" and content in plain:
                    assert found.get(f"messages[{index}].content", "").strip() == content, path.stem
                    printed += 1
    assert printed > 300, "three texts, with and without a prompt for the reply, in most templates"


def test_most_templates_take_a_conversation_with_tools(oracles: Path) -> None:
    """So that the comparisons above are about tools, too."""
    taken = {
        path.stem
        for path in templates(oracles)
        for name, *_ in accepted(path.read_text("utf-8"))
        if name == "tool calls"
    }
    assert len(taken) >= 60, "of 72"
    assert {"qwen3", "gptoss", "llama3_1", "glm4moe", "gemma4"} <= taken


def test_starts_follow_the_text(model: ModelFiles, segmented: SegmentTokenizer) -> None:
    text = f"{added(model)[0]}user\nhello wörld{added(model)[0]}x"
    starts = segmented.starts(text)
    assert np.all(np.diff(starts) >= 0) and starts[0] == 0 and starts[-1] == len(text) - 1
