"""A model's tokenizer and chat template, from a folder or from the hub.

A folder with ``tokenizer.json`` needs no import of transformers, which takes seconds; everything else is left to it.
Does not run remote code.
"""

import json
import logging
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tokenizers import Tokenizer

from analysis.render.errors import RenderError, first_line

SPECIAL_TOKENS = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """What rendering needs of a model: ``special_tokens`` are the texts that a template may ask for by name."""

    name: str
    tokenizer: Tokenizer
    chat_template: str | None
    special_tokens: dict[str, str]


def load_model(model: str) -> ModelFiles:
    """Load a folder or a hub id; raise RenderError with the remedy where neither works."""
    folder = Path(model).expanduser()
    if (folder / "tokenizer.json").is_file():
        files = _from_folder(folder, model)
    else:
        if folder.is_absolute() and not folder.exists():
            raise RenderError(f"{model}: there is no such folder. Give the folder that holds tokenizer.json.")
        if folder.is_file():
            raise RenderError(f"{model}: a file, not a model. Give the folder that holds tokenizer.json.")
        files = _from_transformers(model, folder.is_dir())
    files.tokenizer.no_truncation()
    files.tokenizer.no_padding()
    return files


def token_bytes(tokenizer: Tokenizer, token_ids: Sequence[int]) -> list[bytes]:
    """What each token stands for, in bytes.  An id outside the vocabulary is shown as ``<id>``."""
    added = {token_id: token.content for token_id, token in tokenizer.get_added_tokens_decoder().items()}
    byte_level = tokenizer.decoder is not None and b"ByteLevel" in tokenizer.decoder.__getstate__()
    return [_bytes_of(tokenizer, token_id, added, byte_level) for token_id in token_ids]


def _bytes_of(tokenizer: Tokenizer, token_id: int, added: dict[int, str], byte_level: bool) -> bytes:
    if token_id in added:
        return added[token_id].encode()
    token = tokenizer.id_to_token(token_id)
    if token is None:
        return f"<{token_id}>".encode()
    if byte_level:
        return bytes(BYTE_OF[char] for char in token) if all(char in BYTE_OF for char in token) else token.encode()
    if len(token) == 6 and token.startswith("<0x") and token.endswith(">"):
        return bytes([int(token[3:5], 16)])
    return token.replace("\u2581", " ").encode()


def _byte_alphabet() -> dict[str, int]:
    """The printable character that byte-level BPE writes for each byte (GPT-2's ``bytes_to_unicode``), inverted."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    shifted = [byte for byte in range(0x100) if byte not in printable]
    alphabet = {chr(byte): byte for byte in printable}
    return alphabet | {chr(0x100 + index): byte for index, byte in enumerate(shifted)}


BYTE_OF = _byte_alphabet()


def _from_folder(folder: Path, name: str) -> ModelFiles:
    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:  # the library raises bare Exception for a file it cannot parse
        raise RenderError(f"{name}: tokenizer.json cannot be read ({first_line(error)}).") from error
    config: dict[str, Any] = {}
    try:
        if (folder / "tokenizer_config.json").is_file():
            config = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
        jinja = folder / "chat_template.jinja"
        template = jinja.read_text("utf-8") if jinja.is_file() else _default_template(config.get("chat_template"))
    except (OSError, ValueError) as error:
        raise RenderError(f"{name}: the tokenizer's configuration cannot be read ({first_line(error)}).") from error
    return ModelFiles(name, tokenizer, template, _special_tokens(config))


def _from_transformers(model: str, local: bool) -> ModelFiles:
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")  # it warns of missing PyTorch, which nothing here needs
    from transformers import AutoTokenizer  # takes seconds to import: only where nothing else will do

    logging.getLogger("huggingface_hub").setLevel(logging.CRITICAL)  # its retries are told in one line below
    cached_only = local or not _hub_within_reach()  # offline, the hub's client retries for a minute
    try:
        tokenizer = AutoTokenizer.from_pretrained(model, trust_remote_code=False, local_files_only=cached_only)
    except Exception as error:  # hub, network, file and version errors of many classes; all end in the same remedy
        where = "the folder holds no tokenizer that can be loaded" if local else "neither a folder nor a hub id"
        raise RenderError(
            f"{model}: {where} within reach ({first_line(error)}). Give a folder with tokenizer.json and"
            " tokenizer_config.json, a hub id this machine can download, or a live --endpoint."
        ) from error
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise RenderError(f"{model}: only a slow tokenizer without tokenizer.json; use a live --endpoint instead.")
    special = {name: str(value) for name, value in tokenizer.special_tokens_map.items() if isinstance(value, str)}
    return ModelFiles(model, backend, _default_template(tokenizer.chat_template), special)


def _hub_within_reach() -> bool:
    host = urlsplit(os.environ.get("HF_ENDPOINT", "https://huggingface.co")).hostname
    try:
        socket.getaddrinfo(host, 443)
    except OSError:
        return False
    return True


def _default_template(templates: Any) -> str | None:
    """The template named "default" where a model has several."""
    if isinstance(templates, list):
        templates = {entry.get("name"): entry.get("template") for entry in templates}
    if isinstance(templates, dict):
        templates = templates.get("default")
    return templates if isinstance(templates, str) else None


def _special_tokens(config: dict[str, Any]) -> dict[str, str]:
    values = {name: config.get(name) for name in SPECIAL_TOKENS}
    texts = {name: value.get("content") if isinstance(value, dict) else value for name, value in values.items()}
    return {name: text for name, text in texts.items() if isinstance(text, str)}
