from itertools import combinations

import pytest

from analysis.model.finding import BLOCK_STATES
from analysis.report.palette import ALARM, DARK, LIGHT, STATE_OF_PART, Palette, palette

THEMES = [pytest.param(LIGHT, id="light"), pytest.param(DARK, id="dark")]

# Deuteranopia in linear RGB: Machado, Oliveira and Fernandes 2009, severity 1.0.
DEUTERANOPIA = (
    (0.367322, 0.860646, -0.227968),
    (0.280085, 0.672501, 0.047413),
    (-0.011820, 0.042940, 0.968881),
)
TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
WHITE = (0.95047, 1.0, 1.08883)

Triple = tuple[float, float, float]


def linear(colour: str) -> Triple:
    """sRGB ``#rrggbb`` as linear light."""
    channels = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels)
    return red, green, blue


def times(matrix: tuple[Triple, ...], vector: Triple) -> Triple:
    x, y, z = (sum(factor * value for factor, value in zip(row, vector, strict=True)) for row in matrix)
    return x, y, z


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2."""
    dark, light = sorted(times(TO_XYZ, linear(colour))[1] for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def lab(light: Triple) -> Triple:
    def root(value: float) -> float:
        return value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116

    x, y, z = (root(value / white) for value, white in zip(times(TO_XYZ, light), WHITE, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one: str, other: str, *, deuteranope: bool) -> float:
    """Colour difference (CIE 1976), about 2 for a just noticeable one."""
    seen = []
    for colour in (one, other):
        light = linear(colour)
        if deuteranope:
            red, green, blue = (min(1.0, max(0.0, value)) for value in times(DEUTERANOPIA, light))
            light = red, green, blue
        seen.append(lab(light))
    return sum((a - b) ** 2 for a, b in zip(*seen, strict=True)) ** 0.5


def drawn_side_by_side(theme: Palette) -> dict[str, str]:
    """What the map draws without hatching, which needs no colour of its own."""
    states: dict[str, str] = {state: theme.states[state] for state in BLOCK_STATES if state != "unreported"}
    return states | {"cached_tokens tick": theme.reported}


@pytest.mark.parametrize("theme", THEMES)
def test_text_is_readable(theme: Palette) -> None:
    assert contrast(theme.text, theme.background) >= 7


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("role", ["reported", "predicted", "prompt"])
def test_chart_marks_stand_out(theme: Palette, role: str) -> None:
    assert contrast(getattr(theme, role), theme.background) >= 3


@pytest.mark.parametrize("deuteranope", [False, True])
@pytest.mark.parametrize("theme", THEMES)
def test_what_the_map_draws_side_by_side_can_be_told_apart(theme: Palette, deuteranope: bool) -> None:
    for (one, colour), (other, other_colour) in combinations(drawn_side_by_side(theme).items(), 2):
        assert distance(colour, other_colour, deuteranope=deuteranope) > 15, f"{one} and {other}"


@pytest.mark.parametrize("theme", THEMES)
def test_predicted_and_reported_never_share_a_colour(theme: Palette) -> None:
    assert distance(theme.predicted, theme.reported, deuteranope=True) > 30
    assert theme.predicted not in theme.states.values()
    assert theme.reported not in theme.states.values()


def test_every_state_has_a_rank_and_every_part_a_colour() -> None:
    assert set(ALARM) == set(BLOCK_STATES) == set(LIGHT.states) == set(DARK.states)
    assert [LIGHT.part(part) for part in ("cached", "missed", "rounding", "lost", "new")] == [
        LIGHT.states[state] for state in ("reused", "missed", "tail", "lost", "new")
    ]
    assert STATE_OF_PART["unreported"] == "unreported"
    assert LIGHT.part("unreported") == LIGHT.part("cached"), "told apart by hatching alone"


def test_palette_follows_the_theme() -> None:
    assert palette(dark=True) is DARK
    assert palette(dark=False) is LIGHT


@pytest.mark.parametrize("theme", THEMES)
def test_series_are_seen_on_their_background(theme: Palette) -> None:
    assert len(set(theme.series)) == 8
    assert {
        colour: contrast(colour, theme.background) for colour in theme.series if contrast(colour, theme.background) < 3
    } == {}
