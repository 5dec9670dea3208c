"""The console script: Ctrl-C says nothing, however early it comes."""

import signal
import subprocess
import sys
import tomllib

import pytest

from app import cli, entry
from tests.builders import ROOT

EARLY = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path, target=None):
        if name == "app.cli":
            os.kill(os.getpid(), signal.SIGINT)
            signal.pause()

sys.meta_path.insert(0, Finder())
from importlib import import_module
getattr(import_module(sys.argv[1]), sys.argv[2])()
"""


def test_ctrl_c_while_it_is_imported_is_quiet() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    module, _colon, name = scripts["whymiss"].partition(":")
    ended = subprocess.run(
        [sys.executable, "-c", EARLY, module, name], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


def test_ctrl_c_outside_of_a_command_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "main", interrupted)
    with pytest.raises(SystemExit) as ended:
        entry.main()
    assert ended.value.code == 130


def test_a_command_has_ctrl_c_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    handlers = []
    monkeypatch.setattr(cli, "main", lambda: handlers.append(signal.getsignal(signal.SIGINT)))
    entry.main()
    assert handlers == [signal.getsignal(signal.SIGINT)]
