"""Models: which tokenizer and chat template render which served model."""

import streamlit as st

from app import models_view, state, visitors
from app.plain import plain

st.title("Models", anchor=False)
st.write(
    "What renders the requests of a served model into tokens. Turns of a model without a renderer, whose log has no"
    " token ids, are compared by text: in messages and characters, without token figures. A log that leaves out the"
    " system prompt or the tools cannot be rendered at all: `whymiss record` logs whole requests."
)
if message := state.said():
    st.success(plain(message))
frame = models_view.models()
if frame.empty:
    early = " A renderer can be chosen here before its first log is read." if visitors.may_write() else ""
    st.info(f"No model is known yet: logs bring them.{early}")
else:
    models_view.table(frame)
if not visitors.may_write():
    st.info(visitors.READING)
    st.stop()
st.subheader("Choose a renderer", anchor=False)
model = models_view.choice_form([name for name in frame.model if name != models_view.NAMELESS])
if model:
    models_view.again(model)
