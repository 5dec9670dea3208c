"""Where two sides part, told by the token alone."""

import numpy as np
import pytest

from analysis.causes.comparison import Place
from analysis.model.prompt import Attribution, Segment

EMPTY = Attribution("", np.array([], np.int32), np.array([], np.int32), (), "searched")
TEMPLATE = Segment("template", None)


@pytest.mark.parametrize(
    ("token", "in_reply", "generation", "inside"),
    [
        pytest.param(10, False, 10, True, id="its first token"),
        pytest.param(9, False, 10, False, id="before it"),
        pytest.param(12, True, 10, False, id="in the reply"),
        pytest.param(10, False, None, False, id="not known"),
    ],
)
def test_in_the_generation_prompt(token: int, in_reply: bool, generation: int | None, inside: bool) -> None:
    place = Place(token, token, token, EMPTY, EMPTY, TEMPLATE, TEMPLATE, "", "", "", in_reply, generation)
    assert place.in_generation_prompt is inside
