"""How to read each picture and table: in plain words first, with what an engineer asks one click deeper.

The one place of these words: the table of the block map stands in README.md as well, and a test holds the two together.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

Meanings = Sequence[tuple[str, str]]  # what is seen, and what it means


@dataclass(frozen=True, slots=True)
class Guide:
    """``plain`` is for who does not know what a block is; ``meanings`` is a legend in words.  All is own Markdown."""

    plain: str
    meanings: Meanings
    engineers: str


MAP = Guide(
    "An agent sends its whole conversation again with every turn. The server keeps what it has computed, in"
    " **blocks**: pieces of the text in a row, 16 tokens each (a token is a short piece of a word). It can use them"
    " again from the front up to the first change, and must compute everything behind that anew.\n\nEach row is a"
    " turn, from the first token of its prompt on the left to the last on the right. A row that is blue to nearly its"
    " end was cheap.",
    (
        ("blue", "reused: the server had these blocks"),
        ("black diamond (white when dark)",
         "here the prompt leaves the previous turn: one changed token, and every block after it is void"),
        ("yellow", "lost: tokens the server had seen before, behind the divergence, computed again"),
        ("orange", "missed: nothing had changed, and the server computed them again all the same"),
        ("grey", "new"),
        ("green (light blue when dark)", "partial tail: equal tokens in a block that is not full"),
        ("hatched blue", "reusable, but the server did not report what it reused"),
        ("violet tick", "the `cached_tokens` that the server reported for this turn"),
    ),
    "A block's hash covers its tokens, those of all blocks before it, and the keys (cache salt, adapter, images):"
    " that is why one token voids all that follows. Only full blocks are kept, and the last token of a prompt is"
    " always computed. A row that stays blue behind its diamond found an older turn to reuse. Where blocks share a"
    " pixel, the most alarming state is drawn. Turns are counted from 1, blocks and tokens from 0.",
)  # fmt: skip

ACCOUNT = Guide(
    "Each bar is a turn, as high as its prompt is long. Its parts say what became of the tokens, and add up to the"
    " prompt exactly.",
    (
        ("cached", "used again by the server"),
        ("missed", "unchanged, yet computed again: the memory was full, or the request came under another key"),
        ("reusable, not reported", "could be used again; the server does not say whether it was"),
        ("rounding", "unchanged, but in a block that is not full"),
        ("lost", "seen before, but behind a change, so computed again"),
        ("new", "not seen before"),
    ),
    "`cached` is the server's `cached_tokens`; `missed` goes from there to the longest hit with the keys unchanged"
    " and memory unlimited; `rounding` to the end of the common prefix (the block that is not full, or that holds the"
    " last token); `lost` counts runs of 16 or more equal tokens behind the divergence, 0 on first turns. A turn"
    " whose tokens are unknown has no account.",
)

REUSE = Guide(
    "The outlined bar is the prompt. The filled bar is what the server says it used again, the line is what it could"
    " have used again. Where the line stands above the filled bar, work was done twice for no visible reason.",
    (
        ("outline", "the prompt of the turn"),
        ("filled bar", "cached tokens, as the server reported them"),
        ("line with dots", "reusable tokens, as Whymiss predicts them from the log"),
        ("cross at the bottom", "the server did not report anything for this turn"),
        ("dotted line (click its name)", "what could be reused had the conversation only grown"),
    ),
    "Reusable is vLLM's arithmetic: whole blocks of the longest common prefix with any earlier prompt and reply of"
    " the same model, salt and adapter, without the last prompt token; with a pool size, what the pool model"
    " predicts. A bar above the line was fed by traffic that is not in the log.",
)

TOKENS = Guide(
    "The same place in two turns, the earlier one on the left. Each small box is a token, a short piece of text as"
    " the model sees it. The framed one is where the two part: from its block on, nothing of the earlier turn can be"
    " used again.",
    (
        ("framed", "the first token that differs"),
        ("yellow", "not in the other prompt, or not in this order"),
        ("dashed, slanted", "written by the model, not sent to it"),
        ("number in front of a row", "the block that begins there"),
        ("·  ↵", "a blank and a line break, so that they are seen"),
    ),
    "Point at a token for its position and id. Control characters and bytes that are not UTF-8 stand as escapes; a"
    " token without a tokenizer at hand stands as its number. Moved text is recognised within 8,192 tokens.",
)

SESSIONS = Guide(
    "Each row is a conversation, the worst first. **Wasted** tokens were computed although the server had seen them."
    " The verdict says in a sentence where and why.",
    (
        ("Wasted", "lost (earlier text changed) and missed (unchanged, computed again all the same), in tokens"),
        ("of prompts", "wasted tokens as a share of everything that was sent"),
        ("Hit rate", "the share that the server used again, over the turns for which it reported"),
        ("Hit rate by turn", "the same, a bar for each turn: a gap is a turn that had to start anew"),
        ("?", "not known, which is not zero"),
    ),
    "Seconds and cost appear once a model has a prefill rate and a price. Turns whose tokens cannot be trusted are in"
    " no sum. A click opens the session, ticked rows can be compared or marked, and the address is the view.",
)

LOST_TO = Guide(
    "What the wasted tokens of the sessions below were lost to. **Causes** ranks the reasons; **Days** shows when it"
    " began, one bar a day. Pick a cause or a day to list only its sessions.",
    (
        ("tokens", "wasted tokens that this cause explains"),
        ("of all causes", "its share of all that is explained"),
        ("turns, sessions", "in how many of each it was found"),
    ),
    "Every wasted token belongs to one cause at most: that of the last change before it. What was done on purpose,"
    " such as a compaction, is no fault and not counted. Days are those of the time zone in Filters.",
)


def how_to_read(guide: Guide) -> None:
    """A button that explains the picture beside it."""
    with st.popover("How to read this", type="tertiary", icon=":material/help:", width="content"):
        st.markdown(guide.plain)
        st.markdown(as_table(guide.meanings))
        with st.expander("More, for engineers"):
            st.markdown(guide.engineers)


def as_table(meanings: Meanings) -> str:
    """A legend as a Markdown table."""
    return "\n".join(["| you see | it means |", "|---|---|", *(f"| {seen} | {means} |" for seen, means in meanings)])
