"""The words that explain the pictures: one source, and what README says is the same."""

import re

from analysis.core.account import STATE_OF_PART
from app.how_to_read import ACCOUNT, MAP, as_table
from tests.builders import ROOT


def test_the_readme_explains_the_block_map_in_the_same_words() -> None:
    section = (ROOT / "README.md").read_text("utf-8").partition("## How to read the block map")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    assert rows == as_table(MAP.meanings).splitlines()


def test_every_part_of_the_account_is_explained() -> None:
    explained = {re.sub("reusable, not reported", "unreported", seen) for seen, _means in ACCOUNT.meanings}
    assert explained == set(STATE_OF_PART)
