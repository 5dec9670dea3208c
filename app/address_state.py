"""What a page is asked for, kept in its address: a link, a saved view and the way back of the browser lead through it.

The fields of the page are made anew whenever the address was changed by anything but them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import streamlit as st

from app import address
from app.desk_address import Params

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AddressState(Generic[T]):
    """What one page is asked for.  ``name`` is that of its keys in the browser session.

    ``anchor`` is a field that the page always has: where it is gone, the page was left.  ``kept`` is what is asked for
    on return, of what was asked for last.
    """

    name: str
    anchor: str
    read: Callable[[Mapping[str, Sequence[str]]], T]
    write: Callable[[T], Params]
    kept: Callable[[T], T]

    def asked(self) -> T:
        """What the address asks for; when the page is come back to without an address, what was asked for last."""
        here = self.read({name: st.query_params.get_all(name) for name in st.query_params})
        last = self.last()
        if last is not None and here != last:
            was_away = self.field(self.anchor) not in st.session_state
            if was_away and here == self.read({}):
                here = self.kept(last)
                self._write(here)
            else:
                self.renew()
        st.session_state[self._asked] = here
        return here

    def last(self) -> T | None:
        """What was asked for last in this browser session."""
        found: T | None = st.session_state.get(self._asked)
        return found

    def ask(self, wanted: T) -> None:
        """Let the address ask for this, as the fields of the page already do."""
        if wanted != self.last():
            st.session_state[self._asked] = wanted
            self._write(wanted)

    def _write(self, wanted: T) -> None:
        st.query_params.from_dict(self.write(wanted))
        address.hold()

    def field(self, name: str) -> str:
        """The key of a field: another one whenever the address was changed by anything but the fields."""
        return f"{name}_{self._number}"

    def renew(self) -> None:
        """Make all fields anew."""
        st.session_state[f"{self.name}_number"] = self._number + 1

    @property
    def _asked(self) -> str:
        return f"{self.name}_asked"

    @property
    def _number(self) -> int:
        return int(st.session_state.get(f"{self.name}_number", 0))
