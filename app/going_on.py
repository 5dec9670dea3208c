"""What makes an open page go on when the server is back.

A server that was started anew knows nothing of the page.  Streamlit runs a page again only where its last run was cut
off; without a run what is pressed within a part of the page, as in the block map, reaches nobody, and nothing says so.
"""

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

_SCRIPT = Path(__file__).with_suffix(".js")


def going_on() -> None:
    """Run the page each time that the server answers again; what is typed and not yet sent stays."""
    _component()(key="going_on", on_back_change=lambda: None)


@cache
def _component() -> Any:
    return st.components.v2.component(
        "whymiss_going_on", html='<span class="going-on" hidden></span>', js=_SCRIPT.read_text("utf-8")
    )
