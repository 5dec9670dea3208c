"""What was just added is one click away."""

import pandas as pd
import pytest

from app.added_view import LIST, SESSION, link_to
from app.desk_address import LONGEST, Params

SESSIONS = pd.DataFrame(
    {
        "session_key": [11, 12, 13, 14],
        "import_key": [1, 2, 2, 3],
        "session_id": ["acme-support-17", "a", "b", "c"],
        "source": ["proxy.jsonl", "two.jsonl", "two.jsonl", "x" * 999],
    }
)


@pytest.mark.parametrize(
    ("import_keys", "link"),
    [
        pytest.param((1,), (SESSION, "Open acme\\-support\\-17", {"session": ["11"]}), id="one session is opened"),
        pytest.param(
            (2,), (LIST, "Show only these 2 sessions", {"source": ["two.jsonl"]}), id="several are a list of their log"
        ),
        pytest.param(
            (1, 3),
            (LIST, "Show only these 2 sessions", {"source": ["proxy.jsonl", "x" * LONGEST]}),
            id="several logs, one with a long name",
        ),
        pytest.param((9,), None, id="nothing came of it"),
    ],
)
def test_the_link_leads_to_what_was_added(import_keys: tuple[int, ...], link: tuple[str, str, Params] | None) -> None:
    assert link_to(SESSIONS, import_keys) == link
