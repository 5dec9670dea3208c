"""Arguments of tool calls that mean the same and are written in another way.

Through vLLM, which parses arguments and writes them anew, this shows in the tail of one generation only: there the
generated text is compared with its render.  Elsewhere the argument strings of the two requests are.
"""

import json
import re
from collections.abc import Iterator

from analysis.causes.comparison import Comparison, Place, Suspect
from analysis.causes.message_fixes import arguments_way
from analysis.causes.messages import calls, function
from analysis.causes.structure import pairing
from analysis.core.quoting import quoted
from analysis.model.session import JsonObject

PASS_THROUGH = "Send the argument string back exactly as the reply gave it"
FIXES = {
    "args/separators": f"{PASS_THROUGH}; where the server writes it anew, have the model write “, ” and “: ”.",
    "args/key-order": f"{PASS_THROUGH}, or keep the order of its keys in maps.",
    "args/type-form": f"{PASS_THROUGH}: no other form of numbers and booleans; or patch the template to use tojson.",
    "args/malformed": "Repair or drop a call whose arguments are no JSON object before it is sent back.",
}
WHAT = {
    "args/separators": "equal as JSON, written with other separators",
    "args/key-order": "equal as JSON, its keys stand in another order",
    "args/type-form": "the same values in another form",
    "args/malformed": "one of the two is no JSON object",
}
_FORM = re.compile(r"[\"'\s]")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def changes(comparison: Comparison) -> Iterator[Suspect]:
    """Argument strings that were sent or generated otherwise, one suspect per way."""
    for pair in pairing(comparison).pairs:
        if pair.old is pair.new:
            continue
        for number, (old, new) in enumerate(zip(calls(pair.old), calls(pair.new), strict=False)):
            code = way_of(old, new)
            if code is not None:
                yield _suspect(code, f"{pair.path}.tool_calls[{number}]", _written(new), _written(old))


def way_of(old: JsonObject, new: JsonObject) -> str | None:
    """The code of the way in which the arguments of one call differ although they mean the same."""
    before, after = function(old).get("arguments"), function(new).get("arguments")
    return None if function(old).get("name") != function(new).get("name") else arguments_way(before, after)


def shows(comparison: Comparison, place: Place) -> Iterator[Suspect]:
    """A generated call whose text is not that of its render."""
    path = _path(place)
    if not place.in_reply or path is None:
        return
    old, new = _call_text(place.before, place.old_text), _call_text(place.before, place.new_text)
    code = _text_way(old, new)
    if code is not None:
        yield _suspect(code, path, new, old)


def _path(place: Place) -> str | None:
    """The call that the sides part in; what a template writes in its own form counts to the field before it."""
    at = int(place.new.token_starts[place.new_token])
    before = [span.path for span in place.new.spans if span.start < at][-1:]
    paths = (place.new_segment.path, place.old_segment.path, *before)
    return next((path for path in paths if ".tool_calls[" in path), None)


def _suspect(code: str, path: str, new: str, old: str) -> Suspect:
    said = f"the arguments are {WHAT[code]}: {quoted(new)} now, {quoted(old)} before"
    return Suspect(code, path, said, FIXES[code])


def _written(call: JsonObject) -> str:
    found = function(call).get("arguments")
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)


def _call_text(before: str, rest: str) -> str:
    """The text of a call that the sides part in, from its line's start to its end; a reply may end within."""
    start = max(before.rfind(mark) for mark in ("<tool_call>", "<function=", "\n", "|>"))
    text = (before[start + 1 :] if start >= 0 else before) + rest
    stops = [at for mark in ("</tool_call>", "</function>", "<|") if (at := text.find(mark, 1)) >= 0]
    return text[: min(stops)] if stops else text


def _text_way(old: str, new: str) -> str | None:
    """How two texts of one call differ; the old one may be cut at its end."""
    left, right = "".join(old.split()), "".join(new.split())
    if not left or not right or old == new:
        return None
    if _extends(left, right):
        return "args/separators"
    if _extends(_plain(old), _plain(new)):
        return "args/type-form"
    if sorted(left) == sorted(right) or sorted(_plain(old)) == sorted(_plain(new)):
        return "args/key-order"
    return "args/malformed" if "{}" in right and "{}" not in left else None


def _extends(old: str, new: str) -> bool:
    """Whether the new text is the old one, whose last token may be missing."""
    return new == old or (new.startswith(old) and len(new) - len(old) <= 3)


def _plain(value: str) -> str:
    """A text without quotes, blanks, case and the form of numbers."""
    return _NUMBER.sub(lambda found: str(float(found[0])), _FORM.sub("", value).lower())
