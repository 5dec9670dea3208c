"""Causes of a turn whose tokens are unknown: the changes of its request, told by text and JSON alone.

Approximate: whether a template prints what changed is not known, so nothing is more than likely and nothing has tokens.
What changes before the first difference of the texts, such as the blanks in arguments, is passed over: a server writes
it in one way.  What a chat template does to a history that did not change shows in tokens only.
"""

from analysis.causes.args import FIXES as ARGUMENTS
from analysis.causes.comparison import ChangeFamily, Comparison, Suspect
from analysis.causes.head import TEMPLATE_KWARG
from analysis.causes.messages import calls
from analysis.causes.tools import KEY_ORDER
from analysis.causes.unrendered import APPROXIMATE, changed, printed
from analysis.model.finding import UNEXPLAINED, Cause, Confidence, TextDivergence

NOT_IN_TEXT = (TEMPLATE_KWARG, "client/tool-call-id-changed")  # said all the same: some templates print them
SELDOM_PRINTED = (*NOT_IN_TEXT, *ARGUMENTS, KEY_ORDER)
EDITED = "client/history-edited"


def by_text(
    comparison: Comparison, divergence: TextDivergence | None, changes: tuple[ChangeFamily, ...]
) -> tuple[Cause, ...]:
    """The causes of a turn in the order of its prompt, all but the first hidden."""
    in_reply = divergence is not None and is_in_reply(comparison, divergence)
    suspects = [one for one in changed(comparison, changes) if _is_felt(one, divergence)]
    suspects = [one for one in suspects if one.whole] or suspects  # another request altogether is no list of changes
    if in_reply:  # a reply is no history: that it came back in another form is said of the turn
        suspects = [one for one in suspects if one.code not in (EDITED, UNEXPLAINED)]
    elif divergence is not None and all(one.code in NOT_IN_TEXT for one in suspects):
        suspects.append(_without_reply(comparison, divergence) or _unexplained(divergence))
    return tuple(
        Cause(
            code=one.code,
            confidence=_sure(one),
            segment=one.path,
            tokens=None,
            recovers=None,
            evidence=APPROXIMATE + one.evidence,
            fix=one.fix,
            hidden=index > 0,
            deliberate=one.deliberate,
        )
        for index, one in enumerate(suspects)
    )


def is_in_reply(comparison: Comparison, divergence: TextDivergence) -> bool:
    """Whether two requests part within the reply between them: all that the earlier one sent comes again unchanged."""
    place = f"messages[{len(comparison.then.request.messages)}]."
    sides = divergence.segment, divergence.previous_segment
    return all(side.path.startswith(place) and side.role == "assistant" for side in sides)


def _is_felt(suspect: Suspect, divergence: TextDivergence | None) -> bool:
    """Whether a change stands at the first difference of the texts or behind it, or in what the texts leave out."""
    if suspect.code in NOT_IN_TEXT or divergence is None:
        return suspect.code in NOT_IN_TEXT
    places = divergence.segment.path, divergence.previous_segment.path
    return printed(suspect.path)[:2] >= min(printed(path)[:2] for path in places)


def _sure(suspect: Suspect) -> Confidence:
    seldom = suspect.code in SELDOM_PRINTED or suspect.path.endswith(".reasoning") or suspect.code == UNEXPLAINED
    return "possible" if seldom or suspect.confidence == "possible" else "likely"


def _without_reply(comparison: Comparison, divergence: TextDivergence) -> Suspect | None:
    """A reply that does not stand behind the messages it answered."""
    index = len(comparison.then.request.messages)
    following = comparison.now.request.messages[index : index + 1]
    at_reply = divergence.previous_segment.path.startswith(f"messages[{index}].")
    if not at_reply or not following or following[0].get("role") == "assistant":
        return None
    what = "tool calls" if comparison.reply and calls(comparison.reply) else "text"
    said = f"the {what} of the reply do{'es' if what == 'text' else ''} not stand behind the messages it answered"
    return Suspect(EDITED, f"messages[{index}]", said, "Keep the reply in the history, as far as it was generated.")


def _unexplained(divergence: TextDivergence) -> Suspect:
    here = divergence.segment
    said = f"the texts part in {here.path} at character {here.char or 0:,} and no known change explains it"
    return Suspect(UNEXPLAINED, here.path, said, "Compare the two texts; with a tokenizer (--model) the tokens tell.")
