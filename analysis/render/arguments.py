"""Which arguments a chat template takes beside the conversation: the names it reads and does not set.

Does not render; a name that a template only sets for itself may be among them and does no harm.
"""

from jinja2 import TemplateError, meta, nodes

from analysis.render.errors import RenderError
from analysis.render.jinja import parsed
from analysis.render.tokenizer import SPECIAL_TOKENS

GIVEN = ("messages", "tools", "documents", "add_generation_prompt", "raise_exception", "strftime_now", *SPECIAL_TOKENS)


def argument_names(source: str) -> tuple[str, ...]:
    """The names that ``chat_template_kwargs`` can set, sorted; raise RenderError where the template is none.

    A template that sets a name of its own only where it is missing (``x if x is defined else …``) reads it too.
    """
    try:
        environment, tree = parsed(source)
        read = meta.find_undeclared_variables(tree)  # which refuses a filter that does not exist
    except TemplateError as error:
        raise RenderError(f"the chat template cannot be compiled: {error}") from error
    names = read - {*GIVEN, *environment.globals}
    own = {name.name for name in tree.find_all(nodes.Name) if name.ctx == "store"}
    return tuple(sorted(names - (own - _asked_for(tree))))


def _asked_for(tree: nodes.Template) -> set[str]:
    """Names of which the template asks whether they were given."""
    tests = [test for test in tree.find_all(nodes.Test) if test.name in ("defined", "undefined", "none")]
    defaults = [found for found in tree.find_all(nodes.Filter) if found.name in ("default", "d")]
    return {asked.node.name for asked in (*tests, *defaults) if isinstance(asked.node, nodes.Name)}
