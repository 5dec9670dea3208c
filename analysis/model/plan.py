"""A fix plan: what each step is worth in tokens of the whole session."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tokens:
    """Prompt tokens of a session and those of them that could be reused, summed over its turns."""

    prompt: int
    reusable: int

    @property
    def computed(self) -> int:
        """What the server has to compute."""
        return self.prompt - self.reusable

    @property
    def hit_rate(self) -> float | None:
        """Reusable over prompt tokens; None for a session without a prompt."""
        return self.reusable / self.prompt if self.prompt else None


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One cause undone on all turns of a session, on top of the steps before it.

    ``turns`` are those in which the cause was found; ``also`` are other codes that the fix took back with it.
    ``after`` is None where no change to the requests, or no render,
    could show what the fix is worth; ``reason`` says why.
    """

    code: str
    turns: tuple[int, ...]
    fix: str
    before: Tokens
    after: Tokens | None
    reason: str | None = None
    also: tuple[str, ...] = ()

    @property
    def verified(self) -> bool:
        """Whether the requests were rendered with the cause undone."""
        return self.after is not None

    @property
    def recovers(self) -> int | None:
        """Computed tokens saved; negative where the fix lengthens the prompts by more than it lets reuse."""
        return None if self.after is None else self.before.computed - self.after.computed
