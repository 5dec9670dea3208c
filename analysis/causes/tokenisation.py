"""The same text in other tokens, and the blank that belongs behind the end of a turn.

Drift can only be proved with the generated ids of the log: without them it stays possible.
"""

from collections.abc import Iterator

import numpy as np

from analysis.causes.comparison import Comparison, Place, Suspect
from analysis.core.quoting import quoted
from analysis.model.finding import Confidence
from analysis.model.session import TokenIds

DRIFT = "tokenisation/drift"
SEPARATOR = "tokenisation/turn-separator"
TOKENS = 4  # shown


def shows(comparison: Comparison, place: Place) -> Iterator[Suspect]:
    """Equal text on both sides, or only blanks at the end of a turn."""
    old, new = place.old_text, place.new_text
    if old and (new.startswith(old) or old.startswith(new)):
        proved = comparison.ids_logged if place.in_reply else not place.in_generation_prompt
        sure: Confidence = "certain" if proved else "possible"
        path = place.new_segment.path
        yield Suspect(
            DRIFT,
            path,
            f"the text is the same, {quoted(old[:24])}, its ids are not: {_ids(comparison.new_ids, place.token)} now,"
            f" {_ids(comparison.old_ids, place.token)} before",
            "Send the generated token ids back instead of their text (token in, token out).",
            sure,
        )
    elif place.before.endswith(">") and _only_blanks(old, new):
        then, now = quoted(repr(old[:4])), quoted(repr(new[:4]))
        yield _separator(f"the blank behind the end of a turn differs: {then} before, {now} now")


def separator(comparison: Comparison) -> Suspect | None:
    """A missing blank behind the reply, told by the ids alone; it costs nothing before the next turn.

    Wherever the token that ended the reply stands earlier in the prompt, one token of blanks follows; here it does not.
    """
    last, place = comparison.last_generated, len(comparison.old_ids)
    new, rendering = comparison.new_ids, comparison.rendering
    if last is None or rendering is None or place + 1 >= len(new) or int(new[place]) != last:
        return None
    earlier = np.flatnonzero(new[: min(place, comparison.prompt_tokens)] == last)
    followers = set(new[earlier + 1].tolist())
    if len(followers) != 1 or int(new[place + 1]) in followers:
        return None
    follower = np.array(sorted(followers), np.int32)
    missing = rendering.text(follower)
    if missing.strip() or not missing:
        return None
    return _separator(f"{quoted(repr(missing))} follows {len(earlier)} earlier ends of a turn and not the last reply's")


def _separator(said: str) -> Suspect:
    fix = "Append the blank that the template prints behind the end of a turn."
    return Suspect(SEPARATOR, "template", said, fix, "likely")


def _only_blanks(old: str, new: str) -> bool:
    left, right = old.lstrip(), new.lstrip()
    shortest = min(len(left), len(right))
    return shortest > 0 and left[:shortest] == right[:shortest] and (left == old) != (right == new)


def _ids(ids: TokenIds, start: int) -> str:
    return quoted(str(ids[start : start + TOKENS].tolist()))
