"""The dashboard's entry: navigation, and what is said when the database fails under a page."""

from pathlib import Path

import streamlit as st

from analysis.store.database import StoreError
from app import address, login
from app.plain import plain

# Streamlit leaves six rem above the title for a toolbar that is not shown.
# What people write is read within a page: its headings are small, and a long text scrolls.
STYLE = """<style>
.stMainBlockContainer {padding-top: 4.5rem; padding-bottom: 3rem}
[class*="st-key-written_"] {max-height: 26rem; overflow-y: auto}
[class*="st-key-written_"] :is(h1, h2, h3, h4, h5, h6) {font-size: 1.1rem; padding: 0.4rem 0}
</style>"""
PAGES = Path(__file__).parent.parent / "pages"

st.set_page_config(page_title="Whymiss", page_icon="◆", layout="wide")
st.html(STYLE)
login.required()
page = st.navigation(
    [
        st.Page(PAGES / "sessions.py", title="Sessions", url_path="sessions", default=True),
        st.Page(PAGES / "session.py", title="Session", url_path="session"),
        st.Page(PAGES / "cases.py", title="Cases", url_path="cases"),
        st.Page(PAGES / "models.py", title="Models", url_path="models"),
        st.Page(PAGES / "compare.py", title="Compare", url_path="compare"),
        st.Page(PAGES / "template.py", title="Template", url_path="template"),
        st.Page(PAGES / "live.py", title="Live server", url_path="live"),
    ],
    position="top",
)
address.settle(page.url_path)
try:
    page.run()
except StoreError as error:  # a file that opened and turns out to be damaged, or a full disk
    st.error(plain(str(error)))
