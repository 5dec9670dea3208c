"""Something beside the tokens is hashed with them: salt, adapter, image, seed."""

from typing import Any

import pytest

from analysis.causes import keys
from analysis.causes.keys import changed_image
from analysis.model.evidence import Counters
from analysis.model.session import JsonObject, Request
from tests.evidence import evidence, found, said

OTHERS: dict[str, Any] = {"unlimited_tokens": 0}  # nothing was left under the keys of this turn
NEVER_HIT: dict[str, Any] = {"counters": Counters(queries=900, hits=500, external_queries=400, external_hits=0)}


def image(content: str, kind: str = "image_url", **more: Any) -> JsonObject:
    payload: Any = {"url": content, **more.pop("payload", {})} if kind.endswith("_url") else content
    return {"role": "user", "content": [{"type": kind, kind: payload, **more}, {"type": "text", "text": "see"}]}


A, B = "data:image/png;base64,AAAA", "data:image/png;base64,BBBB"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        pytest.param(
            {"now": {"salt": "B"}, "then": {"salt": "A"}, "gap": OTHERS},
            [("key/cache-salt", "certain")],
            id="another salt",
        ),
        pytest.param({"now": {"salt": "B"}, "gap": OTHERS}, [("key/cache-salt", "certain")], id="a salt, before none"),
        pytest.param({"now": {"model": "sql"}, "gap": OTHERS}, [("key/lora", "certain")], id="another adapter"),
        pytest.param(
            {"now": {"model": "sql", "salt": "B"}, "gap": OTHERS},
            [("key/cache-salt", "certain"), ("key/lora", "certain")],
            id="both",
        ),
        pytest.param(
            {"now": {"messages": [image(B)]}, "then": {"messages": [image(A)]}, "gap": OTHERS},
            [("key/multimodal", "certain")],
            id="another image",
        ),
        pytest.param(
            {"now": {"messages": [image(B)]}, "then": {"messages": [image(A)]}, "gap": {"media_placed": False}},
            [("key/multimodal", "certain")],
            id="another image, and its tokens are not known",
        ),
        pytest.param(
            {
                "now": {"messages": [image("https://x/b")]},
                "then": {"messages": [image("https://x/a")]},
                "gap": {"media_placed": False},
            },
            [("key/multimodal", "likely")],
            id="another address, whose content may be the same",
        ),
        pytest.param(
            {"now": {"embeds": "b"}, "then": {"embeds": "a"}, "gap": OTHERS},
            [("key/multimodal", "certain")],
            id="other embeddings",
        ),
        pytest.param(
            {"now": {"messages": [image(B)]}, "then": {"messages": [image(A)]}},
            [],
            id="another image, behind all that was missed",
        ),
        pytest.param({"source": NEVER_HIT}, [("key/hash-seed", "possible")], id="the external cache never hits"),
        pytest.param({"source": NEVER_HIT, "first": True}, [("key/hash-seed", "possible")], id="on a first turn too"),
        pytest.param({}, [], id="the same keys"),
        pytest.param({"now": {"salt": "A"}, "then": {"salt": "A"}, "gap": OTHERS}, [], id="the same salt"),
        pytest.param(
            {"now": {"salt": "B"}, "then": {"salt": "A"}}, [], id="another salt, under which as much was left"
        ),
        pytest.param({"now": {"salt": "B"}, "gap": OTHERS, "first": True}, [], id="a first turn"),
        pytest.param({"now": {"salt": "B"}, "gap": OTHERS, "best": 0}, [], id="nothing was missed"),
        pytest.param({"now": {"salt": "B"}, "gap": OTHERS, "cached": None}, [], id="nothing was reported"),
        pytest.param({"now": {"messages": [image(A)]}, "then": {"messages": [image(A)]}}, [], id="the same image"),
        pytest.param(
            {"source": {"counters": Counters(hits=500, external_queries=400, external_hits=16)}}, [], id="it was hit"
        ),
        pytest.param({"source": {"counters": Counters(hits=500, external_queries=0)}}, [], id="it was never asked"),
        pytest.param(
            {"source": {"counters": Counters(hits=0, external_queries=400, external_hits=0)}},
            [],
            id="nothing was hit locally either",
        ),
        pytest.param({"source": {"counters": Counters(hits=500)}}, [], id="no external cache"),
    ],
)
def test_keys(asked: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert said(list(keys.explain(evidence(**asked)))) == expected


@pytest.mark.parametrize(
    ("then", "now", "changed"),
    [
        pytest.param([image(A)], [image(B)], ("messages[0].content[0]", True), id="bytes"),
        pytest.param([image(A), image(A)], [image(A), image(B)], ("messages[1].content[0]", True), id="the second one"),
        pytest.param([image("u", "image")], [image("v", "image")], ("messages[0].content[0]", True), id="a hash"),
        pytest.param([image(A, uuid="1")], [image(A, uuid="2")], ("messages[0].content[0]", True), id="uuid"),
        pytest.param([image("https://a")], [image("https://b")], ("messages[0].content[0]", False), id="addresses"),
        pytest.param([image("https://a")], [image(A)], ("messages[0].content[0]", True), id="an address, now bytes"),
        pytest.param(
            [image("a", "video_url")], [image("b", "video_url")], ("messages[0].content[0]", True), id="video"
        ),
        pytest.param([image(A, uuid="1")], [image(B, uuid="1")], None, id="the uuid stands for the bytes"),
        pytest.param([image(A)], [image(A, payload={"detail": "high"})], None, id="detail is not hashed"),
        pytest.param([image(A)], [image(A), image(B)], None, id="one more"),
        pytest.param([image(A)], [{"role": "user", "content": "see"}], None, id="no image any more"),
        pytest.param([image(A)], [{"role": "user", "content": [{"type": "text"}]}], None, id="a text there now"),
        pytest.param([{"content": [{"type": "image_url"}]}], [image(A)], None, id="an image without content"),
        pytest.param([], [], None, id="no messages"),
    ],
)
def test_changed_image(then: list[JsonObject], now: list[JsonObject], changed: tuple[str, bool] | None) -> None:
    assert changed_image(Request("chat", "m", tuple(then)), Request("chat", "m", tuple(now))) == changed


def test_a_salt_owns_what_its_blocks_would_have_given_and_no_more() -> None:
    """96 tokens were left under the new salt and missed for another reason, which is not known."""
    asked = evidence(now={"salt": "B"}, then={"salt": "A"}, gap={"unlimited_tokens": 96})
    assert found(asked)[0] == [("key/cache-salt", "certain", 224), ("unexplained", "possible", 96)]


def test_the_salt_itself_is_never_said() -> None:
    (cause,) = keys.explain(evidence(now={"salt": "5ec2e7"}, then={"salt": "0ld"}, gap=OTHERS))
    assert "5ec2e7" not in repr(cause) and "0ld" not in repr(cause)


def test_a_seed_loses_to_an_eviction_that_is_better_proven() -> None:
    asked = evidence(source=NEVER_HIT, gap={"removed_blocks": 20, "missing_blocks": 20})
    assert found(asked)[0] == [("capacity/eviction", "certain", 320)]
