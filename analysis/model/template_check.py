"""What the template check says: of one chat template, per behaviour, whether a growing conversation only grows.

The words of ``Behaviour``, ``Verdict`` and ``Overall`` stand in the JSON answer and do not change.
"""

from dataclasses import dataclass
from typing import Literal

from analysis.model.session import JsonObject

Behaviour = Literal[
    "tool-loop",
    "reasoning-stripped",
    "empty-think-block",
    "generation-prompt",
    "positional-marker",
    "date",
    "tools-relocated",
    "late-system",
    "tool-ids",
    "arguments",
    "trims",
]
Verdict = Literal["pure", "not-pure", "not-applicable", "raises"]
Overall = Literal["pure", "not-pure", "cannot-tell"]
TemplateSource = Literal["template", "model", "endpoint"]


@dataclass(frozen=True, slots=True)
class TextDifference:
    """Where the later render leaves the earlier one, and the text around it.

    ``position`` is the first character that differs.  ``old`` and ``new`` begin there, or a few characters earlier with
    the marker that it stands in; ``before`` is what both share in front of them.
    """

    position: int
    before: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one probe saw in one shape of conversation.

    ``scene`` names the conversation; ``old`` and ``new`` are the two renders where the second does not extend the
    first; ``message`` is the template's own error.
    """

    verdict: Verdict
    finding: str
    scene: str = ""
    old: str | None = None
    new: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """One behaviour of one template.

    ``finding`` says in a few words what the template does, ``shape`` in which shape of conversation it was seen.
    ``knob`` is the template argument, such as ``preserve_thinking=true``, that makes the probe pure when every request
    carries it, and ``knob_arguments`` the same as ``chat_template_kwargs``; None where nothing is to cure or nothing
    cures.  ``knob_changes_prompt`` says that it also changes the
    prompt of a first turn, and so what the model is asked to do.  ``message`` is the template's own error, or why there
    was nothing to probe.
    """

    behaviour: Behaviour
    verdict: Verdict
    finding: str
    scene: str = ""
    shape: str = ""
    evidence: TextDifference | None = None
    knob: str | None = None
    knob_arguments: JsonObject | None = None
    knob_changes_prompt: bool = False
    message: str | None = None


@dataclass(frozen=True, slots=True)
class TemplateCheck:
    """All behaviours of one template, and what follows; ``notes`` say what the check cannot see."""

    name: str
    source: TemplateSource
    verdict: Overall
    probes: tuple[ProbeResult, ...]
    notes: tuple[str, ...] = ()
