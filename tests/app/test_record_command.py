"""``whymiss record`` as a person runs it: what it says, and what it refuses before the first request."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.app.command_line import error_of, run
from tests.upstream import Upstream, answer_to

BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi"}], "cache_salt": "geheim"}).encode()


@pytest.fixture(autouse=True)
def data_folder_of_the_test(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.mark.parametrize(
    ("flags", "salts_kept"), [((), False), (("--keep-secrets",), True)], ids=["fingerprints", "secrets kept"]
)
def test_it_records_until_ctrl_c_and_the_log_is_read(tmp_path: Path, flags: tuple[str, ...], salts_kept: bool) -> None:
    log = tmp_path / "proxy.jsonl"
    with Upstream() as upstream:
        command = [sys.executable, "-m", "app.cli", "record", "--upstream", upstream.url, "-o", str(log), "--port", "0"]
        with subprocess.Popen([*command, *flags], stderr=subprocess.PIPE, text=True, env=dict(os.environ)) as process:
            assert process.stderr is not None
            first = process.stderr.readline()
            assert first.startswith(f"recording {upstream.url} to {log}: point clients at http://127.0.0.1:")
            url = first.partition("point clients at ")[2].split()[0]
            assert httpx.post(f"{url}/v1/chat/completions", content=BODY).content == answer_to(BODY)
            process.send_signal(signal.SIGINT)
            assert process.stderr.read() == f"{log}: 1 request recorded.\n"
        assert process.returncode == 0
    assert ("geheim" in log.read_text()) == salts_kept
    (session,) = json.loads(run("analyze", log, "--json", "-").stdout)["sessions"]
    assert session["turns"][0]["prompt_tokens"] == 3


def test_what_cannot_be_is_said_before_the_first_request(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    assert "No such file or directory" in error_of("record", "--upstream", "http://up:1", "-o", tmp_path / "no" / "f")
    assert "Is a directory" in error_of("record", "--upstream", "http://up:1", "-o", tmp_path)
    assert "is more than the address of a server" in error_of("record", "--upstream", "http://up:1/x/y", "-o", log)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = error_of("record", "--upstream", "http://up:1", "-o", log, "--port", port)
    assert said == f"127.0.0.1:{port}: Address already in use: choose another with --port or --host"


def test_a_key_in_the_address_is_refused(tmp_path: Path) -> None:
    said = error_of("record", "--upstream", "http://me:geheim@up:1", "-o", tmp_path / "log.jsonl")
    assert "geheim" not in said and "user name or a password" in said
