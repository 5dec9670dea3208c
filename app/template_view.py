"""The template check on its page: where the template comes from, and the answer on one screen.

What a template prints, and its error messages, are untrusted: shown as plain text only.
"""

import json
import time
from dataclasses import replace

import pandas as pd
import streamlit as st

from analysis.live.vllm import VllmServer
from analysis.model.session import JsonObject
from analysis.model.template_check import ProbeResult, TemplateCheck, Verdict
from analysis.pipeline.template_check import check_model, check_server, check_template
from analysis.report.template_words import BEHAVIOURS, knob_words, sentence
from app import places, renderer_state, state, tables, visitors
from app.browser_words import in_browser
from app.plain import plain
from app.template_command import json_object

SAMPLE = "The sample model"
TEXT = "A template's text"
MODEL = "A model's folder or hub id"
SERVER = "A live server"
MARKS: dict[Verdict, str] = {
    "pure": "✓ pure",
    "not-pure": "✗ not pure",
    "not-applicable": "– not applicable",
    "raises": "! raises",
}
SPACE = "·"
SEEN_IN = "Shape, or the template's words"


def chosen() -> TemplateCheck | None:
    """Ask which template, check it, and return what was found; None where nothing is given yet."""
    sources = [SAMPLE, TEXT, *([MODEL] if visitors.may_name_files() else []), SERVER]
    source = st.radio("Template", sources, horizontal=True, key="template_source")
    sent = st.text_input(
        "chat_template_kwargs of every request",
        placeholder='{"enable_thinking": false}',
        key="template_kwargs",
        help="As JSON. A template may behave otherwise with the arguments that your clients send.",
    )
    try:
        arguments = json_object(sent, "chat_template_kwargs") if sent.strip() else {}
        with st.spinner("Rendering synthetic conversations"):
            if source == SAMPLE:
                st.info("The template that comes with the sample sessions. Choose above what else to check.")
                return replace(
                    check_model(str(places.known_models()[places.SAMPLE_MODEL]), arguments), name=places.SAMPLE_MODEL
                )
            return _of_text(arguments) if source == TEXT else _of_name(source, arguments)
    except (ValueError, OSError) as error:
        st.error(plain(in_browser(str(error))))
        return None


def _of_text(arguments: JsonObject) -> TemplateCheck | None:
    """Paste or drop a template; it is checked at once."""
    pasted = st.text_area("Template", height=160, key="template_text", placeholder="{% for message in messages %} …")
    dropped = st.file_uploader("Template as a file", type=["jinja", "jinja2", "txt"], key="template_file")
    if pasted.strip():
        return check_template("pasted template", pasted, arguments)
    if dropped is not None:
        return check_template(dropped.name, _decoded(dropped.name, dropped.getvalue()), arguments)
    st.info("Paste the Jinja text of a chat template, or drop chat_template.jinja. It runs in a sandbox with limits.")
    return None


def _decoded(name: str, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{name}: not a text file, so no chat template.") from None


def _of_name(source: str, arguments: JsonObject) -> TemplateCheck | None:
    """A folder, hub id or address: checked when asked to, since loading and asking take a while."""
    place, action = st.columns([4, 1], vertical_alignment="bottom")
    server = renderer_state.live_server()
    if source == MODEL:
        label, hint = "Folder with tokenizer.json, or hub id", "~/models/Qwen3-8B or Qwen/Qwen3-8B"
    else:
        label, hint = "Address", server.url if server else "http://localhost:8000"
    name = place.text_input(label, placeholder=hint, key=f"template_{source}").strip()
    asked = f"{source} {json.dumps(arguments)}"  # with other arguments it is another question
    if action.button("Check", type="primary", width="stretch"):
        state.keep_check(asked, None)
        state.keep_check(asked, _checked(source, name, server, arguments))
    kept = state.kept_check(asked)
    if kept is None:
        st.info(
            "Some hundred short requests are rendered and compared; nothing is generated. Through an address the server"
            " shows what it really runs, gpt-oss's Harmony format included."
        )
    return kept


def _checked(source: str, name: str, connected: VllmServer | None, arguments: JsonObject) -> TemplateCheck:
    if source == MODEL:
        if not name:
            raise ValueError("Give the folder or hub id of the model first.")
        return check_model(name, arguments)
    if not name and connected is None:
        raise ValueError("Give the server's address, such as http://localhost:8000.")
    server = VllmServer(visitors.named(name), api_key=places.api_key()) if name else connected
    assert server is not None
    return check_server(server, time.time(), arguments)


def answer(check: TemplateCheck) -> None:
    """The verdict in a sentence, a row per behaviour, and both renders of what is not pure."""
    st.subheader(plain(sentence(check)), anchor=False)
    st.caption(plain(check.name))
    for note in check.notes:
        st.warning(plain(note))
    st.dataframe(
        behaviour_table(check),
        hide_index=True,
        height=tables.height(len(check.probes)),
        column_config={
            "Behaviour": st.column_config.TextColumn(width=150),
            "Verdict": st.column_config.TextColumn(width=110),
            "Finding": st.column_config.TextColumn(width=320),
            "Cured by": st.column_config.TextColumn(width=210),
            SEEN_IN: st.column_config.TextColumn(width=320),
        },
        alt="Every behaviour with its verdict",
    )
    for probe in check.probes:
        if probe.message and probe.message != probe.finding:  # a cell of the table may be too narrow for it
            st.caption(plain(f"{BEHAVIOURS[probe.behaviour]}: {probe.message}"))
    for probe in check.probes:
        if probe.verdict == "not-pure":
            _evidence(probe)


def behaviour_table(check: TemplateCheck) -> pd.DataFrame:
    """A row per behaviour."""
    rows = [
        (
            BEHAVIOURS[probe.behaviour],
            MARKS[probe.verdict],
            probe.finding,
            knob_words(probe),
            probe.message if probe.message and probe.message != probe.finding else probe.shape,
        )
        for probe in check.probes
    ]
    return pd.DataFrame(rows, columns=["Behaviour", "Verdict", "Finding", "Cured by", SEEN_IN])


def visible(text: str) -> str:
    """Text for a code block, which drops blanks at both ends: ends of lines, those blanks and controls show."""
    inner = text.strip(" ")
    before, after = len(text) - len(text.lstrip(" ")), len(text.rstrip(" "))
    blanks = (SPACE * before, SPACE * (len(text) - after)) if inner else (SPACE * len(text), "")
    return f"{blanks[0]}{''.join(map(_visible, inner))}{blanks[1]}"


def _visible(char: str) -> str:
    if char == "\n":
        return "↵\n"
    return char if char.isprintable() else char.encode("unicode_escape").decode()


def _evidence(probe: ProbeResult) -> None:
    """Where the later render leaves the earlier one, side by side."""
    st.markdown(f"**{BEHAVIOURS[probe.behaviour]}: {plain(probe.finding)}**")
    found = probe.evidence
    if found is None:  # a live server's date: there is no second render
        return
    cure = f"Cured by {knob_words(probe)} in chat_template_kwargs of every request." if probe.knob else ""
    scene = f"{probe.scene[0].upper()}{probe.scene[1:]} ({probe.shape})"
    st.caption(plain(f"{scene}. The prompts part at character {found.position:,}. {cure}"))
    st.code(f"…{visible(found.before)}", language=None, wrap_lines=True)
    for column, title, text in zip(
        st.columns(2), ("Earlier prompt goes on", "Later prompt goes on"), (found.old, found.new), strict=True
    ):
        column.caption(title)
        column.code(f"{visible(text)}…", language=None, wrap_lines=True)
