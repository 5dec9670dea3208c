"""Remedies in the words of the dashboard: what analyses tell to give as an option is a field or a page here.

Findings and problems are stored as the command line says them, so that both read the same store.  Does not touch
options of other programs.
"""

REMEDIES = (  # on the command line, in the browser
    ("Read it as a format of your choice with --format", "Choose its Format in Add logs"),
    ("Name one with --format", "Choose one as its Format in Add logs"),
    (
        "with --model or on the page Models of the dashboard, or a server with --endpoint",
        "on the page Models, or add the log again with a server that the page Live server is connected to",
    ),
    ("on the page Models of the dashboard, or give --model", "on the page Models"),
    ("under Add logs, or with --model", "under Add logs"),
    ("(--model or --endpoint)", "(page Models or Live server)"),
    ("(--model), or a live server (--endpoint)", "(page Models), or a live server (page Live server)"),
    ("(--model)", "(page Models)"),
    ("(--endpoint)", "(page Live server)"),
    ("a live --endpoint", "a live server (page Live server)"),
)


def in_browser(message: str) -> str:
    """A message for somebody who looks at the dashboard."""
    for option, place in REMEDIES:
        message = message.replace(option, place)
    return message
