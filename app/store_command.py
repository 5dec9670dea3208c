"""``whymiss export`` and ``whymiss restore``: the store as one file, to keep or to take elsewhere."""

import typer

from analysis.store.backup import restore_store
from analysis.store.database import StoreInUse
from analysis.store.repository import Repository
from app import options, places
from app.terminal import fail, say

IN_USE = "the dashboard ({}) has this database open. Download the copy there (Sessions, Imports), or stop it first."


def export(copy: options.Copy, db: options.Database = None) -> None:
    """Copy the dashboard's database to one file.

    The copy has all sessions in it and opens with `whymiss serve --db FILE`. While the dashboard runs, download the
    copy there: Sessions, Imports.

    Example: whymiss export whymiss-monday.duckdb
    """
    file = db or places.database()
    try:
        if not file.exists():
            raise ValueError(f"{file}: no such database. --db names another one.")
        repository = Repository.open(file)
        try:
            repository.copy_to(copy)
        finally:
            repository.close()
    except StoreInUse as error:
        fail(ValueError(f"{file}: {IN_USE.format(error.holder)}"))
    except (ValueError, OSError) as error:
        fail(error)
    say(f"{copy}: a copy of {file}.")


def restore(copy: options.Copy, db: options.Database = None, replace: options.Replace = False) -> None:
    """Make the dashboard's database what a copy of it is.

    Example: whymiss restore whymiss-monday.duckdb --replace
    """
    file = db or places.database()
    try:
        restore_store(copy, file, replace)
    except (ValueError, OSError) as error:
        fail(error)
    say(f"{file}: restored from {copy}.")


def add_to(app: typer.Typer) -> None:
    """Make them commands of the command line."""
    app.command()(export)
    app.command()(restore)
