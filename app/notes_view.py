"""The notes of a session: the list with edits and history, and the form that adds one at a place.

Whatever is written names the state that it changes, so two people never overwrite each other.
"""

from collections.abc import Callable, Sequence

import streamlit as st

from analysis.model.annotation import Annotation, Placed, Version
from analysis.model.record import SessionRecord
from analysis.report.note_words import block_of, in_reading_order, remark, where
from analysis.report.words import counted
from app import notes_state, state, visitors
from app.name_form import name_field, take_name
from app.note_form import add_form, show_quote
from app.note_text import MOST_CHARACTERS, as_line, day, written
from app.refusals import Refused, kept, refusal

NAMELESS = "Give your name first, with a note or an edit: it stands beside what you change."


def marks(placed: Sequence[Placed], block_size: int) -> list[tuple[int, int | None]]:
    """Turn and block of every note for the block map; the block is None where a note is about a turn."""
    there = [one.place for one in placed if not one.annotation.is_deleted]
    return [(place.turn, block_of(place, block_size)) for place in there if place.turn is not None]


def notes(record: SessionRecord, session_key: int, at: tuple[int, int] | None) -> None:
    """The section of the notes; ``at`` is the turn and block that is shown above."""
    placed = in_reading_order(notes_state.placed(record, session_key))
    edited = (notes_state.edited() or (None,))[0]  # who edits a note that another deletes keeps the field
    there = [one for one in placed if not one.annotation.is_deleted or one.annotation.key == edited]
    deleted = [one for one in placed if one not in there]
    if not there and not deleted and not visitors.may_write():
        return
    if not there and not deleted:
        with st.expander("Notes: nobody has written about this session yet", key="notes_none"):
            add_form(record, session_key, at)
        return
    st.subheader(f"Notes ({len(there):,})" if there else "Notes", anchor=False)
    with st.container():  # of its own: a note more does not move the form below while somebody writes in it
        if not there:
            st.caption("Nobody has written about this session yet.")
        for one in there:
            _note(one, record)
        if deleted:
            _deleted(deleted, record.settings.block_size)
    if visitors.may_write():
        add_form(record, session_key, at)


def _note(one: Placed, record: SessionRecord) -> None:
    annotation, block_size = one.annotation, record.settings.block_size
    with st.container(border=True):
        _head(one, block_size)
        _quoted(one, record)
        if (edited := notes_state.edited()) is not None and edited[0] == annotation.key:
            _editor(annotation)
            return
        written(annotation.text, f"note_{annotation.key}")
        with st.container(horizontal=True, gap="small"):
            _jump(one, block_size)
            if visitors.may_write():
                _changes(annotation)
            if len(annotation.versions) > 1:
                _history(annotation.versions, annotation.key)


def _head(one: Placed, block_size: int) -> None:
    annotation = one.annotation
    said = f"**{as_line(annotation.author)}** · {day(annotation.made_at)} · {as_line(where(one, block_size))}"
    if annotation.last.number > 1:
        said += f" · changed by {as_line(annotation.last.author)}, {day(annotation.last.at)}"
    st.caption(said)
    if words := remark(one.place):
        st.badge(words, icon=":material/move_down:" if one.place.moved else ":material/rule:", color="orange")


def _quoted(one: Placed, record: SessionRecord) -> None:
    """The text that a note is about, as the prompt holds it now."""
    place = one.place
    turn = next((turn for turn in record.turns if turn.turn == place.turn), None)
    if turn is not None and place.start is not None and place.stop is not None:
        show_quote(one.annotation.session_key, turn, place.start, place.stop)


def _jump(one: Placed, block_size: int) -> None:
    turn = one.place.turn
    if turn is not None:
        block = block_of(one.place, block_size) or 0
        st.button("Show", key=f"note_show_{one.annotation.key}", on_click=state.pick, args=(turn, block))


def _changes(annotation: Annotation) -> None:
    key, number = annotation.key, annotation.last.number
    nameless = not notes_state.author()
    edit: Callable[..., None] = notes_state.edit
    st.button("Edit", key=f"note_edit_{key}", on_click=edit, args=(key, number))
    delete = (_place(key), change, key, number, None)
    st.button(
        "Delete",
        key=f"note_delete_{key}",
        disabled=nameless,
        help=NAMELESS if nameless else None,
        on_click=kept,
        args=delete,
    )
    refusal(_place(key))


def _editor(annotation: Annotation) -> None:
    """The text of a note in a field; where somebody else was faster, both texts are there to be seen."""
    edited = notes_state.edited()
    assert edited is not None
    began = annotation.versions[edited[1] - 1].text or annotation.text
    field = f"note_text_{annotation.key}_{edited[1]}"
    save = (_place(annotation.key), _save, annotation, edited[1], field)
    with st.form(f"note_form_{annotation.key}", border=False):
        name_field(f"edit_{annotation.key}")
        st.text_area("Note, in Markdown", began, key=field, max_chars=MOST_CHARACTERS, height=140)
        with st.container(horizontal=True, gap="small"):
            st.form_submit_button("Save note", type="primary", on_click=kept, args=save)
            st.form_submit_button("Cancel", on_click=notes_state.edit, args=(None,))
    if annotation.last.number != edited[1]:
        st.warning(f"{as_line(annotation.last.author)} has changed this note meanwhile. It says now:")
        written(annotation.last.text or "(deleted)", f"note_now_{annotation.key}")
        st.button("Go on from this text", key=f"note_go_on_{annotation.key}", on_click=notes_state.edit,
                  args=(annotation.key, annotation.last.number))  # fmt: skip
    refusal(_place(annotation.key))


def _save(annotation: Annotation, version: int, field: str) -> None:
    text = st.session_state[field].strip()
    if not text:
        raise Refused("An empty note says nothing: delete it instead.")
    if text == annotation.text:
        notes_state.edit(None)
    else:
        take_name(f"edit_{annotation.key}")
        change(annotation.key, version, text)


def change(key: int, version: int, text: str | None) -> None:
    """Write the next state of a note; raise Outdated where somebody was faster, and write nothing."""
    state.repository().annotations.change(key, version, notes_state.author(), text)
    notes_state.edit(None)
    notes_state.was_written()


def _place(key: int) -> str:
    return f"note_{key}"


def _history(versions: Sequence[Version], key: int) -> None:
    with st.popover(f"History ({len(versions)})", key=f"note_history_{key}"):
        for one in reversed(versions):
            what = "deleted it" if one.text is None else "wrote" if one.number == 1 else "changed it to"
            st.caption(f"{day(one.at)} · **{as_line(one.author)}** {what}")
            if one.text is not None:
                written(one.text, f"note_{key}_{one.number}")


def _deleted(placed: Sequence[Placed], block_size: int) -> None:
    with st.expander(f"{counted(len(placed), 'deleted note')}"):
        for one in placed:
            annotation = one.annotation
            _head(one, block_size)
            written(annotation.text, f"note_{annotation.key}")
            with st.container(horizontal=True, gap="small"):
                if visitors.may_write():
                    _bring_back(annotation)
                _history(annotation.versions, annotation.key)
            refusal(_place(annotation.key))


def _bring_back(annotation: Annotation) -> None:
    args = (_place(annotation.key), change, annotation.key, annotation.last.number, annotation.text)
    nameless = not notes_state.author()
    st.button("Bring back", key=f"note_restore_{annotation.key}", disabled=nameless, on_click=kept, args=args,
              help=NAMELESS if nameless else None)  # fmt: skip
