"""ATIF trajectories (Harbor's Agent Trajectory Interchange Format, 1.4 to 1.7), one or several in a file.

Continuations (``-cont-N``) go on with the session they continue; sub-agents, embedded or in files of their own, are
lineages of the session that refers to them.  Does not fetch what a reference names and no file holds.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analysis.formats import jsontext, shape
from analysis.formats.atif_steps import COMBINED, entries, is_call, is_combined, references
from analysis.formats.base import FormatError, Problems, Progress
from analysis.formats.calls import first_text, mapping, objects
from analysis.formats.grouping import Entry, grouped
from analysis.model.session import JsonObject, Log, Problem, Session

name = "atif"
title = "ATIF trajectories (Harbor, versions 1.4 to 1.7)"
looks_for = "an object with schema_version ATIF, agent and steps"
limitations: tuple[str, ...] = (
    "requests are put together from the steps; tools only where agent.tool_definitions has them (1.5 and later)",
    "one time a step: how long a call took is not known",
    "sub-agents in files of their own must be in one folder with the trajectory that refers to them",
    "after a step that managed the context, what was sent is not in the file",
)

_CONTINUED = re.compile(r"-cont-[0-9]{1,9}$")


@dataclass(frozen=True, slots=True)
class _Trajectory:
    """A trajectory of a file; ``parent`` is the one that embeds it."""

    said: JsonObject
    file: str
    line: int
    parent: "_Trajectory | None" = None

    @property
    def session(self) -> str | None:
        """The run, which continuations share."""
        named = first_text(self.said.get("session_id"), self.said.get("trajectory_id"))
        return None if named is None else _CONTINUED.sub("", named)

    @property
    def part(self) -> int:
        """The number of a continuation, 0 for what is none."""
        continued = _CONTINUED.search(first_text(self.said.get("session_id")) or "")
        return int(continued[0].rpartition("-")[2]) if continued else 0


def sniff(head: bytes) -> bool:
    """Yes to the version that a trajectory names; of a long one only the names of its fields are known."""
    return any(_is_ours(record) for record in shape.opening(head)[:1])


def _is_ours(record: jsontext.Fields) -> bool:
    version = shape.value(record, "schema_version")
    return {"schema_version", "agent", "steps"} <= record.keys() and (version is None or "ATIF" in str(version))


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse one file."""
    return read_together([(file, data)], source, progress)


def read_together(files: Sequence[tuple[str, bytes]], source: str, progress: Progress | None = None) -> Log:
    """Parse files, sub-agents as lineages of whoever refers to them; raise FormatError where no model was called."""
    noted = {file: Problems(file) for file, _data in files}
    found = [
        one
        for file, data in files
        for line, record in jsontext.records(data, noted[file], progress)
        for one in _all(_Trajectory({key: jsontext.decode(raw) for key, raw in record.items()}, file, line))
    ]
    above = _parents(found)
    calls: dict[str, list[Entry]] = {}
    held: dict[str, dict[str, None]] = {}  # the files of a session
    for one in sorted(found, key=lambda one: one.part):
        root = _root(one, above)
        key = root.session or root.file
        calls.setdefault(key, []).extend(entries(one.said, one.line, key, _lineage(one, root)))
        held.setdefault(key, {})[one.file] = None
        if any(is_call(step) and is_combined(step) for step in objects(one.said.get("steps"))):
            noted[one.file].count("combined", one.line, COMBINED)
    sessions: list[Session] = []
    for key, found_calls in calls.items():
        sessions += grouped(found_calls, " + ".join(held[key]), source, name)
    if not sessions:
        raise FormatError(f"{files[0][0]}: no step in it for which a model was called. Whymiss reads {title}.")
    problems: list[Problem] = [problem for one in noted.values() for problem in one.listed()]
    return Log(tuple(sessions), tuple(problems))


def _all(one: _Trajectory) -> Iterator[_Trajectory]:
    """A trajectory and those that are embedded in it, at whatever depth."""
    pending = [one]
    while pending:
        taken = pending.pop(0)
        yield taken
        inner = objects(taken.said.get("subagent_trajectories"))
        pending += [_Trajectory(said, taken.file, taken.line, taken) for said in inner]


def _parents(found: Sequence[_Trajectory]) -> dict[int, _Trajectory]:
    """Who refers to, or embeds, a trajectory; none to itself."""
    names: dict[str, list[_Trajectory]] = {}
    for one in found:
        for named in _names(one):
            names.setdefault(named, []).append(one)
    above = {id(one): one.parent for one in found if one.parent is not None}
    for parent in found:
        for reference in references(parent.said):
            meant = next((names[named] for named in _meant(reference) if named in names), [])
            for one in meant:
                if one.session != parent.session or (one is not parent and _is_named(one, reference)):
                    above.setdefault(id(one), parent)
    return above


def _names(one: _Trajectory) -> Iterator[str]:
    """What a reference may call a trajectory: its id, its file, and in older versions its session."""
    if trajectory_id := first_text(one.said.get("trajectory_id")):
        yield f"id {trajectory_id}"
    if one.parent is None:
        yield f"file {one.file.rpartition('/')[2]}"
    if one.session is not None:
        yield f"session {one.session}"


def _meant(reference: JsonObject) -> Iterator[str]:
    if trajectory_id := first_text(reference.get("trajectory_id")):
        yield f"id {trajectory_id}"
    if path := first_text(reference.get("trajectory_path")):
        yield f"file {path.rpartition('/')[2]}"
    if session_id := first_text(reference.get("session_id")):
        yield f"session {session_id}"


def _is_named(one: _Trajectory, reference: JsonObject) -> bool:
    """Whether a reference names this trajectory itself, and not only the run that its parent may share."""
    return any(named in set(_names(one)) and not named.startswith("session ") for named in _meant(reference))


def _root(one: _Trajectory, above: dict[int, _Trajectory]) -> _Trajectory:
    """The trajectory that nobody refers to, upwards from this one; this one where references go in a circle."""
    seen, root = {id(one)}, one
    while (parent := above.get(id(root))) is not None:
        if id(parent) in seen:
            return one
        seen.add(id(parent))
        root = parent
    return root


def _lineage(one: _Trajectory, root: _Trajectory) -> str | None:
    """The name of a sub-agent: its run where it has one of its own, else its trajectory."""
    if one is root:
        return None
    run = one.session if one.session != root.session else None
    agent = mapping(one.said.get("agent")).get("name")
    return f"sub-agent {first_text(run, one.said.get('trajectory_id'), agent) or one.line}"
