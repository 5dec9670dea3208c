"""Renders for the causes: each made once, and none where the template refuses."""

import numpy as np

from analysis.causes.fixes import Sent
from analysis.model.session import Request, TokenIds
from analysis.pipeline.counterfactual import REMEMBERED, Counterfactual
from tests.builders import ByteRenderer, request, tokens, user


class Counting(ByteRenderer):
    """Counts its renders and refuses what has no message."""

    made = 0

    def prompt_ids(self, request: Request, at: float | None) -> TokenIds:
        self.made += 1
        if not request.messages:
            raise ValueError("no message")
        return super().prompt_ids(request, at)


def test_a_request_is_rendered_once() -> None:
    renderer = Counting()
    rendering, asked = Counterfactual(renderer), Sent(request(user("a")), 1.0)
    first = rendering.ids(asked)
    assert first is not None and rendering.ids(asked) is first and renderer.made == 1
    assert rendering.ids(Sent(asked.request, 2.0)) is not None and renderer.made == 2, "another clock is another render"


def test_what_was_rendered_before_is_taken() -> None:
    renderer = Counting()
    rendering, asked, known = Counterfactual(renderer), Sent(request(user("a")), 1.0), tokens(1, 2)
    rendering.remember(asked, known)
    assert rendering.ids(asked) is known and renderer.made == 0


def test_what_cannot_be_rendered_has_no_tokens() -> None:
    assert Counterfactual(Counting()).ids(Sent(request(), None)) is None


def test_only_so_much_is_remembered() -> None:
    renderer = Counting()
    rendering = Counterfactual(renderer)
    asked = [Sent(request(user(str(number))), None) for number in range(REMEMBERED + 1)]
    for one in (*asked, asked[0]):
        rendering.ids(one)
    assert renderer.made == REMEMBERED + 2


def test_fields_texts_and_names() -> None:
    rendering, asked = Counterfactual(ByteRenderer()), request(user("hello"))
    ids = ByteRenderer().prompt_ids(asked, None)
    assert rendering.names == frozenset()
    assert rendering.text(ids) == "<user>\nhello\n<assistant>\n"
    found = rendering.attribution(Sent(asked, None), None, ids, 8)
    assert np.array_equal(found.token_ids, ids) and [span.path for span in found.spans] == ["messages[0].content"]
