"""Keys that symmetric positions share, and what there is if time is short."""

from __future__ import annotations

from woodstock.circuit.game import CircuitGame
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.search.symmetric_keys import find_group, find_symmetric_keys, keys_of_group


def _make(name: str) -> CircuitGame:
    return CircuitGame(ground(load_rules(name)))


def test_roles_may_change_places_in_a_group_and_not_in_its_keys() -> None:
    game = _make("tic_tac_toe")
    kept, all_of_them = (find_group(game, Deadline(None), permute_roles=each) for each in (False, True))
    assert (kept.order, all_of_them.order) == (8, 16)
    keys = [keys_of_group(game, group) for group in (kept, all_of_them)]
    first = game.initial_position()
    after = [game.next_position(first, (move, game.legal_moves(first, 1)[0])) for move in game.legal_moves(first, 0)]
    rows = game.rows([first, *after])
    for keys_of in keys:
        assert keys_of is not None
        assert len(set(keys_of(rows).tolist())) == 4  # the first position, a corner, an edge, the middle


def test_a_group_that_is_too_large_for_its_deadline_has_no_keys() -> None:
    game = _make("tic_tac_toe")
    group = find_group(game, Deadline(None), permute_roles=True)
    assert keys_of_group(game, group.within(Deadline(0.0))) is None


def test_where_every_symmetry_exchanges_roles_there_are_no_keys() -> None:
    game = _make("english_draughts")
    group = find_group(game, Deadline(2.0), permute_roles=True)
    assert group.order == 2
    assert keys_of_group(game, group) is None
    assert find_symmetric_keys(game, Deadline(2.0)) is None
