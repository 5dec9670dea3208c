"""What stands for a salt: a fingerprint of this process, or the salt itself where its owner asks for it."""

import pytest

from analysis.formats import salts
from analysis.model.session import Json


def test_equal_salts_have_equal_fingerprints_of_no_use_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    one, same, other = (salts.fingerprint(salt) for salt in ("tenant-a", "tenant-a", "tenant-b"))
    assert one == same != other and one is not None and "tenant" not in one
    monkeypatch.setattr(salts, "KEY", b"x" * 32)
    assert salts.fingerprint("tenant-a") != one


@pytest.mark.parametrize("value", [None, "", 5, ["a"]], ids=repr)
def test_what_is_no_salt(value: Json) -> None:
    assert salts.fingerprint(value) is None
    with salts.as_sent():
        assert salts.fingerprint(value) is None


def test_salts_as_sent_are_so_only_within() -> None:
    before = salts.fingerprint("tenant-a")
    with pytest.raises(ValueError, match="odd"), salts.as_sent():
        assert salts.fingerprint("tenant-a") == "tenant-a"
        raise ValueError("odd")
    assert salts.fingerprint("tenant-a") == before
