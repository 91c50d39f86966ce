from __future__ import annotations

import re

import pytest

from woodstock.game.load import load_rules
from woodstock.game.reference import ReferenceGame
from woodstock.gdl.printer import rules_to_kif
from woodstock.gdl.sheet import parse_rules
from woodstock.server.scrambling import KEPT, Scrambler


def words(text: str) -> set[str]:
    return {word for word in re.findall(r"[^\s()]+", text) if not word.startswith("?")}


@pytest.mark.parametrize("name", ["tic_tac_toe", "monty_hall", "chess"])
def test_nothing_is_called_as_before_but_keywords_and_numbers(name: str) -> None:
    rules = load_rules(name)
    scrambled = Scrambler(rules, 3).rules()
    before, after = words(rules_to_kif(rules)), words(rules_to_kif(scrambled))
    assert len(before) == len(after)
    assert all(word in KEPT or word.isdecimal() for word in before & after)
    assert {word for word in before if word in KEPT or word.isdecimal()} == before & after


def test_the_same_seed_gives_the_same_names_and_another_seed_others() -> None:
    rules = load_rules("nim")
    assert Scrambler(rules, 3).rules() == Scrambler(rules, 3).rules()
    assert Scrambler(rules, 3).rules() != Scrambler(rules, 4).rules()


def test_it_is_the_same_game() -> None:
    rules = load_rules("tic_tac_toe")
    scrambler = Scrambler(rules, 7)
    plain, scrambled = ReferenceGame(rules), ReferenceGame(scrambler.rules())
    position = plain.initial_position()
    other = scrambled.initial_position()
    assert {scrambler.unscramble(fluent) for fluent in other} == position
    moves = plain.legal_moves(position, 0)
    assert {scrambler.scramble(move) for move in moves} == set(scrambled.legal_moves(other, 0))


def test_connectives_are_renamed_inside() -> None:
    rules = parse_rules("(<= p (or (not q) (and r (distinct ?x a))))")
    scrambler = Scrambler(rules, 1)
    new = rules_to_kif(scrambler.rules()).strip()
    names = [str(scrambler.scramble(word)) for word in "pqra"]
    assert new == "(<= {} (or (not {}) (and {} (distinct ?x {}))))".format(*names)


def test_words_that_the_rules_do_not_have_stay() -> None:
    assert Scrambler(load_rules("nim"), 1).unscramble(("castle", "7")) == ("castle", "7")
