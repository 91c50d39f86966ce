"""Scrambling: the same game in other words, so that no player knows it by its names.

>>> from woodstock.gdl import parse_rules
>>> scrambler = Scrambler(parse_rules("(role x) (init (cell 1 b)) (legal x (mark 1))"), seed=1)
>>> scrambled = scrambler.scramble(("cell", "1", "b"))
>>> scrambled[0] == "cell", scrambled[1]
(False, '1')
>>> scrambler.unscramble(scrambled)
('cell', '1', 'b')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Final, TypeVar

from woodstock.gdl.keywords import ARITY, CONNECTIVES, RANDOM, RULE
from woodstock.gdl.rules import Connective, Formula, Literal, Rule, Rules
from woodstock.gdl.terms import GroundTerm, LogicVar, Term

KEPT: Final = frozenset({*ARITY, *CONNECTIVES, RANDOM, RULE})
"""Words with a meaning of their own; numbers are kept as well."""

_ONSETS: Final = "bcdfghklmnprstvwz"
_NUCLEI: Final = "aeiou"

T = TypeVar("T", bound=Term)


class Scrambler:
    """Renames the constants of some rules, and back.

    Args:
        rules: The rules.
        seed: What the new names are made from.
    """

    def __init__(self, rules: Rules, seed: int) -> None:
        words = {word for rule in rules for word in _words_of(rule)}
        old = sorted(word for word in words if word not in KEPT and not word.isdecimal())
        random = Random(f"{seed} scrambler")
        taken = KEPT | words
        self._new: dict[str, str] = {}
        for word in old:
            name = _make_word(random)
            while name in taken:
                name += _make_word(random)
            taken |= {name}
            self._new[word] = name
        self._old = {name: word for word, name in self._new.items()}
        self._rules = rules

    def rules(self) -> Rules:
        """Return the rules in the new words."""
        return Rules([Rule(_rename(rule.head, self._new), self._body(rule)) for rule in self._rules])

    def scramble(self, term: GroundTerm) -> GroundTerm:
        """Return a term in the new words."""
        return _rename(term, self._new)

    def unscramble(self, term: GroundTerm) -> GroundTerm:
        """Return a term in the old words; words that the rules do not have stay as they are."""
        return _rename(term, self._old)

    def _body(self, rule: Rule) -> tuple[Formula, ...]:
        return tuple(_rename_formula(part, self._new) for part in rule.body)


def _make_word(random: Random) -> str:
    return "".join(random.choice(_ONSETS) + random.choice(_NUCLEI) for _ in range(3))


def _rename(term: T, names: Mapping[str, str]) -> T:
    if isinstance(term, tuple):
        return tuple(_rename(part, names) for part in term)  # type: ignore[return-value]
    return names.get(term, term) if isinstance(term, str) else term  # type: ignore[return-value]


def _rename_formula(formula: Formula, names: Mapping[str, str]) -> Formula:
    if isinstance(formula, Literal):
        return Literal(_rename(formula.atom, names), formula.positive)
    return Connective(formula.kind, tuple(_rename_formula(part, names) for part in formula.parts))


def _words_of(rule: Rule) -> Iterator[str]:
    stack: list[Term | Formula] = [rule.head, *rule.body]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, tuple):
            stack.extend(part)
        elif isinstance(part, Literal):
            stack.append(part.atom)
        elif not isinstance(part, LogicVar):
            stack.extend(part.parts)
