"""Notes on the session's page: written, shown, changed, deleted, brought back; nothing of two people is lost."""

import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from analysis.model.annotation import Anchor, Annotation, Place, Placed, Version
from analysis.store.repository import Repository
from app import state, visitors
from app.notes_view import marks
from tests.app.dashboard import Open, key_of, no_exception, press, words

NAME, NOTE = "Your name", "Note, in Markdown"


@pytest.fixture
def database(samples: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(samples, tmp_path / "notes.duckdb"))


def stored(database: Path) -> Repository:
    return state._open(str(database))


def fill(shown: AppTest, label: str, text: str, kind: str = "text_input") -> AppTest:
    next(field for field in shown.get(kind) if field.label == label).set_value(text)
    return shown


def named(shown: AppTest, name: str = "Ann") -> AppTest:
    """The page after the name was given outside of any form."""
    next(one for one in shown.text_input if one.label == NAME and not one.form_id).set_value(name)
    return no_exception(shown.run())


def add(shown: AppTest, text: str, name: str = "Ann") -> AppTest:
    """A note by somebody who gives the name with it, where it is not known yet."""
    for one in shown.text_input:
        if one.label == NAME and one.form_id.startswith("note_new"):
            one.set_value(name)
    next(one for one in shown.text_area if one.form_id.startswith("note_new")).set_value(text)
    return press(shown, "Add note")


def about(shown: AppTest, label: str) -> AppTest:
    box = next(box for box in shown.selectbox if box.label == "About")
    return no_exception(box.select_index(list(box.options).index(label)).run())


def test_a_note_needs_a_name_and_a_text(visit: Open, database: Path) -> None:
    shown = add(no_exception(visit("session", database, session=key_of("02"))), "seen", name="  ")
    assert [error.value for error in shown.error] == [r"Give your name\: it stands beside the note\."]
    assert next(one for one in shown.text_area if one.label == NOTE).value == "seen", "nothing that was typed is lost"
    shown = add(shown, "  ")
    assert [error.value for error in shown.error] == [r"Write something first\."]
    assert stored(database).annotations.counts() == {}


def test_the_name_goes_along_with_the_first_note_and_is_known_from_then_on(visit: Open, database: Path) -> None:
    shown = add(no_exception(visit("session", database, session=key_of("02"))), "seen", name=" Ann  Lee ")
    assert "You write as **Ann Lee**." in words(shown)
    assert not any(one.label == NAME for one in shown.text_input), "and is not asked for again"
    shown = add(shown, "again")
    assert {one.author for one in stored(database).annotations.of_session(int(key_of("02")))} == {"Ann Lee"}
    shown = press(shown, "Another name")
    shown = add(shown, "mine", name="Bob")
    assert "You write as **Bob**." in words(shown)


def test_who_edits_without_a_name_gives_it_there(visit: Open, database: Path) -> None:
    repository = Repository.open(database)
    repository.annotations.add(int(key_of("02")), Anchor("session"), "Ann", "first")
    repository.close()
    shown = no_exception(visit("session", database, session=key_of("02")))
    assert next(one for one in shown.button if one.label == "Delete").disabled
    shown = press(shown, "Edit")
    shown = press(fill(shown, NOTE, "second", "text_area"), "Save note")
    assert [error.value for error in shown.error] == [r"Give your name\: it stands beside the note\."]
    assert next(one for one in shown.text_area if one.label == NOTE).value == "second"
    next(one for one in shown.text_input if one.form_id == "note_form_1").set_value("Bob")
    shown = press(shown, "Save note")
    assert "changed by Bob" in words(shown) and "second" in words(shown)


@pytest.mark.parametrize(
    ("label", "where"),
    [
        (
            "The divergence of turn 7",
            "divergence of turn 7, tokens 1,239–1,247 (block 77), in tool call 1 of message 3",
        ),
        ("Block 77 of turn 7", "turn 7, tokens 1,232–1,247 (block 77)"),
        ("Turn 7", "turn 7"),
        ("The whole session", "the whole session"),
        ("Tokens of turn 7 …", "turn 7, token 1,239 (block 77), in tool call 1 of message 3"),
    ],
)
def test_a_note_stands_where_it_was_put(visit: Open, database: Path, label: str, where: str) -> None:
    shown = no_exception(visit("session", database, session=key_of("02")))
    shown = add(about(shown, label), "**Here** it breaks")
    said = words(shown)
    assert "Notes (1)" in said and f" UTC · {where}\n" in said and "**Here** it breaks" in said
    turns = next(frame.value for frame in shown.dataframe if "Annotations" in frame.value)
    assert turns.Annotations.sum() == (label != "The whole session")


def test_tokens_of_a_turn_are_chosen_by_number(visit: Open, database: Path) -> None:
    shown = no_exception(visit("session", database, session=key_of("02"), turn="3", block="2"))
    shown = about(shown, "Tokens of turn 3 …")
    next(field for field in shown.number_input if field.label == "Last token").set_value(40).run()
    next(field for field in shown.number_input if field.label == "First token").set_value(20).run()
    shown = add(no_exception(shown), "these")
    assert "turn 3, tokens 20–40 (blocks 1–2)" in words(shown)


def test_a_note_of_another_turn_leads_there(visit: Open, database: Path) -> None:
    shown = no_exception(visit("session", database, session=key_of("02"), turn="13", block="5"))
    shown = add(about(shown, "Block 5 of turn 13"), "look")
    shown = press(no_exception(visit("session", database, session=key_of("02"), turn="2", block="0")), "Show")
    assert (shown.query_params["turn"], shown.query_params["block"]) == ("13", "5")


def test_a_note_is_changed_deleted_and_brought_back(visit: Open, database: Path) -> None:
    shown = add(no_exception(visit("session", database, session=key_of("02"))), "first words")
    shown = press(shown, "Edit")
    shown = press(fill(shown, NOTE, "second words", "text_area"), "Save note")
    assert "second words" in words(shown) and "changed by Ann" in words(shown)
    shown = press(press(shown, "Edit"), "Save note")
    assert "second words" in words(shown), "the same words are no change"
    shown = press(shown, "Delete")
    assert "Nobody has written about this session yet." in words(shown)
    shown = press(shown, "Bring back")
    assert "Notes (1)" in words(shown)
    (read,) = stored(database).annotations.of_session(int(key_of("02")))
    assert [one.text for one in read.versions] == ["first words", "second words", None, "second words"]


def test_who_comes_second_is_told_and_keeps_the_own_words(visit: Open, database: Path) -> None:
    shown = press(add(no_exception(visit("session", database, session=key_of("02"))), "first"), "Edit")
    annotations = stored(database).annotations
    annotations.change(1, 1, "Bob", "of Bob")
    shown = press(fill(shown, NOTE, "of Ann", "text_area"), "Save note")
    assert [error.value for error in shown.error] == [
        r"Bob has changed this note meanwhile\: nothing was overwritten\."
    ]
    assert "of Bob" in words(shown), "what it says now"
    assert next(field for field in shown.text_area if field.key == "note_text_1_1").value == "of Ann"
    shown = press(shown, "Go on from this text")
    shown = press(fill(shown, NOTE, "of both", "text_area"), "Save note")
    (read,) = annotations.of_session(int(key_of("02")))
    assert [one.text for one in read.versions] == ["first", "of Bob", "of both"]


def test_who_edits_what_another_deletes_keeps_the_field(visit: Open, database: Path) -> None:
    shown = press(add(no_exception(visit("session", database, session=key_of("02"))), "first"), "Edit")
    stored(database).annotations.change(1, 1, "Bob", None)
    shown = press(fill(shown, NOTE, "of Ann", "text_area"), "Save note")
    assert len(shown.error) == 1 and "(deleted)" in words(shown)
    shown = press(shown, "Cancel")
    assert "1 deleted note" in [expander.label for expander in shown.expander]


def test_a_reader_sees_notes_and_writes_none(visit: Open, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = Repository.open(database)
    repository.annotations.add(int(key_of("02")), Anchor("session"), "Ann", "for all")
    repository.close()
    monkeypatch.setenv(visitors.READ_ONLY, "1")
    shown = no_exception(visit("session", database, session=key_of("02")))
    assert "for all" in words(shown)
    labels = {button.label for button in shown.button}
    assert not labels & {"Edit", "Delete", "Add note"} and not any(field.label == NAME for field in shown.text_input)
    quiet = no_exception(visit("session", database, session=key_of("03")))
    assert "Notes" not in words(quiet), "nothing is written, and nothing can be"


def test_notes_of_a_session_without_tokens(visit: Open, database: Path) -> None:
    repository = Repository.open(database)
    repository.transactions.connection.execute("DELETE FROM request_tokens")
    repository.transactions.connection.execute("UPDATE requests SET has_account = false")
    repository.close()
    shown = no_exception(visit("session", database, session=key_of("02")))
    box = next(box for box in shown.selectbox if box.label == "About")
    assert box.options[0] == "Turn 1" and box.options[-1] == "The whole session"
    shown = add(about(shown, "Turn 5"), "no tokens here")
    assert "turn 5\n" in words(shown)


ODD = "<script>alert(1)</script> **b** ![i](http://x.example/i.png) \x1b[31m \u202e \0 end"


def test_names_and_texts_are_shown_as_text(visit: Open, database: Path) -> None:
    repository = Repository.open(database)
    repository.annotations.add(int(key_of("02")), Anchor("session"), ODD, ODD)
    repository.close()
    shown = no_exception(visit("session", database, session=key_of("02")))
    every = [one.value for kind in ("markdown", "caption") for one in shown.get(kind)]
    written = next(text for text in every if text.startswith("<script>"))
    assert "![" not in written and r"\x1b[31m \u202e \x00 end" in written
    (head,) = (text for text in every if "UTC" in text and "alert" in text)
    assert r"**\<script\>" in head and r"\*\*b\*\*" in head
    assert not any(element.proto.allow_html for element in shown.markdown if "alert" in element.value)


def placed(place: Place, text: str | None = "text") -> Placed:
    return Placed(Annotation(1, 1, Anchor("turn", "r", 1), (Version(1, "ann", 0.0, text),)), place)


def test_the_marks_of_the_map() -> None:
    every = [
        placed(Place(None)),
        placed(Place(3)),
        placed(Place(4, 40, 50)),
        placed(Place(5, moved=True)),
        placed(Place(6), None),
    ]
    assert marks(every, 16) == [(3, None), (4, 2), (5, None)]
