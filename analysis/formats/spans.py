"""Calls within a tree of spans: which of them only repeat others, and which agent each was made for.

Instrumentation nests: a span of an agent around those of its calls, the span of a framework around that of the API.
Does not read what a span says.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

Counts = tuple[int | None, int | None]  # prompt and output tokens
NOTHING: Counts = (None, None)
NESTED = "inner calls"  # the lineage of calls within other calls


@dataclass(frozen=True, slots=True)
class Branch:
    """One span of a tree: ``agent`` names the agent that it runs, ``counts`` are those of a call, None of others."""

    span_id: str
    parent_id: str | None
    counts: Counts | None = None
    agent: str | None = None
    has_prompt: bool = True


@dataclass(frozen=True, slots=True)
class SpanTree:
    """Spans by their id.  A parent that is not among them is no parent."""

    branches: Mapping[str, Branch]

    def above(self, span_id: str) -> Iterator[Branch]:
        """The spans around one, the nearest first; a circle ends where it closes."""
        seen = {span_id}
        branch = self.branches.get(span_id)
        while branch is not None and branch.parent_id is not None and branch.parent_id not in seen:
            seen.add(branch.parent_id)
            branch = self.branches.get(branch.parent_id)
            if branch is not None:
                yield branch

    def repeats(self) -> frozenset[str]:
        """Calls that are told twice, the tellings to leave out.

        A call around others repeats them where it has no counts of its own, or theirs, or their sum.  Where only the
        outer one has a prompt, it is kept and stands for the inner ones; so it is where one alone within has no counts.
        """
        within: dict[str, list[Branch]] = defaultdict(list)
        for branch in self._calls():
            if outer := next((one for one in self.above(branch.span_id) if one.counts is not None), None):
                within[outer.span_id].append(branch)
        told: set[str] = set()
        for span_id, calls in within.items():
            outer = self.branches[span_id]
            is_bare = [call.counts for call in calls] == [NOTHING] != [outer.counts]
            if not (is_bare or any(call.counts == outer.counts for call in calls) or _is_sum(outer, calls)):
                continue
            if outer.has_prompt and (is_bare or not any(call.has_prompt for call in calls)):
                told |= {call.span_id for call in calls}
            else:
                told.add(span_id)
        return frozenset(told)

    def lineages(self, repeats: frozenset[str] = frozenset()) -> dict[str, str]:
        """The lineage of each call that is not of its session's own conversation.

        A call of an agent within another agent that makes calls itself is a sub-agent's; a call within a call that
        counts too is beside it.
        """
        agents = {call.span_id: [one for one in self.above(call.span_id) if one.agent] for call in self._calls()}
        callers = {found[0].span_id for found in agents.values() if found}
        lineages: dict[str, str] = {}
        for span_id, around in agents.items():
            chain = [one for one in around if one.span_id in callers]
            if any(one.counts is not None and one.span_id not in repeats for one in self.above(span_id)):
                lineages[span_id] = NESTED
            elif len(chain) > 1:
                lineages[span_id] = f"{chain[0].agent} {chain[0].span_id.rpartition(' ')[2]}"
        return lineages

    def _calls(self) -> Iterator[Branch]:
        return (branch for branch in self.branches.values() if branch.counts is not None)


def _is_sum(outer: Branch, calls: Sequence[Branch]) -> bool:
    if outer.counts in (None, NOTHING):
        return True
    sums = tuple(
        sum(number or 0 for number in side) for side in zip(*(call.counts or (0, 0) for call in calls), strict=True)
    )
    return outer.counts == sums
