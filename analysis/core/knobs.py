"""Template arguments that may keep a growing conversation pure: which values to try, and in which order.

Does not know which names a template reads, and does not judge whether one cures.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.core.bench import Bench
from analysis.core.conversations import Conversation, conversation, shapes, user

KNOWN_NAMES = (  # what templates in use read; for a server, whose template cannot be seen
    "preserve_thinking",
    "clear_thinking",
    "truncate_history_thinking",
    "preserve_reasoning",
    "drop_thinking",
    "enable_thinking",
    "thinking",
    "date_string",
    "current_date",
)
FIXED_DATE = "26 Jul 2024"
GRADED = ("reasoning_effort", "reasoning_strength", "thinking_budget")  # take a word or number, and cure nothing


@dataclass(frozen=True, slots=True)
class Knob:
    """One template argument to try; ``changes_prompt`` says that the prompt of a first turn is another one with it."""

    name: str
    value: str | bool
    changes_prompt: bool

    @property
    def as_arguments(self) -> dict[str, str | bool]:
        """As it stands in ``chat_template_kwargs``."""
        return {self.name: self.value}

    @property
    def words(self) -> str:
        """As a person writes it: ``preserve_thinking=true``."""
        return f"{self.name}={self.value}" if isinstance(self.value, str) else f"{self.name}={str(self.value).lower()}"


def knobs_to_try(bench: Bench, names: Sequence[str]) -> tuple[Knob, ...]:
    """Every name with its values; first those that leave a first prompt as it is: the model's task stays the same."""
    first = _first_prompt(bench)
    knobs = [
        Knob(name, value, first is None or _changes(bench, first, {name: value}))
        for name in names
        for value in _values(name)
    ]
    return tuple(sorted(knobs, key=lambda knob: knob.changes_prompt))


def _values(name: str) -> tuple[str | bool, ...]:
    if name in GRADED:
        return ()
    return (FIXED_DATE,) if "date" in name else (True, False)


def _first_prompt(bench: Bench) -> Conversation | None:
    """A first request in the richest shape that the template takes."""
    for shape in shapes(tool_loop=False, plain=True):
        asked = conversation(shape, user(0))
        try:
            bench.prompt(asked)
        except ValueError:
            continue
        return asked
    return None


def _changes(bench: Bench, first: Conversation, arguments: dict[str, str | bool]) -> bool:
    try:
        return bench.with_arguments(arguments).prompt(first) != bench.prompt(first)
    except ValueError:
        return True
