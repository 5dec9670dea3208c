"""Requests against each other, however they come: bodies, records, renders or ids; with and without a server."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from analysis.formats.base import FormatError
from analysis.live.renderer import LiveRenderer
from analysis.live.vllm import VllmServer
from analysis.model.record import SessionRecord
from analysis.model.renderer import Renderer
from analysis.model.session import Json
from analysis.model.settings import Settings
from analysis.pipeline.compare import compare
from analysis.pipeline.sources import LogFile
from analysis.render.errors import RenderError
from analysis.render.template import TemplateRenderer
from tests.builders import ByteRenderer, assistant, user
from tests.recorded_words import detokenize
from tests.replay_server import Exchange, ReplayServer, Reply, exchange, request_of

SYSTEM: dict[str, Json] = {"role": "system", "content": "You are a careful agent. " * 4}
RENDER = "/v1/chat/completions/render"


def body(*messages: Mapping[str, Json], **fields: Any) -> dict[str, Any]:
    return {"model": "bytes", "messages": [SYSTEM, *messages], **fields}


def files(*contents: Any) -> list[LogFile]:
    """Each value as a file a.json, b.json, …; bytes as they are."""
    return [
        LogFile(f"{chr(97 + index)}.json", content if isinstance(content, bytes) else json.dumps(content).encode())
        for index, content in enumerate(contents)
    ]


def compared(*contents: Any, renderer: Renderer | None = None, block_size: int = 16) -> SessionRecord:
    return compare(files(*contents), lambda model: renderer, Settings(block_size, "given"))


def place(record: SessionRecord) -> tuple[int, str, str]:
    """Token, field now and field before of the last divergence."""
    found = record.turns[-1].divergence
    assert found is not None and found.segment is not None and found.previous_segment is not None
    return found.token, found.segment.path, found.previous_segment.path


def length(request_body: Mapping[str, Any]) -> int:
    return len(ByteRenderer().prompt_ids(request_of(dict(request_body)), None))


ASKED = body(user("What is the answer?"))
EDITED = body(user("What was the answer?"))


def test_two_bodies_part_where_their_text_does() -> None:
    record = compared(ASKED, EDITED, renderer=ByteRenderer())
    token, now, then = place(record)
    assert (now, then) == ("messages[1].content", "messages[1].content")
    assert bytes(record.full_ids[0][:token].astype("u1")).endswith(b"What ")  # type: ignore[index]
    later = record.turns[-1]
    assert [turn.request_id for turn in record.turns] == ["a.json", "b.json"]
    assert later.previous is not None and later.previous.lcp_tokens == token
    assert later.reusable_tokens == token // 16 * 16
    assert later.divergence is not None and later.divergence.new is not None
    assert later.divergence.new.startswith("was the answer?")


def test_a_longer_conversation_does_not_part_from_its_beginning() -> None:
    record = compared(ASKED, body(user("What is the answer?"), assistant("42"), user("why?")), renderer=ByteRenderer())
    assert record.turns[1].divergence is None
    assert record.turns[1].reusable_tokens == length(ASKED) // 16 * 16


@pytest.mark.parametrize(("block_size", "reusable"), [(16, 144), (1, 148), (128, 128), (149, 0)])
def test_identical_bodies_compute_at_least_the_last_token_again(block_size: int, reusable: int) -> None:
    assert length(ASKED) == 149
    record = compared(ASKED, ASKED, renderer=ByteRenderer(), block_size=block_size)
    assert record.turns[1].divergence is None
    assert record.turns[1].reusable_tokens == reusable


def test_a_shorter_prompt_does_not_part_from_the_longer_one() -> None:
    record = compared(list(range(60)), list(range(40)))
    assert record.turns[1].divergence is None and record.turns[1].reusable_tokens == 32


def test_more_than_two_are_compared_pair_by_pair() -> None:
    record = compared(ASKED, EDITED, EDITED, renderer=ByteRenderer())
    assert [turn.divergence is not None for turn in record.turns] == [False, True, False]
    assert [turn.previous.turn for turn in record.turns if turn.previous] == [1, 2]


def test_the_order_given_counts_and_not_the_time_in_it() -> None:
    first = {"ts_start": 20.0, "request": ASKED}
    second = {"ts_start": 10.0, "request": EDITED}
    record = compared(first, second, renderer=ByteRenderer())
    assert [turn.request_id for turn in record.turns] == ["a.json", "b.json"]
    assert record.turns[1].divergence is not None


def test_lines_of_one_file_are_requests_too() -> None:
    lines = "\n".join(json.dumps(one) for one in (ASKED, EDITED)).encode()
    record = compare([LogFile("two.jsonl", lines)], lambda model: ByteRenderer(), Settings())
    assert [turn.request_id for turn in record.turns] == ["two.jsonl:1", "two.jsonl:2"]
    assert place(record) == place(compared(ASKED, EDITED, renderer=ByteRenderer()))


EARLIER, LATER = [*range(100, 140)], [*range(100, 120), 7, 8, 9]


@pytest.mark.parametrize(
    "wrap",
    [
        pytest.param(lambda ids: ids, id="a bare list"),
        pytest.param(lambda ids: {"token_ids": ids, "token_offsets": None}, id="a chat render"),
        pytest.param(lambda ids: [{"token_ids": ids}], id="a completion render"),
        pytest.param(lambda ids: {"tokens": ids, "count": len(ids)}, id="an answer of tokenize"),
        pytest.param(lambda ids: {"prompt_token_ids": ids, "choices": []}, id="an answer with the prompt's ids"),
        pytest.param(lambda ids: {"model": "m", "prompt": ids}, id="a completion request of ids"),
    ],
)
def test_ids_need_no_tokenizer(wrap: Any) -> None:
    record = compared(wrap(EARLIER), wrap(LATER))
    later = record.turns[1]
    assert later.divergence is not None
    assert (later.divergence.token, later.divergence.segment, later.reusable_tokens) == (20, None, 16)
    assert [turn.fidelity for turn in record.turns] == ["logged", "logged"]


NO_REQUEST = "no request in it that could be read"
INCOMPLETE = "not complete JSON. Paste or give the whole body."


@pytest.mark.parametrize(
    ("contents", "words"),
    [
        pytest.param([ASKED], "a comparison needs two requests; only one was given", id="one body only"),
        pytest.param([ASKED, b""], "b.json: empty. Give a request body", id="an empty file"),
        pytest.param([ASKED, b'{"messages": ['], f"b.json: {INCOMPLETE}", id="broken JSON"),
        pytest.param([ASKED, b'\n{"messages": [\n'], f"b.json: {INCOMPLETE}", id="broken JSON on a line of its own"),
        pytest.param([ASKED, b"[1, 2, 3"], f"b.json: {INCOMPLETE}", id="broken ids"),
        pytest.param([ASKED, b'{"messages":\n['], f"b.json: {NO_REQUEST}", id="broken JSON over several lines"),
        pytest.param([ASKED, {"hello": 1}], f"b.json: {NO_REQUEST}", id="something else"),
        pytest.param([ASKED, b"\xff\xfe\0"], f"b.json: {INCOMPLETE}", id="binary"),
        pytest.param([[], EARLIER], f"a.json: {NO_REQUEST}", id="no ids"),
        pytest.param([[1, "2"], EARLIER], f"a.json: {NO_REQUEST}", id="ids that are none"),
        pytest.param([[1, 2**63], EARLIER], f"a.json: {NO_REQUEST}", id="ids no vocabulary has"),
    ],
)
def test_what_cannot_be_compared_is_named(contents: list[Any], words: str) -> None:
    with pytest.raises(FormatError) as caught:
        compared(*contents, renderer=ByteRenderer())
    assert str(caught.value).startswith(words)


def test_a_broken_line_of_several_is_left_out() -> None:
    lines = b"\n".join((json.dumps(ASKED).encode(), b'{"messages": [', json.dumps(EDITED).encode(), b""))
    record = compare([LogFile("two.jsonl", lines)], lambda model: ByteRenderer(), Settings())
    assert [turn.request_id for turn in record.turns] == ["two.jsonl:1", "two.jsonl:3"]


def test_bodies_need_not_name_a_model_or_have_a_response() -> None:
    bare = [{"messages": one["messages"]} for one in (ASKED, EDITED)]
    assert place(compared(*bare, renderer=ByteRenderer())) == place(compared(ASKED, EDITED, renderer=ByteRenderer()))


@pytest.mark.parametrize(("model", "named"), [("qwen", "the model 'qwen'"), ("", "a request that names no model")])
def test_a_missing_tokenizer_names_the_remedy(model: str, named: str) -> None:
    with pytest.raises(FormatError) as caught:
        compared(ASKED, {**EDITED, "model": model})
    assert "a.json: no tokenizer for the model 'bytes'" in str(caught.value)
    with pytest.raises(FormatError, match=f"b.json: no tokenizer for {named}. Give its folder"):
        compared(EARLIER, {**EDITED, "model": model})


def test_a_request_that_cannot_be_rendered_says_why() -> None:
    class Refuses(ByteRenderer):
        def prompt_ids(self, request: Any, at: float | None) -> Any:
            raise RenderError("roles must alternate")

    with pytest.raises(FormatError, match=r"not rendered: roles must alternate\. Log token ids"):
        compared(ASKED, EDITED, renderer=Refuses())


CALLED = (user("Where is it?"), assistant("", reasoning="look first", path="a.py"), user("and now?"))
CHANGED = (user("Where is it?"), assistant("", reasoning="look first", path="b.py"), user("and now?"))


@pytest.fixture
def live_and_local(sample_renderer: TemplateRenderer) -> Iterator[tuple[Renderer, Renderer]]:
    """A server that renders as the sample model does, and the sample model itself."""

    def text_of(token_ids: list[int]) -> str:
        return b"".join(sample_renderer.token_bytes(token_ids)).decode("utf-8", "replace")

    with ReplayServer(detokenize=text_of) as server:
        for one in (body(*CALLED), body(*CHANGED)):
            rendered = sample_renderer.prompt_ids(request_of(one), None).tolist()
            server.recorded.append(_render(one, rendered))
            server.recorded.append(_render({**one, "return_token_offsets": True}, rendered))
        yield LiveRenderer(VllmServer(server.url)), sample_renderer


def _render(sent: dict[str, Any], token_ids: list[int]) -> Exchange:
    answer = {"token_ids": token_ids, "token_offsets": None}
    return Exchange("made", "POST", RENDER, sent, Reply(200, json.dumps(answer).encode()))


def test_a_server_and_its_model_name_the_same_field_and_token(live_and_local: tuple[Renderer, Renderer]) -> None:
    live, local = (compared(body(*CALLED), body(*CHANGED), renderer=one) for one in live_and_local)
    assert place(live) == place(local)
    assert place(live)[1:] == ("messages[2].tool_calls[0]",) * 2
    bases = [turn.divergence.segment_basis for record in (live, local) for turn in record.turns if turn.divergence]
    assert bases == ["searched", "provenance"]


def test_ids_part_at_the_token_where_their_bodies_do(live_and_local: tuple[Renderer, Renderer]) -> None:
    _live, local = live_and_local
    bodies = (body(*CALLED), body(*CHANGED))
    ids = [local.prompt_ids(request_of(one), None).tolist() for one in bodies]
    found = compared(*ids).turns[1].divergence
    assert found is not None and found.token == place(compared(*bodies, renderer=local))[0]


def test_what_a_real_server_rendered() -> None:
    """The same system text, then with tools behind it: its last token is another one."""
    plain, tools = (exchange("serve-block128", name) for name in ("render_plain", "render_tools"))
    ids = [json.loads(known.reply.body)["token_ids"] for known in (plain, tools)]
    by_ids = compared(*ids).turns[1].divergence
    with ReplayServer("serve-block128", detokenize=detokenize) as server:
        live = compared(plain.sent, tools.sent, renderer=LiveRenderer(VllmServer(server.url)))
    found = live.turns[1].divergence
    assert by_ids is not None and place(live) == (by_ids.token, "messages[0].content", "messages[0].content")
    assert found is not None and found.before == "<|im_start|>system\nYou are a helpful agent"
    assert found.old is not None and found.old.startswith(".<|im_end|>\n<|im_start|>user\n")
    assert found.new is not None and found.new.startswith(".\n\n# Tools\n")
