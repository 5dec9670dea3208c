"""The narrow scope: credentials by their form, e-mail addresses, and names that were given."""

import pytest

from analysis.report.secrets import HIDDEN, covered, masked, person, says_anything
from analysis.report.token_text import shown


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param("write to jo.ott@mail.example today", f"write to {HIDDEN} today", id="e-mail"),
        pytest.param("key sk-abc12345def here", f"key {HIDDEN} here", id="a key by its prefix"),
        pytest.param("id AKIAIOSFODNN7EXAMPLE.", f"id {HIDDEN}.", id="a cloud key"),
        pytest.param("password: hunter2 x", f"{HIDDEN} x", id="said to be a password"),
        pytest.param("Authorization: Bearer abc.def-ghi", HIDDEN, id="a header"),
        pytest.param("jwt eyJhbGciOi.eyJzdWIi.c2ln end", f"jwt {HIDDEN} end", id="a token of three parts"),
        pytest.param("at https://jo:pw@host/x", f"at https://{HIDDEN}/x", id="in an address"),
        pytest.param("hash 9f86d081884c7d659a2feaa0c55ad015 end", f"hash {HIDDEN} end", id="long and mixed"),
        pytest.param("-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----", HIDDEN, id="a private key"),
        pytest.param("a\\nhf_abcdefgh1 end", f"a\\n{HIDDEN} end", id="behind an escaped line break"),
        pytest.param("the quick brown fox, 1,234 tokens", "the quick brown fox, 1,234 tokens", id="nothing"),
    ],
)
def test_masked(text: str, left: str) -> None:
    assert masked(text) == left


def test_of_a_person_the_whole_name_and_each_word_of_it_are_hidden() -> None:
    said = "Ann Lee, ANN LEE, Ann's annotation, Lee, Leeds, Al"
    assert masked(said, person("Ann Lee")) == f"{HIDDEN}, {HIDDEN}, {HIDDEN}'s annotation, {HIDDEN}, Leeds, Al"
    assert person("Al") == ()


def test_names_are_hidden_however_they_are_written() -> None:
    assert masked("Dear JO OTT, jo ott's order", ("Jo Ott", "")) == f"Dear {HIDDEN}, {HIDDEN}'s order"


def test_a_piece_of_a_text_loses_its_first_and_last_word() -> None:
    assert masked("rd12 is the end of pass", edges=True) == "… is the end of …"
    assert masked("one", edges=True) == "…" and masked("  ", edges=True) == "  " and masked("", edges=True) == ""
    assert masked("a@b.example is mine a", edges=True) == f"{HIDDEN} is mine …", "what is hidden is said to be"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param("10:21:04 is now", "10:21:04 is …", id="a clock"),
        pytest.param("it is 2026-11-29,", "… is 2026-11-29,", id="a date"),
        pytest.param("2026-11-29T10:21:04Z", "2026-11-29T10:21:04Z", id="both"),
        pytest.param("x10:21:04 is y2026-11-29", "… is …", id="a piece of something else"),
    ],
)
def test_a_moment_at_the_edge_is_no_piece_of_a_secret(text: str, left: str) -> None:
    assert masked(text, edges=True) == left


@pytest.mark.parametrize(("text", "says"), [("… a …", True), (f"… {HIDDEN} …", False), ("…", False), ("", False)])
def test_whether_a_masked_text_says_anything(text: str, says: bool) -> None:
    assert says_anything(text) is says


def test_tokens_that_hold_a_part_of_a_secret_are_covered_all() -> None:
    pieces = ["a·", "key:", "·sk", "-abc", "12345", "·is", "·Jo", "·Ott", "·b"]
    assert covered(pieces, ("Jo Ott",)) == [True, False, True, True, True, False, True, True, True]


def test_names_are_found_in_tokens_that_are_no_whole_letters() -> None:
    """A letter of another script may stand in several tokens, each shown as its bytes."""
    pieces = [shown(bytes([byte])) for byte in "x Жанна y".encode()]
    hidden = covered(pieces, ("Жанна",))
    assert hidden[2:12] == [True] * 10 and not hidden[1] and not hidden[12]


def test_names_of_several_words_are_hidden_where_a_text_was_cut_within_them() -> None:
    assert masked("tt Sen Yoon wrote", ("Ott Sen Yoon",), edges=True) == f"{HIDDEN} …"
    assert masked("dear Ott Sen Yo…", ("Ott Sen Yoon",), edges=True) == f"… {HIDDEN}…"
    assert covered(["tt", "·Sen", "·Yoon", "·wrote", "·a", "·b"], ("Ott Sen Yoon",))[:4] == [True, True, True, False]


@pytest.mark.parametrize("text", ["w" * 300_000, "w " * 100_000, "a:" * 100_000, "-w" * 100_000, f"{'w' * 300_000} "])
def test_a_megabyte_without_a_secret_is_read_once(text: str) -> None:
    """In less than minutes: a form that is tried at every letter of a word takes the square of its length."""
    assert HIDDEN not in masked(text) and masked(f"{text} a@b.example", edges=True).endswith(HIDDEN)
