"""The address of a browser, for tests that go to places and for those that need no page at all."""

from types import SimpleNamespace

import pytest

from app import address


class Address(dict[str, str | list[str]]):
    """Query parameters as Streamlit has them."""

    def get_all(self, name: str) -> list[str]:
        found = self[name]
        return [found] if isinstance(found, str) else found

    def from_dict(self, params: dict[str, list[str]]) -> None:
        self.clear()
        self.update(params)


def by_history(monkeypatch: pytest.MonkeyPatch, is_so: bool = True) -> None:
    """From now on the browser says that it goes back or forward, or that it does not."""
    monkeypatch.setattr(address, "get_script_run_ctx", lambda: SimpleNamespace(is_history_navigation=is_so))
