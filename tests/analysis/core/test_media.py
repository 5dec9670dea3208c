"""Images: who they are, where they stand, and how far two prompts share them."""

from typing import Any

import numpy as np
import pytest

from analysis.core.media import extra_keys, marks, of_features, placed, sent, shared_tokens
from analysis.model.session import Json, JsonObject, Media, Request
from tests.builders import tokens

PAD = 9_999
A, B = "data:image/png;base64,AAAA", "data:image/png;base64,BBBB"


def seen(*parts: JsonObject) -> Request:
    return Request("chat", "m", ({"role": "user", "content": [*parts, {"type": "text", "text": "see"}]},))


def image(url: str, **more: Any) -> JsonObject:
    return {"type": "image_url", "image_url": {"url": url}, **more}


def test_an_image_is_known_by_its_uuid_else_by_what_was_sent() -> None:
    one, other, named, again, remote = sent(
        seen(image(A), image(B), image(A, uuid="u"), image(A), image("https://x/a.png"))
    )
    assert one.path == "messages[0].content[0]" and named.path == "messages[0].content[2]"
    assert one.identity == again.identity != other.identity
    assert named.identity == "u"
    assert [part.remote for part in (one, named, remote)] == [False, False, True]


@pytest.mark.parametrize(
    ("parts", "ids", "places"),
    [
        pytest.param([], [*range(40)], [], id="no image"),
        pytest.param([A], [1, 2, *[PAD] * 20, 3], [(2, 22)], id="one"),
        pytest.param([A, B], [1, *[PAD] * 16, 2, *[PAD] * 30], [(1, 17), (18, 48)], id="two"),
        pytest.param([A], [*[7] * 20, 1, *[7] * 20, 2, *[PAD] * 20], [(42, 62)], id="a line of equal text twice"),
        pytest.param([A], [1, *[PAD] * 15, 2], None, id="too short to be sure"),
        pytest.param([A], [*[7] * 20, *[PAD] * 20], None, id="two ids would fit"),
        pytest.param([A, B], [1, *[PAD] * 20], None, id="two images, one run"),
        pytest.param([A], [], None, id="no ids"),
    ],
)
def test_placed(parts: list[str], ids: list[int], places: list[tuple[int, int]] | None) -> None:
    found = placed(seen(*map(image, parts)), tokens(ids))
    assert (None if found is None else [(one.start, one.stop) for one in found]) == places


def test_features_of_a_render() -> None:
    features: Json = {
        "mm_hashes": {"image": ["h1", "h2"], "audio": ["h3"]},
        "mm_placeholders": {
            "image": [{"offset": 2, "length": 4}, {"offset": 20, "length": 5}],
            "audio": [{"offset": 9, "length": 1}],
        },
        "kwargs_data": None,
    }
    assert of_features(features, 25) == (Media(2, 6, "h1"), Media(9, 10, "h3"), Media(20, 25, "h2"))
    assert of_features(None, 25) == of_features({"mm_hashes": {}, "mm_placeholders": None}, 25) == ()


@pytest.mark.parametrize(
    "features",
    [
        pytest.param([], id="no object"),
        pytest.param({"mm_hashes": {"image": ["h"]}}, id="hashes without places"),
        pytest.param({"mm_placeholders": {"image": [{"offset": 0, "length": 1}]}}, id="places without hashes"),
        pytest.param({"mm_hashes": {"image": ["h"]}, "mm_placeholders": {"image": "x"}}, id="no list"),
        pytest.param({"mm_hashes": {"image": ["h"]}, "mm_placeholders": {"image": [3]}}, id="no range"),
        pytest.param(
            {"mm_hashes": {"image": ["h", "i"]}, "mm_placeholders": {"image": [{"offset": 0, "length": 1}]}},
            id="one too many",
        ),
        pytest.param(
            {"mm_hashes": {"image": ["h"]}, "mm_placeholders": {"image": [{"offset": 24, "length": 2}]}},
            id="past the prompt",
        ),
        pytest.param(
            {"mm_hashes": {"image": ["h"] * 2}, "mm_placeholders": {"image": [{"offset": 0, "length": 2}] * 2}},
            id="one place twice",
        ),
        pytest.param(
            {"mm_hashes": {"image": [4]}, "mm_placeholders": {"image": [{"offset": 4, "length": 2}]}}, id="no hash"
        ),
        pytest.param(
            {"mm_hashes": {"image": ["h"]}, "mm_placeholders": {"image": [{"offset": "4", "length": 2}]}},
            id="no number",
        ),
    ],
)
def test_features_that_do_not_fit(features: Json) -> None:
    with pytest.raises(ValueError, match="features"):
        of_features(features, 25)


FIRST, MOVED, OTHER, NEXT = Media(10, 20, "a"), Media(12, 22, "a"), Media(10, 20, "b"), Media(30, 40, "c")


@pytest.mark.parametrize(
    ("ours", "theirs", "shared"),
    [
        pytest.param([], [], 35, id="none"),
        pytest.param([FIRST], [FIRST], 35, id="the same"),
        pytest.param([FIRST], [OTHER], 10, id="another"),
        pytest.param([FIRST], [MOVED], 10, id="another place"),
        pytest.param([FIRST, NEXT], [FIRST], 30, id="one more"),
        pytest.param([FIRST], [FIRST, Media(40, 50, "d")], 35, id="one more behind what is shared"),
    ],
)
def test_shared_tokens(ours: list[Media], theirs: list[Media], shared: int) -> None:
    assert shared_tokens(35, ours, theirs) == shared_tokens(35, theirs, ours) == shared


def test_extra_keys_count_from_the_block() -> None:
    """An image that began in an earlier block has a negative offset there, as vLLM hashes it."""
    assert extra_keys([FIRST], 0, 8) == ()
    assert extra_keys([FIRST], 8, 16) == (("mm", "a", 2),)
    assert extra_keys([FIRST, NEXT], 16, 32) == (("mm", "a", -6), ("mm", "c", 14))
    assert extra_keys([FIRST], 20, 28) == ()


def test_marks_stand_on_the_blocks_of_an_image_and_differ_with_it() -> None:
    one, other, moved = (marks([media], 8, 5) for media in (FIRST, OTHER, MOVED))
    assert np.flatnonzero(one).tolist() == [1, 2]
    assert one[1] != other[1] and one[1] != moved[1] and one[1] != one[2]
    assert marks([NEXT], 8, 4).tolist()[:3] == [0, 0, 0], "the image goes on behind the last full block"
