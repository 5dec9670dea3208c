"""The one error of rendering."""


class RenderError(ValueError):
    """A request cannot be rendered, or a tokenizer or template cannot be loaded; the message names the remedy."""
