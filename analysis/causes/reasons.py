"""Why a fix has no figure: what stands in a plan where a changed request could not be made or rendered."""

from analysis.core.quoting import quoted

NO_CHANGE = "no change to the requests undoes it"
NOTHING_RESTORED = "the requests show nothing that could be put back"
NO_KNOB = "no argument of the chat template was found that undoes it"
TOO_LONG = "the log is too long to go through all of it again for one session"
SOME_UNKNOWN = "the tokens of some of its turns are unknown"


def no_tokenizer(model: str) -> str:
    """Nothing renders the requests of this model."""
    return f"no tokenizer for the model {quoted(model)}: a changed request cannot be rendered"


def unknown(turn: int) -> str:
    """There are no tokens of this turn."""
    return f"the tokens of turn {turn} are unknown, so a change to it has nothing to stand against"


def not_text(turn: int) -> str:
    """The prompt of this turn is not all text."""
    return f"turn {turn} has an image, sound or video, which is not rendered"


def renders_otherwise(turn: int) -> str:
    """The request of this turn as it was sent renders to other tokens than the server had."""
    return f"turn {turn} does not render as the server rendered it, so neither would a changed one"
