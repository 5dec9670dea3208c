"""Models from folders, and what their tokens stand for."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer
from tokenizers.decoders import ByteFallback, Fuse, Replace
from tokenizers.decoders import Sequence as Decoders
from tokenizers.models import WordLevel

from analysis.render.errors import RenderError
from analysis.render.tokenizer import load_model, token_bytes
from tests.builders import SAMPLE_MODEL


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SAMPLE_MODEL, tmp_path / "model"))


def configure(folder: Path, **values: Any) -> None:
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **values}))


def test_a_folder() -> None:
    files = load_model(str(SAMPLE_MODEL))
    assert files.name == str(SAMPLE_MODEL)
    assert files.special_tokens == {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
    assert files.chat_template == (SAMPLE_MODEL / "chat_template.jinja").read_text("utf-8")


def test_special_tokens_may_be_objects(folder: Path) -> None:
    configure(folder, bos_token={"content": "<s>", "lstrip": False}, unk_token=None)
    assert load_model(str(folder)).special_tokens["bos_token"] == "<s>"


@pytest.mark.parametrize(
    ("configured", "template"),
    [
        pytest.param("x", "x", id="text"),
        pytest.param({"tool_use": "t", "default": "d"}, "d", id="by name"),
        pytest.param(
            [{"name": "tool_use", "template": "t"}, {"name": "default", "template": "d"}], "d", id="list by name"
        ),
        pytest.param({"tool_use": "t"}, None, id="no default"),
        pytest.param(None, None, id="none"),
    ],
)
def test_a_template_in_the_configuration(folder: Path, configured: Any, template: str | None) -> None:
    (folder / "chat_template.jinja").unlink()
    configure(folder, chat_template=configured)
    assert load_model(str(folder)).chat_template == template


def test_a_template_file_wins(folder: Path) -> None:
    configure(folder, chat_template="x")
    assert load_model(str(folder)).chat_template != "x"


def test_a_folder_without_configuration(folder: Path) -> None:
    (folder / "tokenizer_config.json").unlink()
    assert load_model(str(folder)).special_tokens == {}


def test_truncation_and_padding_are_switched_off(folder: Path) -> None:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=9)
    tokenizer.save(str(folder / "tokenizer.json"))
    assert len(load_model(str(folder)).tokenizer.encode("one two three four five six").ids) not in (4, 9)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        pytest.param("tokenizer.json", "{", "tokenizer.json cannot be read", id="tokenizer"),
        pytest.param("tokenizer_config.json", "{", "configuration cannot be read", id="configuration"),
        pytest.param("chat_template.jinja", b"\xff\xfe", "configuration cannot be read", id="template"),
    ],
)
def test_a_damaged_folder(folder: Path, name: str, content: str | bytes, message: str) -> None:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(RenderError, match=message):
        load_model(str(folder))


def test_a_file_is_no_model() -> None:
    with pytest.raises(RenderError, match=r"a file, not a model\. Give the folder"):
        load_model(str(SAMPLE_MODEL / "tokenizer.json"))


@pytest.mark.parametrize("home", [False, True], ids=["a path", "in the home folder"])
def test_a_path_that_does_not_exist_is_no_hub_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: bool) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    model = "~/nonesuch" if home else str(tmp_path / "nonesuch")
    with pytest.raises(RenderError) as caught:
        load_model(model)
    assert str(caught.value) == f"{model}: there is no such folder. Give the folder that holds tokenizer.json."


@pytest.mark.parametrize("text", ["hi", "naïve\n\tcafé", "한글 😀", "<|im_start|>user\n", "\x00\x7f"])
def test_token_bytes_join_to_the_text(text: str) -> None:
    tokenizer = load_model(str(SAMPLE_MODEL)).tokenizer
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    assert b"".join(token_bytes(tokenizer, ids)) == text.encode()


def test_a_token_may_be_half_a_character() -> None:
    tokenizer = load_model(str(SAMPLE_MODEL)).tokenizer
    pieces = token_bytes(tokenizer, tokenizer.encode("😀", add_special_tokens=False).ids)
    assert len(pieces) > 1 and b"".join(pieces) == "😀".encode()


def test_an_id_outside_the_vocabulary_is_shown_as_such() -> None:
    assert token_bytes(load_model(str(SAMPLE_MODEL)).tokenizer, [999_999]) == [b"<999999>"]


def test_bytes_of_a_sentencepiece_vocabulary() -> None:
    tokenizer = Tokenizer(WordLevel({"\u2581hi": 0, "<0xE2>": 1, "é": 2}, unk_token="é"))
    tokenizer.decoder = Decoders([Replace("\u2581", " "), ByteFallback(), Fuse()])
    assert token_bytes(tokenizer, [0, 1, 2]) == [b" hi", b"\xe2", "é".encode()]
