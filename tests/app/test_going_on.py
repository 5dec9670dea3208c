"""The page that is run again when the server is back: mounted around every page, once."""

from pathlib import Path

from tests.app.dashboard import Open, no_exception


def test_it_is_mounted_once(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("cases", samples))
    assert [one.proto.component_name for one in shown.get("bidi_component")].count("whymiss_going_on") == 1
