"""The verdict on a session: what its figures say, in a sentence or two for a person who does not know what a block is.

Says what is known of the server's counts and of the texts where no token is known; finds out nothing.
"""

from analysis.model.record import SessionFigures
from analysis.report.plan import turns_of
from analysis.report.words import LOST_IN_WORDS, MISSED_IN_WORDS, counted, place_of

CLEAN_SHARE = 0.01  # of the prompt tokens: with less wasted than this a session counts as clean
NO_CHANGE = "no earlier text changed"
MOST_NAMED = 8  # turns by number; more are counted


def verdict(figures: SessionFigures) -> str:
    """One sentence for a person who does not know what a block is, and another on what it leaves out."""
    return " ".join(filter(None, verdict_and_limits(figures)))


def verdict_and_limits(figures: SessionFigures) -> tuple[str, str]:
    """The same in two: what is known, and what it rests on or leaves out, empty where that is nothing."""
    if figures.unknown_turns == figures.num_turns:
        return _without_tokens(figures)
    if figures.mismatched_turns:
        said = (
            f"{counted(figures.mismatched_turns, 'turn')} of {figures.num_turns} came out at another length than the"
            " server counted: wrong tokenizer or template, so the figures cannot be trusted."
        )
        return said, ""
    return _said(figures), _left_out(figures)


def _said(figures: SessionFigures) -> str:
    """What the turns say whose tokens are known."""
    if not figures.known_turns:
        return f"{_of_text(figures)} The server did not say what it reused."
    if not figures.wasted_tokens:
        return "Clean: nothing was computed twice."
    if figures.wasted_tokens < CLEAN_SHARE * figures.prompt_tokens:
        return f"Clean but for {figures.wasted_tokens:,} tokens that were computed twice."
    if figures.lost_tokens >= figures.missed_tokens:
        return _of_text(figures)
    again = _percent(figures.missed_tokens, figures.prompt_tokens)
    reason = MISSED_IN_WORDS.get(figures.top_cause or "", "look at keys, memory or routing")
    return f"{again} computed again though unchanged: {reason}."


def _without_tokens(figures: SessionFigures) -> tuple[str, str]:
    """The hard facts where no token is known, what the server counted and the texts say; and what would tell more."""
    reported = _reported(figures)
    if figures.num_turns == 1:
        said = f"One turn: there is nothing to compare.{f' {reported}.' if reported else ''}"
        return said, f"{_lacking(figures)}."
    facts = [reported, "; ".join(filter(None, (_by_text(figures), _short(figures))))]
    basis = "Compared by text only: " if figures.text_turns else ""
    lacking = _lacking(figures)
    closing = basis + lacking[0].lower() + lacking[1:] if basis else lacking
    return " ".join(f"{said[0].upper()}{said[1:]}." for said in facts if said), f"{closing}."


def _reported(figures: SessionFigures) -> str:
    """What the server reused by its own counts, as far as it said."""
    if figures.hit_rate is None:
        return ""
    few = figures.known_turns < figures.num_turns
    return f"The server reports {figures.hit_rate:.1%} reused{f', in {figures.known_turns:,} turns' if few else ''}"


def _lacking(figures: SessionFigures) -> str:
    """What stands between a session and its tokens."""
    if figures.headless_turns == figures.unknown_turns:
        return "The log leaves out part of its requests, so no tokenizer can give the tokens"
    if figures.headless_turns:
        return (
            f"For tokens this model's tokenizer is needed; {figures.headless_turns:,} of {figures.num_turns:,} turns"
            " stay unknown, since the log leaves out part of their requests"
        )
    return "For tokens this model's tokenizer is needed"


def _short(figures: SessionFigures) -> str:
    """The turns of which the server's counts alone show that something was not reused."""
    if not figures.short_turns:
        return ""
    named = turns_of(figures.short_turns[:MOST_NAMED])
    more = len(figures.short_turns) - MOST_NAMED
    listed = f"{named} and {more:,} more" if more > 0 else " and ".join(named.rsplit(", ", 1))
    return f"{listed} reused far less than the turn before allows"


def _by_text(figures: SessionFigures) -> str:
    """What the texts alone say, without a word on what it cost."""
    changes, replies, turns = figures.text_changes, figures.text_replies, figures.text_turns
    if not turns:
        return ""
    known = "" if turns >= figures.num_turns - 1 else f" of the {turns:,} that can be compared"
    said = []
    if changes:
        verb, most = ("changes", "") if changes == 1 else ("change", "most of it ")
        place = f" in {place_of(figures.text_segment)}" if figures.text_segment else ""
        reason = LOST_IN_WORDS.get(figures.top_cause or "")
        said.append(
            f"{counted(changes, 'request')}{known} {verb} what was sent before, {most}at turn {figures.text_turn}"
            f"{place}{f': {reason}' if reason else ''}"
        )
    if replies:
        said.append(f"the last reply came back in another form in {counted(replies, 'request')}")
    if figures.text_meant and not changes:
        said.append(_meant(figures.text_meant, turns))
    if not said:
        alone = "the one request" if turns == 1 else f"none of the {turns:,} requests"
        return f"{alone} that can be compared changed {'no ' if turns == 1 else ''}earlier text" if known else NO_CHANGE
    return "; ".join(said)


def _meant(number: int, compared: int) -> str:
    whole = {1: "", 2: "both "}.get(number, "all ")
    verb = "changes" if number == 1 else "change"
    return f"{number:,} of {counted(compared, 'request')} {verb} earlier text, {whole}on purpose"


def _left_out(figures: SessionFigures) -> str:
    """The turns that the figures know nothing of: an unknown turn is no clean one."""
    if figures.unknown_turns:
        verb = "is" if figures.unknown_turns == 1 else "are"
        return f"{figures.unknown_turns:,} of {figures.num_turns:,} turns {verb} left out: the tokens are unknown."
    silent = figures.num_turns - figures.known_turns
    if figures.known_turns and silent:
        return f"In {silent:,} of {figures.num_turns:,} turns the server did not say what it reused."
    return ""


def _of_text(figures: SessionFigures) -> str:
    """What the changes of the text cost, which needs no word of the server."""
    if not figures.lost_tokens:
        return "No earlier text changed."
    again = _percent(figures.lost_tokens, figures.prompt_tokens)
    reason = LOST_IN_WORDS.get(figures.top_cause or "")
    return f"{again} computed again after a change{_costliest(figures)}{f': {reason}' if reason else ''}."


def _costliest(figures: SessionFigures) -> str:
    if figures.costliest_turn is None:
        return ""
    most = "" if figures.num_divergences == 1 else "mostly "
    if figures.costliest_segment is None:
        return f", {most}at turn {figures.costliest_turn}"
    return f", {most}at turn {figures.costliest_turn} in {place_of(figures.costliest_segment)}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}%"
