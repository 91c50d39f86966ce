"""Plays that were finished, in a file with a line of JSON for each, so that no play is made twice.

What is known of a play is found by everything that determines it: the rules, who had which seat, the clocks, the seed.
Neither the table nor the duel that it was made for is among them, nor who was called the first contestant: duels that
have plays in common share them. The version of the program is noted, but does not count.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from woodstock import __version__
from woodstock.arena.plan import DuelPlan, Play, read_rules
from woodstock.arena.playing import Faults, PlayResult
from woodstock.common.errors import UsageError
from woodstock.match import Ending, rules_fingerprint


class PlayKey(NamedTuple):
    """Everything that determines a play.

    Attributes:
        rules: The fingerprint of the rules.
        players: The spec of the player in each seat.
        start: Seconds before the first move.
        play: Seconds for each move.
        iterations: What a search may do for each move, in place of clocks.
        seed: What its random numbers are made from.
        max_steps: When it is cut.
    """

    rules: str
    players: tuple[str, ...]
    start: float | None
    play: float | None
    iterations: int | None
    seed: int
    max_steps: int


def key_of(plan: DuelPlan, play: Play) -> PlayKey:
    """Return what determines a play of a duel."""
    clocks = plan.clocks
    return PlayKey(
        rules=_fingerprint(plan.source.text, plan.source.name, plan.repair),
        players=tuple(plan.players[side] for side in play.seating),
        start=clocks.start,
        play=clocks.play,
        iterations=clocks.iterations,
        seed=play.seed,
        max_steps=plan.max_steps,
    )


@dataclass(frozen=True, slots=True)
class Entry:
    """What is kept of a play; see `PlayResult`."""

    ending: str
    goals: tuple[int, ...]
    steps: int
    thinking: tuple[float, ...]
    slowest: tuple[float, ...]
    faults: tuple[tuple[int, ...], ...]
    seconds: float
    version: str

    @classmethod
    def of(cls, result: PlayResult) -> Entry:
        """Return what is kept of a result."""
        return cls(
            ending=result.ending.value,
            goals=result.goals,
            steps=result.steps,
            thinking=tuple(round(each, 4) for each in result.thinking),
            slowest=tuple(round(each, 4) for each in result.slowest),
            faults=tuple(astuple(each) for each in result.faults),
            seconds=round(result.span[1] - result.span[0], 3),
            version=__version__,
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Entry:
        """Return the entry of a line.

        Raises:
            KeyError, TypeError, ValueError: It is none.
        """
        return cls(
            ending=Ending(data["ending"]).value,
            goals=tuple(data["goals"]),
            steps=int(data["steps"]),
            thinking=tuple(data["thinking"]),
            slowest=tuple(data["slowest"]),
            faults=tuple(astuple(Faults(*each)) for each in data["faults"]),
            seconds=float(data["seconds"]),
            version=str(data["version"]),
        )

    def result_of(self, play: Play) -> PlayResult:
        """Return the result of a play that this is kept of."""
        return PlayResult(
            play=play,
            ending=Ending(self.ending),
            goals=self.goals,
            steps=self.steps,
            thinking=self.thinking,
            slowest=self.slowest,
            faults=tuple(Faults(*each) for each in self.faults),
            span=(0.0, self.seconds),
        )


class Ledger:
    """The plays that were finished.

    Whoever is killed while writing leaves the beginning of a line behind: it counts for nothing, and is cut off before
    the next line is written. Of a play that was made twice, by two programs at the same time, the first result counts.

    Args:
        path: The file, which need not exist; None to keep nothing beyond this process.

    Raises:
        UsageError: The file holds something else.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._entries: dict[PlayKey, Entry] = {}
        self._length: int | None = None
        if path is not None and path.exists():
            self._read(path)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: PlayKey) -> bool:
        return key in self._entries

    def get(self, key: PlayKey) -> Entry | None:
        """Return what is kept of a play, if it was made."""
        return self._entries.get(key)

    def enter(self, game: str, key: PlayKey, result: PlayResult) -> None:
        """Keep what came of a play; when this returns, it is in the file.

        Args:
            game: What the game is called, for people who read the file.
            key: What determines the play.
            result: What came of it.
        """
        entry = Entry.of(result)
        if self.path is not None:
            self._cut()
            line = json.dumps({"game": game, **key._asdict(), **asdict(entry)}, separators=(",", ":"))
            with self.path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        self._entries.setdefault(key, entry)

    def _read(self, path: Path) -> None:
        data = path.read_bytes()
        end = data.rfind(b"\n") + 1
        self._length = end if end < len(data) else None
        for number, line in enumerate(data[:end].splitlines(), 1):
            try:
                fields = json.loads(line)
                names = PlayKey._fields
                key = PlayKey(**{**{name: fields[name] for name in names}, "players": tuple(fields["players"])})
                self._entries.setdefault(key, Entry.from_json(fields))
            except (ValueError, KeyError, TypeError):
                shown = line[:40].decode(errors="replace")
                raise UsageError(f"{path}:{number}: expected a play of a table, found {shown!r}") from None

    def _cut(self) -> None:
        """Cut off the line that somebody began and did not finish, unless somebody else did so already."""
        if self.path is None or self._length is None:
            return
        with self.path.open("r+b") as file:
            file.seek(self._length)
            if b"\n" not in file.read():
                file.truncate(self._length)
        self._length = None


@lru_cache(maxsize=256)
def _fingerprint(text: str, name: str, repair: bool) -> str:
    return rules_fingerprint(read_rules(text, name, repair))
