"""Small random traffic, and a server that is modelled as plainly as can be: lists, tuples and searches over all.

Written from the description of vLLM's scheduler and block pool, not from the code that is tested against it.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

Ids = tuple[int, ...]
Image = tuple[int, int, str]  # tokens [start, stop), and which image it is
PIECE = 7  # the id of a piece of an image


@dataclass(frozen=True)
class Call:
    """One request: ``ids`` are its prompt (``prompt`` tokens) and what its reply leaves; times in seconds.

    ``seen`` are the ids with what the image was that they are a piece of, and where it began.
    """

    session: int
    ids: Ids
    prompt: int
    start: float
    end: float
    keys: Hashable = "k"
    skips: bool = False
    images: tuple[Image, ...] = ()

    @property
    def seen(self) -> tuple[Hashable, ...]:
        labels = {at: (start, name) for start, stop, name in self.images for at in range(start, stop)}
        return tuple((one, labels.get(at)) for at, one in enumerate(self.ids))


def with_images(seed: int, calls: Sequence[Call]) -> list[Call]:
    """The calls with images where four tokens can be pieces of one; another one now and then, at the same place."""
    random, made = Random(seed), []
    places = [start for start in (3, 12, 21) if random.random() < 0.7]
    for call in calls:
        fitting = [start for start in places if start + 4 <= call.prompt]
        ids = list(call.ids)
        for start in fitting:
            ids[start : start + 4] = [PIECE] * 4
        images = tuple((start, start + 4, random.choice("aaab")) for start in fitting)
        made.append(replace(call, ids=tuple(ids), images=images))
    return made


def traffic(seed: int, keys: str = "k", most: int = 14, skips: float = 0.0) -> list[Call]:
    """Sessions that grow, repeat, fork and leave their history, some of their turns sent before the last had ended."""
    random, calls, now = Random(seed), list[Call](), 0.0
    history: dict[int, Ids] = {}
    for _ in range(random.randint(1, most)):
        session = random.randrange(3)
        ids = history.get(session, ())
        if random.random() < 0.3:
            ids = ids[: random.randint(0, len(ids))]
        prompt = (*ids, *(random.randrange(2) for _ in range(random.randint(0 if ids else 1, 9))))[:40]
        full = (*prompt, *(random.randrange(2) for _ in range(random.randrange(7))))
        now += random.choice((0.0, 1.0, 4.0))
        end = now + random.choice((0.0, 0.5, 1.0, 6.0))
        calls.append(Call(session, full, len(prompt), now, end, random.choice(keys), random.random() < skips))
        history[session] = full
    return calls


def shared(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """Leading tokens that are equal."""
    length = min(len(left), len(right))
    return next((at for at in range(length) if left[at] != right[at]), length)


@dataclass
class Room:
    """A request in the pool: its blocks, and the content of each that is full."""

    chain: list[Hashable]
    blocks: list[int]
    named: int


@dataclass
class PlainPool:
    """``free`` is the queue, its head first; ``holds`` tells the content of a block, in the order they got it."""

    num_blocks: int
    size: int
    free: list[int] = field(default_factory=list)
    holds: dict[int, Hashable] = field(default_factory=dict)
    users: dict[int, int] = field(default_factory=dict)
    taker: dict[Hashable, int] = field(default_factory=dict)  # who took the latest block of a content
    removed: list[Hashable] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.free = list(range(1, self.num_blocks))

    def start(self, who: int, call: Call, most: int) -> tuple[int, Room]:
        """Give a prompt its blocks; the first number is how many of its full ones were hit."""
        stops = range(self.size, len(call.ids) + 1, self.size)
        room = Room([(call.keys, call.seen[:stop]) for stop in stops], [], 0)
        for content in room.chain[: min(most, (call.prompt - 1) // self.size)]:
            found = next((block for block, held in self.holds.items() if held == content), None)
            if found is None:
                break
            room.blocks.append(found)
        for block in room.blocks:
            if block in self.free:
                self.free.remove(block)
            self.users[block] = self.users.get(block, 0) + 1
        hits = room.named = len(room.blocks)
        self.grow(who, room, -(-call.prompt // self.size), call.prompt // self.size)
        return hits, room

    def grow(self, who: int, room: Room, num_blocks: int, named: int) -> None:
        """Take blocks from the head of the queue until there are ``num_blocks``; the full ones get their content."""
        while len(room.blocks) < num_blocks:
            if not self.free:
                raise ValueError("no room")
            block = self.free.pop(0)
            if block in self.holds:
                content = self.holds.pop(block)
                self.taker[content] = who
                self.removed.append(content)
            self.users[block] = 1
            room.blocks.append(block)
        for index in range(room.named, named):
            self.holds[room.blocks[index]] = room.chain[index]
        room.named = max(room.named, named)

    def finish(self, who: int, call: Call, room: Room) -> None:
        """Write the reply and give everything back: full blocks to the tail, deepest first, the others to the head."""
        self.grow(who, room, -(-len(call.ids) // self.size), len(room.chain))
        for block in room.blocks:
            self.users[block] -= 1
        freed = [block for block in reversed(room.blocks) if not self.users[block]]
        self.free[:0] = [block for block in freed if block not in self.holds]
        self.free += [block for block in freed if block in self.holds]


@dataclass
class Outcome:
    """What the plain server says of a call; ``unlimited`` and ``best`` are tokens with memory unlimited."""

    hit: int
    unlimited: int
    best: int
    evicted_by: tuple[int, ...]


@dataclass
class PlainServer:
    """Serves calls in order.  ``num_blocks`` None is unlimited memory; ``drops`` is drafting's one block a hit."""

    size: int
    num_blocks: int | None = None
    drops: bool = False
    pool: PlainPool | None = None
    served: list[Call] = field(default_factory=list)
    running: dict[int, Room | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.pool = PlainPool(self.num_blocks, self.size) if self.num_blocks else None

    def serve(self, call: Call) -> Outcome:
        """Schedule a call after all that had ended by then; raise ValueError where the pool is full."""
        self.finish(call.start)
        prompt, who = call.ids[: call.prompt], len(self.served)
        written = [one.prompt if index in self.running else len(one.ids) for index, one in enumerate(self.served)]
        known = list(zip(written, self.served, strict=True))
        seen = call.seen[: call.prompt]
        same = [shared(one.seen[:stop], seen) for stop, one in known if one.keys == call.keys]
        own = [shared(one.ids[:stop], prompt) for stop, one in known if one.session == call.session]
        last = next((one for one in reversed(self.served) if one.session == call.session), None)
        whole = [shared(last.ids, prompt)] if last else []
        unlimited, best = self._blocks(call, same), self._blocks(call, [*same, *own, *whole])
        kept, gone = self._kept(call, unlimited)
        hit = 0 if call.skips else max(0, kept - self.drops)
        room = None
        if self.pool is not None:
            hit, room = self.pool.start(who, call, hit)
        self.served.append(call)
        self.running[who] = room
        return Outcome(hit * self.size, unlimited * self.size, best * self.size, gone)

    def finish(self, now: float) -> None:
        """Let every call end that had ended by now."""
        ended = [index for index in self.running if self.served[index].end <= now]
        for index in sorted(ended, key=lambda index: (self.served[index].end, index)):
            room = self.running.pop(index)
            if self.pool is not None and room is not None:
                self.pool.finish(index, self.served[index], room)

    def _blocks(self, call: Call, prefixes: list[int]) -> int:
        return min(max(prefixes, default=0) // self.size, (call.prompt - 1) // self.size)

    def _kept(self, call: Call, unlimited: int) -> tuple[int, tuple[int, ...]]:
        """Blocks from the start that are in the pool, and who took those behind it that are not, the latest first."""
        if self.pool is None:
            return unlimited, ()
        chain = [(call.keys, call.seen[: stop * self.size]) for stop in range(1, unlimited + 1)]
        held = [content in self.pool.holds.values() for content in chain]
        takers = {self.pool.taker[content] for content, is_held in zip(chain, held, strict=True) if not is_held}
        return [*held, False].index(False), tuple(sorted(takers, reverse=True))
