"""What is said of a long piece of work, and how often."""

import pytest

from app.pace import Pace


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("stage", "done", "total", "after", "line"),
    [
        pytest.param("turns analysed", 250, 1000, 0.0, "250 of 1,000 turns analysed", id="at once"),
        pytest.param("turns analysed", 250, 1000, 1.9, "250 of 1,000 turns analysed", id="too early to judge"),
        pytest.param("turns analysed", 250, 1000, 4.0, "250 of 1,000 turns analysed, about 12 s left", id="a quarter"),
        pytest.param("turns analysed", 0, 1000, 4.0, "0 of 1,000 turns analysed", id="nothing to judge by"),
        pytest.param("turns analysed", 1000, 1000, 4.0, "1,000 of 1,000 turns analysed", id="nothing left"),
        pytest.param("turns analysed", 1, 100, 5.0, "1 of 100 turns analysed, about 8 min left", id="minutes"),
        pytest.param("turns analysed", 1, 1000, 60.0, "1 of 1,000 turns analysed, about 16.6 h left", id="hours"),
        pytest.param("bytes read", 500, 2000, 0.0, "500 of 2,000 bytes read", id="few bytes"),
        pytest.param("bytes read", 5e7, 1e9, 0.0, "50.0 of 1,000.0 MB read", id="many bytes"),
        pytest.param("bytes read (file 2 of 3)", 1e6, 4e6, 0.0, "1.0 of 4.0 MB read (file 2 of 3)", id="files"),
    ],
)
def test_line(stage: str, done: float, total: float, after: float, line: str) -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.line(stage, 0, int(total))
    clock.now += after
    if after == 0:
        pace = Pace(clock)
    assert pace.line(stage, int(done), int(total)) == line


def test_it_speaks_ten_times_a_second_and_at_every_end() -> None:
    clock = Clock()
    pace = Pace(clock)
    said = []
    for done in range(1, 101):
        clock.now += 0.01
        said.append(pace.line("turns analysed", done, 100))
    assert [index + 1 for index, line in enumerate(said) if line] == [1, 11, 21, 31, 41, 51, 61, 71, 81, 91, 100]


def test_a_new_stage_has_a_new_estimate() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.line("bytes read", 1, 2)
    clock.now += 60
    assert pace.line("turns analysed", 1, 2) == "1 of 2 turns analysed"
    clock.now += 3
    assert pace.line("turns analysed", 1, 2) == "1 of 2 turns analysed, about 3 s left"
