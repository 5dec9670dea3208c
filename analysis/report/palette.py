"""The colours of every picture, light and dark: the one place that names a colour.

States of the block map and parts of the token account share colours where they mean the same.  What Whymiss
predicts and what the server reported never share one.  A colour never stands alone: the pictures add shape,
hatching or words.  Does not style anything itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from analysis.core.account import ALARM as RISING_ALARM
from analysis.core.account import STATE_OF_PART
from analysis.model.finding import BLOCK_STATES, BlockState, PartName

# Most alarming first: where several blocks share a pixel, the earliest of these is shown.
ALARM: tuple[BlockState, ...] = ("diverged", *reversed(RISING_ALARM))

HATCHED: frozenset[BlockState] = frozenset({"unreported"})


@dataclass(frozen=True, slots=True)
class Palette:
    """One theme.  ``states`` is keyed by block state; every colour is ``#rrggbb``.

    ``hatch`` is drawn over a state that is hatched, ``prompt`` outlines the length of a prompt, ``grid`` and
    ``text`` are for axes; ``background`` and ``text`` are those of the dashboard's theme.  ``link`` and ``soft``, a
    background of quotes, are for reports.  ``series`` are for names that mean nothing else, the largest first.
    """

    states: Mapping[BlockState, str]
    predicted: str
    reported: str
    prompt: str
    hatch: str
    background: str
    text: str
    grid: str
    link: str
    soft: str
    series: tuple[str, ...]

    def part(self, name: PartName) -> str:
        """The colour of a part of the token account."""
        return self.states[STATE_OF_PART[name]]


def _states(*colours: str) -> Mapping[BlockState, str]:
    return MappingProxyType(dict(zip(BLOCK_STATES, colours, strict=True)))


LIGHT = Palette(
    states=_states("#2F6DB5", "#111111", "#F2C14E", "#D5D8DD", "#2A9D8F", "#D55E00", "#2F6DB5"),
    predicted="#1E2A44",
    reported="#7B16E8",
    prompt="#8A919C",
    hatch="#DCE8F6",
    background="#FFFFFF",
    text="#141312",
    grid="#E3E6EB",
    link="#1F57A0",
    soft="#F4F5F7",
    series=("#0B5FA5", "#C44E00", "#3A8F5C", "#8A5FBF", "#9A7200", "#2A86AD", "#B04A6F", "#6B7280"),
)

DARK = Palette(
    states=_states("#3F74B5", "#FFFFFF", "#FFC04D", "#4A4F58", "#9AD3F5", "#F26B2A", "#3F74B5"),
    predicted="#E3E8F5",
    reported="#B45CFF",
    prompt="#7C8490",
    hatch="#14263D",
    background="#171614",
    text="#EDEBE8",
    grid="#2B2F38",
    link="#8AB4E8",
    soft="#22211F",
    series=("#5AA0E0", "#F28A4B", "#63C08B", "#B79AE6", "#E3C04F", "#8FD0EA", "#E58FB0", "#9AA3B2"),
)


def palette(dark: bool) -> Palette:
    """The palette of the theme that is shown."""
    return DARK if dark else LIGHT
