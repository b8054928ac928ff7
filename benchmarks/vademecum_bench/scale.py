"""`vade bench scale`: simulate many hosts that store a billion passages, with service times from docs/measurements/scale.md.

Each space is stored on one host, chosen by rendezvous hashing of its name, so that adding or losing a host moves only its own
share. Members recall from mirrors; hosts serve questions to the server itself and published copies. A host serves with CORES
cores, first come first served. The same seed gives the same figures.
"""

import heapq
import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from hashlib import blake2b

import numpy as np
from msgspec import Struct

#: Passages and memories of all spaces, number of spaces, largest space, and exponent of their sizes (Zipf).
PASSAGES, MEMORIES, SPACES, LARGEST, ZIPF = 1_000_000_000, 10_000_000, 10_000, 1_000_000, 1.0
#: Passages per member; questions and publications of each member per working day; seconds of a working day.
OF_A_MEMBER, ASKED, PUBLISHED, DAY_S = 2_000, 10, 2, 8 * 3600
#: Cores of a host; simulated seconds; time at which a host is lost or added.
CORES, TIME_S, CHANGE_S = 8, 3600.0, 600.0
#: Measured (docs/measurements/scale.md): passages -> (p50, p95) in ms of a question by words and vector.
QUESTION_MS = {10_000: (34.8, 46.5), 100_000: (64, 107), 1_000_000: (85.8, 166.8)}
#: Measured, for 1,000,000 passages: seconds to load them with the word index, seconds to build the vector index, GB on disk.
LOAD_S, VECTORS_S, DISK_GB = 148, 1277, 3.632
_Z95 = 1.6449


class Figures(Struct, frozen=True):
    """Result of one run.

    Attributes:
        before_ms, after_ms: p50, p95 and p99 of questions before and after the change.
        words_min, vectors_min: minutes until moved spaces can be searched by words, and by vectors.
        refused: share of refused questions.
    """

    hosts: int
    change: str
    disk_gb: float
    fullest: float
    busy: float
    before_ms: tuple[float, float, float]
    after_ms: tuple[float, float, float]
    moved: int
    words_min: float
    vectors_min: float
    refused: float


def sizes() -> np.ndarray:
    """Return the number of passages of each space: Zipf's law, cut at LARGEST, with the sum PASSAGES."""
    ranks = np.arange(1, SPACES + 1) ** -ZIPF
    low, high = 1.0, float(PASSAGES) * SPACES
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if np.minimum(LARGEST, middle * ranks).sum() < PASSAGES else (low, middle)
    return np.asarray(np.minimum(LARGEST, high * ranks))


def homes(hosts: Sequence[int]) -> list[int]:
    """Return the host of each space: the one with the largest hash of space and host."""
    return [max(hosts, key=lambda host: _hash(space, host)) for space in range(SPACES)]


def _hash(space: int, host: int) -> bytes:
    return blake2b(f"{space}/{host}".encode(), digest_size=8).digest()


def service_s(passages: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """Return seconds for questions to spaces of these sizes: log-normal through p50 and p95, interpolated by log size."""
    known = np.log(list(QUESTION_MS))
    middle, far = (np.interp(np.log(passages), known, np.log([row[which] for row in QUESTION_MS.values()])) for which in (0, 1))
    drawn = chance.standard_normal(len(passages))
    return np.asarray(np.exp(middle + drawn * (far - middle) / _Z95) / 1000)


class Requests(Struct, frozen=True):
    """Questions and publications in order of time.

    Attributes:
        at: arrival in seconds.
        seconds: service time on one core.
        asks: whether it is a question.
    """

    at: np.ndarray
    space: np.ndarray
    seconds: np.ndarray
    asks: np.ndarray


def requests(passages: np.ndarray, chance: np.random.Generator) -> Requests:
    """Return the requests of all members during TIME_S, at random times, in proportion to the members of each space."""
    members = passages / OF_A_MEMBER
    count = int(chance.poisson(members.sum() * (ASKED + PUBLISHED) / DAY_S * TIME_S))
    at, space = np.sort(chance.uniform(0, TIME_S, count)), chance.choice(SPACES, count, p=members / members.sum())
    asks = chance.uniform(size=count) < ASKED / (ASKED + PUBLISHED)
    publishing = (LOAD_S + VECTORS_S) / 1_000_000 * PASSAGES / MEMORIES
    return Requests(at, space, np.where(asks, service_s(passages[space], chance), publishing), asks)


class Move(Struct, frozen=True):
    """The move of a space to a host.

    Attributes:
        words_s: time from which it can be searched by words.
        whole_s: time at which its vector index is complete.
    """

    space: int
    host: int
    words_s: float
    whole_s: float


def moves(before: Sequence[int], after: Sequence[int], passages: np.ndarray) -> Iterator[Move]:
    """Yield the moves of spaces to other hosts.

    Each host loads its new spaces one by one, smallest first, then builds the vector indexes in the same order.
    """
    coming: dict[int, list[int]] = {}
    for space, (old, new) in enumerate(zip(before, after, strict=True)):
        if old != new:
            coming.setdefault(new, []).append(space)
    for host, spaces in coming.items():
        spaces.sort(key=lambda one: float(passages[one]))
        share = np.array([passages[one] / 1_000_000 for one in spaces])
        words = CHANGE_S + np.cumsum(share * LOAD_S)
        whole = words[-1] + np.cumsum(share * VECTORS_S)
        yield from (Move(*row) for row in zip(spaces, [host] * len(spaces), words.tolist(), whole.tolist(), strict=True))


def simulate(hosts: int, change: str, seed: int = 1) -> Figures:
    """Return the figures of a run in which a host is "lost" or "added" at CHANGE_S, or "none"."""
    chance, passages = np.random.default_rng(seed), sizes()
    before = homes(range(hosts))
    after = before if change == "none" else homes(range(1, hosts) if change == "lost" else range(hosts + 1))
    moved = {move.space: move for move in moves(before, after, passages)}
    sent = requests(passages, chance)
    free = {host: [0.0] * CORES for host in range(hosts + 1)}
    taking_in = {
        host: max(one.whole_s for one in moved.values() if one.host == host) for host in {m.host for m in moved.values()}
    }
    waited, refused = np.full(len(sent.at), np.nan), 0
    work = 0.0
    for number, (at, space, seconds) in enumerate(
        zip(sent.at.tolist(), sent.space.tolist(), sent.seconds.tolist(), strict=True)
    ):
        while taking_in and at >= CHANGE_S:  # from then on one core of each receiving host is busy with loading
            host, ends = taking_in.popitem()
            heapq.heapreplace(free[host], ends)
        move = moved.get(space)
        arrived = move is not None and at >= move.words_s
        if move is not None and not arrived and change == "lost" and at >= CHANGE_S:
            refused += bool(sent.asks[number])
            continue
        cores = free[move.host if move is not None and arrived else before[space]]
        start = max(at, heapq.heappop(cores))
        heapq.heappush(cores, start + seconds)
        waited[number], work = start + seconds - at, work + seconds
    first = bisect_right(sent.at.tolist(), CHANGE_S)
    held = np.bincount(before, passages, minlength=hosts)
    return Figures(
        hosts,
        change,
        round(float(held.mean()) / 1_000_000 * DISK_GB, 1),
        round(float(held.max() / held.mean()), 2),
        round(work / (hosts * CORES * TIME_S), 3),
        _percentiles(waited[:first][sent.asks[:first]]),
        _percentiles(waited[first:][sent.asks[first:]]),
        len(moved),
        round((max((one.words_s for one in moved.values()), default=CHANGE_S) - CHANGE_S) / 60, 1),
        round((max((one.whole_s for one in moved.values()), default=CHANGE_S) - CHANGE_S) / 60, 1),
        round(refused / max(1, int(sent.asks[first:].sum())), 4),
    )


def _percentiles(seconds: np.ndarray) -> tuple[float, float, float]:
    found = np.nanpercentile(seconds * 1000, (50, 95, 99))
    return round(float(found[0])), round(float(found[1])), round(float(found[2]))
