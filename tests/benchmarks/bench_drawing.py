"""How long the browser draws 200 turns of 12,500 blocks.  Run by hand: pytest -m benchmark -s <this file>."""

import pytest

from tests.browser import conftest, test_block_map
from tests.browser.test_block_map import MapPage

pytestmark = pytest.mark.benchmark

browser, address, open_page = conftest.browser, test_block_map.address, test_block_map.open_page


def test_drawing_time(open_page: MapPage) -> None:
    took = {name: drawn(open_page.open(name)) for name in ("typical", "noisy")}
    print(f"\nthe noisy session is drawn in {took['noisy'] / took['typical']:.1f} times the time of the typical one")


def drawn(page: MapPage) -> float:
    """Milliseconds of the slowest of some views."""
    slowest = 0.0
    for key in ("+", "-", "0"):
        page.press(key)
        page.page.wait_for_timeout(500)
        slowest = max(slowest, float(page.data("draw-ms")))
    print(f"\n{slowest:.1f} ms at most")
    return slowest
