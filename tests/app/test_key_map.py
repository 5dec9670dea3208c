"""The list of keys: markup of our own making, and every key of it is heard."""

import re

from app import block_map, key_map
from tests.builders import ROOT


def test_keys_are_escaped_and_parted() -> None:
    assert key_map.listed((("g <", "go & see"),)) == (
        "<div><dt><kbd>g</kbd> <kbd>&lt;</kbd></dt><dd>go &amp; see</dd></div>"
    )
    assert key_map.in_line((("n", "on"), ("p", "back"))) == "<kbd>n</kbd> on · <kbd>p</kbd> back"


def test_what_is_listed_for_the_map_is_what_the_map_hears() -> None:
    source = (ROOT / "app" / "block_map_input.js").read_text("utf-8")
    actions = source.partition("const actions = {")[2].partition("};")[0]
    heard = {name.strip('"') for name in re.findall(r'^\s*("."|\w+):', actions, re.MULTILINE)}
    arrows = {"←": "ArrowLeft", "→": "ArrowRight", "↑": "ArrowUp", "↓": "ArrowDown", "−": "-"}
    said = {arrows.get(cap, cap) for caps, _words in key_map.MAP for cap in caps.split()}
    assert heard - said == {"="}, "plus without Shift"
    assert said <= heard
    assert key_map.in_line(key_map.MAP) in block_map._HTML


def test_the_letters_of_pages_are_those_of_the_navigation() -> None:
    entry = (ROOT / "app" / "main.py").read_text("utf-8")
    titles = set(re.findall(r'st\.Page\([^)]*title="([^"]+)"', entry))
    listed = {words.removeprefix("go to ") for caps, words in key_map.EVERYWHERE if caps.startswith("g ")}
    assert listed == titles


def test_what_components_share_is_styled_once() -> None:
    rules = re.compile(r"^([\w:(), -]+) \{\n((?:  .+\n)+)\}", re.MULTILINE)
    shared, keys, block = (
        dict(rules.findall((ROOT / "app" / name).read_text("utf-8")))
        for name in ("controls.css", "key_map.css", "block_map.css")
    )
    assert {"button", "kbd"} <= shared.keys() and "dialog" in keys and "canvas" in block
    lines = {(head, line) for head, body in shared.items() for line in body.splitlines()}
    assert not lines & {
        (head, line) for own in (keys, block) for head, body in own.items() for line in body.splitlines()
    }
    assert key_map.style("key_map.css").index("button {") < key_map.style("key_map.css").index("dialog {")
