"""The dashboard's entry: navigation, and what is said when the database fails under a page."""

from pathlib import Path

import streamlit as st

from analysis.store.database import StoreError
from app import address, login
from app.own_name import remember_name
from app.plain import plain
from app.shell import shell

PAGES = Path(__file__).parent.parent / "pages"


def at_the_root() -> None:
    """The list of sessions stands at the root of the address; its own name leads there as well."""
    asked = {name: st.query_params.get_all(name) for name in st.query_params}
    st.switch_page(PAGES / "sessions.py", query_params=asked)


st.set_page_config(page_title="Whymiss", page_icon="◆", layout="wide")
around = shell()
login.required()
login.way_out()
page = st.navigation(
    [
        st.Page(PAGES / "sessions.py", title="Sessions", url_path="start", default=True),
        st.Page(PAGES / "session.py", title="Session", url_path="session"),
        st.Page(PAGES / "cases.py", title="Cases", url_path="cases"),
        st.Page(PAGES / "sets.py", title="Two sets", url_path="sets"),
        st.Page(PAGES / "models.py", title="Models", url_path="models"),
        st.Page(PAGES / "compare.py", title="Compare", url_path="compare"),
        st.Page(PAGES / "template.py", title="Template", url_path="template"),
        st.Page(PAGES / "live.py", title="Live server", url_path="live"),
        st.Page(at_the_root, title="Sessions", url_path="sessions", visibility="hidden"),
    ],
    position="top",
)
address.settle(page.url_path)
with around:  # behind the navigation: a run that the browser asks for sooner is one of the first page
    remember_name()
try:
    page.run()
except StoreError as error:  # a file that opened and turns out to be damaged, or a full disk
    st.error(plain(str(error)))
