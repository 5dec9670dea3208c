"""What a probe of a chat template works with: renders of synthetic conversations, each made once.

Does not know how a render is made: a template that runs here and a server that answers are the same callable.  Compares
texts, not tokens: two texts that part in the middle of a token cost that token too.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from analysis.core.conversations import Conversation
from analysis.model.session import JsonObject
from analysis.model.template_check import TextDifference

Render = Callable[[Conversation, JsonObject, float, bool], str]
"""``(conversation, template arguments, time in seconds, with a generation prompt)`` -> text.

Raises ValueError where the template refuses the conversation.
"""

FIXED_TIME = 1_766_000_000.0  # 17 December 2025, 19:33 UTC
MONTHS_LATER = FIXED_TIME + 100 * 86_400 + 7 * 3_600
BEFORE, SHOWN = 60, 160  # characters of evidence
_OPEN_MARKER = re.compile(r"<[^<>\s]{0,30}\Z")  # begun, not ended
EMPTY_THINK_BLOCK = re.compile(r"<think>\s*</think>|<\|channel>thought\s*<channel\|>|\[THINK\]\s*\[/THINK\]")


class NotApplicable(Exception):
    """The template takes the shape and prints nothing of what a probe is about; the message says what."""


@dataclass(frozen=True, slots=True)
class Bench:
    """One template under probe, with the template arguments that every request carries.

    ``now`` is the time by which a server's own clock is known, None where the clock of a render can be set.
    ``parses_arguments`` says that argument strings are parsed before the template sees them, as servers do.
    """

    render: Render
    arguments: JsonObject = field(default_factory=dict)
    now: float | None = None
    parses_arguments: bool = False
    _known: dict[str, str | ValueError] = field(default_factory=dict)

    def with_arguments(self, arguments: Mapping[str, str | bool]) -> "Bench":
        """The same template with these arguments as well; what was rendered stays known."""
        return replace(self, arguments={**self.arguments, **arguments})

    def prompt(self, conversation: Conversation, at: float = FIXED_TIME) -> str:
        """The prompt as it is sent, with the generation prompt at its end."""
        return self._rendered(conversation, at, True)

    def history(self, conversation: Conversation) -> str:
        """The conversation without a generation prompt behind it."""
        return self._rendered(conversation, FIXED_TIME, False)

    def body_length(self, conversation: Conversation) -> int:
        """How many characters of the prompt are messages: the generation prompt begins there."""
        prompt, history = self.prompt(conversation), self.history(conversation)
        return len(history) if difference(history, prompt) is None else common(history, prompt)

    def _rendered(self, conversation: Conversation, at: float, generating: bool) -> str:
        asked = [conversation.messages, conversation.tools, self.arguments, at, generating]
        key = json.dumps(asked)
        if key not in self._known:
            try:
                self._known[key] = self.render(conversation, self.arguments, at, generating)
            except ValueError as error:
                self._known[key] = error
        found = self._known[key]
        if isinstance(found, ValueError):
            raise found
        return found


def common(old: str, new: str) -> int:
    """How many characters two texts share from the front."""
    shorter = min(len(old), len(new))
    if old[:shorter] == new[:shorter]:
        return shorter
    low, high = 0, shorter
    while low < high:  # the longest equal front, by halves
        middle = (low + high + 1) // 2
        low, high = (middle, high) if old[:middle] == new[:middle] else (low, middle - 1)
    return low


def difference(old: str, new: str) -> int | None:
    """The first character where ``new`` does not extend ``old``; None where it does."""
    at = common(old, new)
    return None if at == len(old) else at


def evidence(old: str, new: str) -> TextDifference:
    """Both renders around the first character that differs, from the start of the marker that it stands in."""
    at = common(old, new)
    marker = _OPEN_MARKER.search(old[:at]) if at < len(old) else None
    start = marker.start() if marker else at
    return TextDifference(
        at, old[max(0, start - BEFORE) : start], old[start : start + SHOWN], new[start : start + SHOWN]
    )


def taken(text: str, wanted: str, whose: str) -> None:
    """Raise ValueError where a render silently drops a message: the shape is not what the template takes."""
    if wanted not in text:
        raise ValueError(f"{whose} messages are not printed")


def shown(text: str, wanted: str, otherwise: str) -> None:
    """Raise NotApplicable where a render does not print what the probe is about."""
    if wanted not in text:
        raise NotApplicable(otherwise)
