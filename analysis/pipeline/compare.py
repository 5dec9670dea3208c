"""Two or more request bodies, renders or id lists against each other: where each leaves the one before it."""

from collections.abc import Sequence
from dataclasses import replace

from analysis.formats import openai_chat
from analysis.formats.base import FormatError
from analysis.formats.bodies import ids
from analysis.formats.jsontext import decode
from analysis.model.record import SessionRecord, TurnRecord
from analysis.model.session import Json, Request, Session, TokenIds, Turn
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from analysis.pipeline.record import records
from analysis.pipeline.sources import LogFile
from analysis.pipeline.tokens import RendererFor

NAME = "comparison"


def compare(files: Sequence[LogFile], renderer_for: RendererFor, settings: Settings) -> SessionRecord:
    """The bodies as the turns of one session, in the order given.

    Raises FormatError where a file is no request, render or id list, or where there are fewer than two of them, and
    ValueError or OSError where one cannot be rendered.  Every turn of the answer has its tokens.
    """
    turns = [turn for file in files for turn in _turns(file)]
    if len(turns) < 2:
        raise FormatError("a comparison needs two requests; only one was given.")
    numbered = tuple(replace(turn, number=number, line=number) for number, turn in enumerate(_named(turns), 1))
    session = Session(NAME, NAME, files[0].name, NAME, numbered)
    (analysed,) = analyse([session], renderer_for, settings, as_given=True)
    (record,) = records([analysed])
    silent = next((turn for turn in record.turns if turn.fidelity is None), None)
    if silent is not None:
        raise FormatError(record.problems[0].message if record.problems else _no_tokenizer(silent))
    return record


def _named(turns: Sequence[Turn]) -> list[Turn]:
    """What names no model, such as a list of ids, is of the model that another one names."""
    model = next((turn.request.model for turn in turns if turn.request.model), "")
    return [replace(turn, request=replace(turn.request, model=turn.request.model or model)) for turn in turns]


def _no_tokenizer(turn: TurnRecord) -> str:
    name = f"the model {turn.model!r}" if turn.model else "a request that names no model"
    return (
        f"{turn.request_id}: no tokenizer for {name}."
        " Give its folder or hub id (--model), or a live server (--endpoint)."
    )


def _turns(file: LogFile) -> list[Turn]:
    token_ids = _token_ids(file)
    if token_ids is not None:
        return [Turn(1, 1, file.name, Request("completion", "", prompt=token_ids), prompt_ids=token_ids)]
    log = openai_chat.read_bodies(file.data, file.name, file.name)
    turns = sorted((turn for session in log.sessions for turn in session.turns), key=lambda turn: turn.line)
    return [replace(turn, request_id=file.name if len(turns) == 1 else f"{file.name}:{turn.line}") for turn in turns]


def _token_ids(file: LogFile) -> TokenIds | None:
    """The ids of a render output or a bare list; None where the file is something else."""
    if not file.data.strip():
        raise FormatError(f"{file.name}: empty. Give a request body, the output of a render, or a list of token ids.")
    try:
        value: Json = decode(file.data)
    except ValueError:
        if b"\n" not in file.data.strip():  # one line is one body; several may be a log of which some lines are broken
            raise FormatError(f"{file.name}: not complete JSON. Paste or give the whole body.") from None
        return None
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        value = value[0]  # /v1/completions/render answers with a list
    if isinstance(value, dict):
        if "messages" in value or "request" in value:
            return None
        value = value.get("token_ids") or value.get("tokens") or value.get("prompt_token_ids")
    found = ids(value) if isinstance(value, list) else None
    return found if found is not None and len(found) else None
