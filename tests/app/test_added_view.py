"""What was just added is one click away."""

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from app.added_view import added, are_apart, list_of
from app.desk_address import LONGEST, Asked, asked_by, query_of

SESSIONS = pd.DataFrame(
    {
        "session_key": [11, 12, 13, 14],
        "import_key": [1, 2, 2, 3],
        "session_id": ["acme-support-17", "a", "b", "c"],
        "source": ["proxy.jsonl", "two.jsonl", "two.jsonl", "x" * 999],
    }
)


def test_only_what_was_added_is_listed() -> None:
    assert added(SESSIONS, (1,)).session_id.tolist() == ["acme-support-17"]
    assert added(SESSIONS, (2, 3)).session_id.tolist() == ["a", "b", "c"]
    assert added(SESSIONS, (9,)).empty


def test_the_list_is_asked_for_by_log_and_its_address_says_so() -> None:
    assert list_of(added(SESSIONS, (2,))) == Asked(source=("two.jsonl",))
    several = list_of(added(SESSIONS, (1, 3)))
    assert several == Asked(source=("proxy.jsonl", "x" * LONGEST)) == asked_by(query_of(several))


def test_logs_of_one_request_each_are_told_to_be_joined() -> None:
    turns = SESSIONS.assign(num_turns=1)
    assert are_apart(turns) and not are_apart(turns.assign(num_turns=[1, 1, 1, 2]))
    assert not are_apart(added(turns, (2,))), "one log may hold several conversations of one request"


@pytest.mark.parametrize("num_logs", [2, 2000])
def test_a_list_that_no_address_can_name_is_not_offered(monkeypatch: pytest.MonkeyPatch, num_logs: int) -> None:
    rows = [
        {**SESSIONS.iloc[0], "source": f"{number}.jsonl", "num_turns": 2, "verdict": "x"} for number in range(num_logs)
    ]
    monkeypatch.setattr("app.session_table.sessions", lambda: pd.DataFrame(rows))
    shown = AppTest.from_string("from app.added_view import message\nmessage('Added.', (1,))").run()
    button = next(one for one in shown.button if one.label.startswith("Show only these"))
    assert (button.disabled, "More logs than an address can name" in (button.help or "")) == 2 * (num_logs > 2,)
