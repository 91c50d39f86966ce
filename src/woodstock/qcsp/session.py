"""A person at a network: what is shown of a situation, and a player who asks at the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final, TextIO

from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.qcsp.network import QuantifiedNetwork
from woodstock.qcsp.players import Player
from woodstock.qcsp.situation import Change, Compiled, Situation, Standing

STANDINGS: Final = {
    Standing.OPEN: "",
    Standing.WON: "∃ cannot lose any more.",
    Standing.SHAKY: "∀ can win now.",
    Standing.LOST: "Some constraint cannot hold any more: ∀ wins.",
}
"""What is said of a situation."""

QUIT: Final = ("q", "quit")


class PersonLeftError(UsageError):
    """The person at the terminal does not want to go on."""


class Person(Player):
    """Asks at the terminal; there is no clock."""

    def __init__(self, compiled: Compiled, source: TextIO | None = None, out: TextIO | None = None) -> None:
        super().__init__(compiled)
        self._source = sys.stdin if source is None else source
        self._out = sys.stdout if out is None else out

    def choose(self, situation: Situation, deadline: Deadline) -> int:
        turn = situation.turn
        quantified = self.compiled.quantified
        words = [str(value) for value in quantified.domains[turn]]
        sign = "∀" if situation.is_universal else "∃"
        while True:
            self._out.write(f"{sign}{quantified.names[turn]} ({' '.join(words)}; q to leave): ")
            self._out.flush()
            line = self._source.readline()
            answer = line.strip()
            if not line or answer in QUIT:
                raise PersonLeftError("the play was left before its end")
            if answer in words:
                return words.index(answer)
            self._out.write(f"There is no value {answer!r}.\n")


class Narrator:
    """Tells what happens, after every value."""

    def __init__(self, compiled: Compiled, out: TextIO | None = None) -> None:
        self._quantified = compiled.quantified
        self._out = sys.stdout if out is None else out
        self._standing = Standing.OPEN

    def __call__(self, situation: Situation, changes: list[Change]) -> None:
        turn = situation.turn - 1
        quantified = self._quantified
        sign = "∀" if quantified.is_universal[turn] else "∃"
        value = quantified.value(turn, situation.places[-1])
        self._out.write(f"{sign}{quantified.names[turn]} = {value}\n")
        for change in changes:
            self._out.write(f"    {_change_text(quantified, situation, change)}\n")
        if situation.standing is not self._standing:
            self._standing = situation.standing
            text = STANDINGS[situation.standing] or "∀ missed its chance."
            self._out.write(f"    {text}\n")
        self._out.flush()


def _change_text(quantified: QuantifiedNetwork, situation: Situation, change: Change) -> str:
    left = _values(quantified, change.turn, situation.places_left(change.turn))
    gone = _values(quantified, change.turn, change.removed)
    return f"{quantified.names[change.turn]}: {{{left}}}  without {gone}"


def _values(quantified: QuantifiedNetwork, turn: int, places: Sequence[int]) -> str:
    return " ".join(str(quantified.value(turn, place)) for place in places)


def describe(compiled: Compiled) -> list[str]:
    """Return a network in words: the prefix, and what propagation leaves of each domain at first."""
    quantified = compiled.quantified
    lines = [f"{quantified.name}: {quantified}"]
    situation = Situation(compiled)
    for turn, name in enumerate(quantified.names):
        sign = "∀" if quantified.is_universal[turn] else "∃"
        lines.append(f"  {sign}{name}: {{{_values(quantified, turn, situation.places_left(turn))}}}")
    if STANDINGS[situation.standing]:
        lines.append(STANDINGS[situation.standing])
    return lines
