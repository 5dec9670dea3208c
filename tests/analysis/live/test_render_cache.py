"""Renders are kept by what reaches the prompt, and forgotten by the number of tokens."""

from dataclasses import replace

import numpy as np

from analysis.live.answers import Rendered
from analysis.live.render_cache import RenderCache, digest_of
from analysis.model.session import Request

ASKED = Request("chat", "m", ({"role": "user", "content": "hi"},), salt="a")


def _rendered(num_tokens: int) -> Rendered:
    return Rendered(np.zeros(num_tokens, np.int32))


def test_the_salt_does_not_reach_the_prompt_and_the_rest_does() -> None:
    assert digest_of(ASKED) == digest_of(replace(ASKED, salt="b"))
    others = (
        replace(ASKED, model="n"),
        replace(ASKED, messages=({"content": "hi", "role": "user"},)),
        replace(ASKED, template_kwargs={"enable_thinking": False}),
        replace(ASKED, add_generation_prompt=False),
        Request("completion", "m", prompt="hi"),
        Request("completion", "m", prompt=np.array([1], np.int32)),
        Request("completion", "m"),
    )
    assert len({digest_of(request) for request in (ASKED, *others)}) == 8


def test_a_render_with_offsets_serves_both_wishes() -> None:
    cache, with_offsets, without = RenderCache(), _rendered(1), _rendered(1)
    cache.keep(b"x", without, offsets=False)
    assert cache.find(b"x", offsets=False) is without
    assert cache.find(b"x", offsets=True) is None
    cache.keep(b"x", with_offsets, offsets=True)
    assert cache.find(b"x", offsets=False) is cache.find(b"x", offsets=True) is with_offsets


def test_those_used_longest_ago_are_forgotten() -> None:
    cache = RenderCache(kept_tokens=10)
    for name in (b"a", b"b"):
        cache.keep(name, _rendered(5), offsets=False)
    assert cache.find(b"a", offsets=False) is not None
    cache.keep(b"c", _rendered(5), offsets=False)
    assert [cache.find(name, offsets=False) is not None for name in (b"a", b"b", b"c")] == [True, False, True]


def test_a_render_over_the_limit_is_not_kept() -> None:
    cache = RenderCache(kept_tokens=10)
    cache.keep(b"a", _rendered(11), offsets=False)
    assert cache.find(b"a", offsets=False) is None
