"""Findings in plain words: the place of a divergence, and where the tokens of a session went.

Says what the figures and the causes say; finds out nothing.
"""

import re

from analysis.causes.measurement import RENDER_WRONG
from analysis.core.account import computed_again, lost_in_output, wasted_by_cause
from analysis.model.evidence import Reconciliation
from analysis.model.finding import UNEXPLAINED, Divergence
from analysis.model.prompt import TEMPLATE, Segment
from analysis.model.record import SessionRecord, TurnRecord

# What a cause is to a person who does not know its code: first what the tokens show, then what they do not.
LOST_IN_WORDS = {
    "volatile-head/request-nonce": "a value of one request stands in the prompt",
    "volatile-head/client-timestamp": "a time stands in the prompt",
    "volatile-head/client-date": "a date stands in the prompt",
    "volatile-head/template-date": "the chat template prints the date",
    "volatile-head/live-state": "the system message holds a state that changes",
    "volatile-head/template-kwarg": "an option of the chat template changed",
    "volatile-head/per-session-text": "text about one user stands before the shared text",
    "volatile-head/system-added": "a system message was added",
    "volatile-head/system-replaced": "the system message was replaced",
    "tools/order": "the tools came in another order",
    "tools/schema-key-order": "a tool was written in another order",
    "tools/set-changed": "the set of tools changed",
    "tools/description-changed": "the description of a tool changed",
    "template/reasoning-stripped": "the chat template strips earlier reasoning",
    "template/analysis-dropped": "the chat template drops earlier analysis",
    "template/empty-think-asymmetry": "the chat template prints an empty thought once",
    "template/generation-prompt-asymmetry": "the start of a reply is not printed in the history",
    "template/tools-relocated": "the chat template moves the tools",
    "template/system-relocated": "the chat template moves the system text",
    "template/system-hoisted": "the chat template prints a late system message first",
    "template/positional-marker": "the chat template marks messages by their place",
    "client/reasoning-dropped": "the client left out the reasoning",
    "client/reasoning-merged": "the client joined parts of the reasoning",
    "client/moving-injection": "a text moves to the newest message",
    "client/tool-output-pruned": "old tool outputs were cut",
    "client/image-evicted": "an old image was removed",
    "client/window-trim": "old messages fell out of the history",
    "client/compaction": "the history was compacted",
    "client/user-edit": "the user edited a message",
    "client/regenerate": "a reply was asked for again",
    "client/branch": "an older turn was continued",
    "client/side-request": "another request was grouped into the session",
    "client/whitespace": "blanks were changed",
    "client/tool-call-id-changed": "the ids of tool calls changed",
    "client/history-edited": "an earlier message was changed",
    "args/separators": "arguments were written with other separators",
    "args/key-order": "arguments were written in another order",
    "args/type-form": "arguments were written in another form",
    "args/malformed": "the arguments of a call are no JSON",
    "tokenisation/drift": "the same text became other tokens",
    "tokenisation/turn-separator": "a blank behind the end of a turn is missing",
    "server/context-truncation": "the server cut the prompt",
}
MISSED_IN_WORDS = {
    "key/cache-salt": "the cache salt changed",
    "key/lora": "the model or adapter changed",
    "key/multimodal": "an image changed",
    "key/hash-seed": "instances do not recognise each other's work",
    "disabled/flag": "the prefix cache seems to be off",
    "disabled/skip-read": "the requests skip the cache",
    "lifecycle/reset": "the cache was emptied",
    "capacity/eviction": "the memory was needed for other requests",
    "capacity/preemption": "the memory ran out",
    "capacity/slot": "another request took the only slot",
    "hybrid/sliding-window": "the model keeps only a window",
    "hybrid/checkpoint": "the model keeps only checkpoints",
    "spec-decode/block-drop": "drafting drops the end of every hit",
    "granularity/large-block": "the server hits in large steps only",
    "routing/replica": "another replica served it",
    "timing/in-flight": "it was sent before the previous turn had ended",
    "engine/output-not-inserted": "replies were not cached",
}
IN_WORDS = LOST_IN_WORDS | MISSED_IN_WORDS
NOT_EXPLAINED = "nothing that is known explains it"

_SIZES = re.compile(r"rendered to [\d,]+ tokens where the server counted [\d,]+")
_MESSAGE = re.compile(r"messages\[(\d+)\]\.(\w+)(?:\[(\d+)\])?")


def in_words(code: str) -> str:
    """What a code is to a person who does not know it."""
    return IN_WORDS.get(code, NOT_EXPLAINED if code == UNEXPLAINED else code)


def cause_headline(code: str) -> str:
    """The same at the head of a card."""
    words = in_words(code)
    return words[:1].upper() + words[1:]


def described(found: Divergence) -> str:
    """Where a divergence stands, on both sides, in one line."""
    here, before = found.segment, found.previous_segment
    if here is None:
        return f"at token {found.token:,}; naming the message field needs this model's tokenizer"
    place = place_of(here) + (f", character {here.char:,}" if here.char else "")
    if before is None or before.path == here.path:
        return f"in {place}"
    return f"in {place}, where {place_of(before)} stood before"


def undiverged(earlier_tokens: int, later_tokens: int) -> str:
    """What it means that two prompts of these lengths do not part."""
    if later_tokens == earlier_tokens:
        return "both prompts are the same"
    if later_tokens < earlier_tokens:
        return "the later prompt is the beginning of the earlier one"
    return "the later prompt only goes on where the earlier one ends"


def unshared(earlier: TurnRecord, later: TurnRecord) -> str:
    """Why equal tokens of these two are not reused all the same; empty where nothing stands in the way."""
    if earlier.model != later.model:
        return "Their models differ: blocks are shared within one model only."
    if earlier.salt != later.salt:
        return "Their cache salts differ: blocks are shared within one salt only."
    return ""


def fields(found: Divergence) -> str:
    """The message fields of a divergence by their paths, for engineers."""
    here, before = found.segment, found.previous_segment
    if here is None or before is None:
        return ""
    paths = f"field: {here.path}" if here.path == before.path else f"field: {here.path} · before: {before.path}"
    return paths + (f" · character {here.char:,}" if here.char is not None else "")


def place_of(segment: Segment) -> str:
    """A field in words; messages are counted from 1."""
    if segment.path == TEMPLATE:
        return "text of the chat template"
    if segment.path.startswith("tools["):
        return f"tool {int(segment.path[6:-1]) + 1}"
    if (found := _MESSAGE.match(segment.path)) is None:
        return segment.path
    number, name, call = found.groups()
    message = f"message {int(number) + 1}" + (f" ({segment.role})" if segment.role else "")
    if segment.role == "system" and name == "content":
        return "the system message" if number == "0" else f"system message {int(number) + 1}"
    if name == "content":
        return message
    if name == "tool_calls":
        return f"tool call {int(call or 0) + 1} of {message}"
    return f"the {name.replace('_', ' ')} of {message}"


def summary(record: SessionRecord) -> str:
    """Where the prompt tokens of a session went, in one sentence; empty where nothing is known of them."""
    if record.turns and all(turn.fidelity == "mismatch" for turn in record.turns):
        return _wrongly_rendered(record)
    accounts = [turn.account for turn in record.turns if turn.account]
    prompt = sum(turn.prompt_tokens or 0 for turn in record.turns if turn.account)
    if not accounts or not prompt:
        return ""
    said = [account.cached for account in accounts if account.cached is not None]
    unsaid = sum(account.reusable_unreported or 0 for account in accounts)
    deliberate = [turn for turn in record.turns if any(cause.deliberate for cause in turn.causes)]
    meant = sum(computed_again(turn.account) for turn in deliberate)
    parts = [f"{sum(said):,} were reused"] if said else []
    parts += [f"{unsaid:,} were reusable, unreported"] if unsaid else []
    parts += [f"{tokens:,} {_how(code)} ({in_words(code)})" for code, tokens in wasted_by_cause(record.turns).items()]
    parts += [f"{meant:,} given up on purpose"] if meant else []
    return f"Of {prompt:,} prompt tokens {', '.join(parts or ['none were reusable'])}.{_in_replies(record)}"


def _wrongly_rendered(record: SessionRecord) -> str:
    """How far a render is off; sums of such tokens would say nothing."""
    notes = ((turn.turn, note.evidence) for turn in record.turns for note in turn.notes if note.code == RENDER_WRONG)
    number, said = next(notes, (0, ""))
    sizes = _SIZES.search(said)
    return f"{f'Turn {number} was {sizes[0]}. ' if sizes else ''}No sums of such tokens are given."


def _in_replies(record: SessionRecord) -> str:
    """How much of the lost tokens stood in replies alone: a loss of the history is another matter."""
    faults = [turn for turn in record.turns if not any(cause.deliberate for cause in turn.causes)]
    tokens = sum(lost_in_output(turn, record.turns) or 0 for turn in faults)
    return f" {tokens:,} of the lost tokens stood in a reply, the history before it was unchanged." if tokens else ""


def _how(code: str) -> str:
    """What happened to the tokens of a cause: their text changed, or it did not and they were missed all the same."""
    return "lost" if code in LOST_IN_WORDS else "computed again" if code == UNEXPLAINED else "missed"


def reconciled(record: SessionRecord) -> list[str]:
    """What counters, events and the pool model say of the whole history, a line each."""
    found = record.reconciliation
    if found is None:
        return []
    lines = []
    if found.queries_counted is not None and found.queries_logged is not None:
        lines.append(_asked(record.source, found.queries_counted, found.queries_logged))
    if found.hits_counted is not None:
        lines.append(_hits(record.source, found, found.hits_counted))
    lines += _removals(record.source, found)
    if found.hashes_same is not None:
        lines.append(
            f"{record.source}: {found.hashes_same:,} announced block hashes were recomputed from their tokens,"
            f" {found.hashes_different or 0:,} came out different."
        )
    if found.blocks_needed is not None:
        lines.append(f"{record.source}: with {found.blocks_needed:,} blocks no hit would have been lost.")
    return lines


def _hits(source: str, found: Reconciliation, counted_tokens: int) -> str:
    """The hits that the server counted against those of the log, or of the prediction where it reports none."""
    reported = "nothing" if found.hits_reported is None else f"{found.hits_reported:,}"
    agree = counted_tokens == (found.hits_predicted if found.hits_reported is None else found.hits_reported)
    outcome = "they agree" if agree else "the difference is traffic outside this log"
    return (
        f"{source}: the server counted {counted_tokens:,} hit tokens, the log reports {reported} and the"
        f" prediction is {found.hits_predicted or 0:,}: {outcome}."
    )


def _removals(source: str, found: Reconciliation) -> list[str]:
    """The removals of blocks that were predicted against those of the events, where there are events."""
    if found.removals_announced is None:
        return []
    if found.removals_confirmed is None and found.removals_predicted:
        return [f"{source}: removals of blocks cannot be compared: hashes of salted requests are not known."]
    if found.removals_predicted is None:
        return []
    return [
        f"{source}: {found.removals_confirmed or 0:,} of {found.removals_predicted:,} predicted removals of"
        f" blocks stand in the KV cache events, which announce {found.removals_announced:,}."
    ]


def _asked(source: str, counted_tokens: int, logged_tokens: int) -> str:
    """Whether the log holds all that the server was asked for."""
    said = f"{source}: the server counted {counted_tokens:,} prompt tokens, the log holds {logged_tokens:,}"
    if counted_tokens > logged_tokens:
        return f"{said}: {counted_tokens - logged_tokens:,} were asked for outside this log."
    return f"{said}: {'nothing is missing' if counted_tokens == logged_tokens else 'not all of it in that time'}."


def counted(number: int, noun: str) -> str:
    """ "1 turn", "12 turns"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
