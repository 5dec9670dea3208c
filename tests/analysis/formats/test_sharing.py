"""What is sent again is kept once."""

from analysis.formats.sharing import Sharing
from tests.builders import assistant, user


def test_equal_objects_are_one() -> None:
    sharing = Sharing()
    first = sharing.once([user("a"), assistant("b")])
    again = sharing.once(iter([user("a"), assistant("b"), user("c")]))
    assert again == (user("a"), assistant("b"), user("c"))
    assert again[0] is first[0] and again[1] is first[1]


def test_another_order_of_fields_is_another_object() -> None:
    """Templates may print an object as it was sent."""
    one, other = Sharing().once([{"a": 1, "b": 2}, {"b": 2, "a": 1}])
    assert list(one) == ["a", "b"] and list(other) == ["b", "a"]
