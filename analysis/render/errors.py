"""The one error of rendering."""


class RenderError(ValueError):
    """A request cannot be rendered, or a tokenizer or template cannot be loaded; the message names the remedy."""


def first_line(error: BaseException) -> str:
    """The first line of another library's error, shortened, for a message of ours."""
    return str(error).strip().partition("\n")[0][:200] or type(error).__name__
