"""Shared weights: what symmetries take to each other has one weight, and what is its own opposite has none."""

from __future__ import annotations

import numpy as np
import pytest

from naive.evaluation import NaiveEvaluation
from woodstock.circuit.game import CircuitGame
from woodstock.circuit.packing import pack
from woodstock.common.jit import jit
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.search import shared_weights as module
from woodstock.search.evaluation import Model, add_up, find_log_odds, make_model, step_towards
from woodstock.search.families import find_families
from woodstock.search.patterns import find_patterns
from woodstock.search.shared_weights import find_actions, share_families, share_fluents, share_pairs, share_patterns
from woodstock.search.tree import Float64Array
from woodstock.symmetry.detection import DetectionOptions, find_symmetries
from woodstock.symmetry.group import SymmetryGroup

NUM_POSITIONS = 12


@jit
def _learn(model: Model, rows: np.ndarray, number: int, target: Float64Array) -> None:
    step_towards(model, add_up(model, rows, number), target)


def _make(name: str) -> tuple[CircuitGame, SymmetryGroup]:
    game = CircuitGame(ground(load_rules(name)))
    return game, find_symmetries(game.program, DetectionOptions(permute_roles=True)).group


def _positions(num_fluents: int) -> np.ndarray:
    """Return positions, whether or not they can be reached."""
    return np.random.default_rng(5).random((NUM_POSITIONS, num_fluents)) < min(0.3, 20 / num_fluents)


@pytest.mark.parametrize(
    ("name", "minds", "is_shared"),
    [
        ("tic_tac_toe", [True, True], True),
        ("tic_tac_toe", [True, True], False),
        ("connect_four", [True, True], True),
        ("breakthrough_small", [True, True], True),
        ("chinese_checkers", [True, True, True], False),
        ("pig", [True, True, False], True),
    ],
)
def test_images_are_worth_the_same_to_those_who_take_the_places(name: str, minds: list[bool], is_shared: bool) -> None:
    game, group = _make(name)
    program = game.program
    assert [role != "random" for role in game.roles] == minds
    assert group.order > 1
    families = find_families(program.fluents)
    model = make_model(program.num_fluents, minds, is_shared, find_patterns(program), group, families)
    held = _positions(program.num_fluents)
    rows = pack(held)
    for number, target in enumerate(np.random.default_rng(6).random((NUM_POSITIONS, len(model.sums)))):
        _learn(model, rows, number, target)
    found = find_log_odds(model, rows)
    assert np.abs(found).max() > 0.1
    assert np.abs(model.families).max() > 0.001
    has_exchanged = False
    for symmetry in group.generators:
        there = np.zeros_like(held)
        there[:, symmetry.fluents] = held
        assert find_log_odds(model, pack(there))[:, symmetry.roles] == pytest.approx(found, abs=1e-4)
        has_exchanged |= not np.array_equal(symmetry.roles, np.arange(len(minds)))
    assert has_exchanged


class NaiveShared(NaiveEvaluation):
    """An evaluation in which features share a weight if a symmetry takes one to the other, or to its opposite."""

    def __init__(self, group: SymmetryGroup) -> None:
        super().__init__()
        turned = [not np.array_equal(each.roles, [0, 1]) for each in group.elements()]
        self._symmetries = [(each.fluents.tolist(), turn) for each, turn in zip(group.elements(), turned, strict=True)]

    def share(self, feature: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
        """Return the feature in its place, and 1, or -1 if that is worth the opposite, or 0 if both are."""
        images = {(tuple(sorted(to[fluent] for fluent in feature)), turn) for to, turn in self._symmetries}
        first = min(image for image, _ in images)
        signs = {-1 if turn else 1 for image, turn in images if image == first}
        return first, sum(signs)

    def log_odds(self, fluents: list[int]) -> float:
        total = 0.0
        for feature in self.features(fluents):
            first, sign = self.share(feature)  # type: ignore[arg-type]
            total += sign * self.weights.get(first, 0.0)
        return total

    def learn(self, fluents: list[int], target: float) -> None:
        slope = 1 / (1 + np.exp(-self.log_odds(fluents))) - target
        for feature in sorted(self.features(fluents), key=lambda each: (len(each), each[::-1])):
            first, sign = self.share(feature)  # type: ignore[arg-type]
            if sign:
                self.step(first, sign * slope)


@pytest.mark.parametrize("name", ["tic_tac_toe", "breakthrough_small"])
def test_learning_is_that_of_the_naive_evaluation(name: str) -> None:
    game, group = _make(name)
    held = _positions(game.program.num_fluents)
    rows = pack(held)
    model = make_model(game.program.num_fluents, [True, True], True, None, group)
    naive = NaiveShared(group)
    for number, target in enumerate(np.random.default_rng(6).random(NUM_POSITIONS)):
        _learn(model, rows, number, np.array([target]))
        naive.learn(np.flatnonzero(held[number]).tolist(), float(target))
    found = find_log_odds(model, rows)[:, 0]
    assert np.abs(found).max() > 0.1
    assert found == pytest.approx([naive.log_odds(np.flatnonzero(each).tolist()) for each in held], abs=1e-4)


def test_there_are_as_many_weights_as_orbits() -> None:
    """The squares of tic-tac-toe are corners, edges and the middle; marks are of one's own or not."""
    game, group = _make("tic_tac_toe")
    program = game.program
    model = make_model(program.num_fluents, [True, True], True, find_patterns(program), group)
    codes = {
        square: model.codes[0, program.fluent_index["square", *square, "x"]] for square in ("11", "13", "12", "22")
    }
    assert codes["11"] == codes["13"]
    assert len({*codes.values()}) == 3
    assert model.codes[0, program.fluent_index["square", "1", "1", "o"]] == codes["11"] ^ 1
    assert model.codes[0, -1] == 0  # the constant: who is to move is among the fluents
    # Lines are sides, middle lines and diagonals, each with slots for none to three marks, and so has their kind.
    assert len(model.slot_squares) - model.first_slot // 2 == 4 * (3 + 1)


def test_the_men_of_both_sides_share_a_weight() -> None:
    game, group = _make("breakthrough_small")
    program = game.program
    families = find_families(program.fluents)
    model = make_model(program.num_fluents, [True, True], True, None, group, families)
    sides: dict[str, list[int]] = {"white": [], "black": []}
    for number, fluent in enumerate(program.fluents):
        if fluent[0] == "pawn":
            sides[str(fluent[-1])].append(number)
    men = {side: {*model.family_codes[0, numbers].ravel().tolist()} for side, numbers in sides.items()}
    assert {code ^ 1 for code in men["white"] if code > 1} & men["black"]
    assert len(model.family_squares) - 1 < len(families)
    held = np.zeros((3, program.num_fluents), np.bool_)
    held[0, sides["white"][:3]] = held[1, sides["black"][:3]] = True
    held[2] = held[0] | held[1]  # as many of one side as of the other
    _learn(model, pack(held), 2, np.array([1.0]))
    balanced = set.intersection(*({*map(int, model.family_codes[0, number])} for number in sides["white"])) - {0}
    assert balanced
    assert not model.families[list(balanced)].any()
    _learn(model, pack(held), 0, np.array([1.0]))
    assert (model.families[list(balanced)] > 0).all()


def test_families_without_an_image_are_left_out() -> None:
    """Without one of the outer rows there are no others, and no outer columns: a symmetry would take them there."""
    game, group = _make("tic_tac_toe")
    program = game.program
    families = find_families(program.fluents)
    actions = find_actions(group, np.arange(2), np.ones(2))
    row = tuple(number for number, fluent in enumerate(program.fluents) if fluent[:2] == ("square", "1"))
    fewer = [family for family in families if family != row]
    assert len(fewer) == len(families) - 1
    corner, middle = (program.fluent_index["square", square, square, "x"] for square in "12")
    for some, num_corner in ((families, 3), (fewer, 1)):
        codes = share_families(some, program.num_fluents, 2, actions)
        assert np.count_nonzero(codes[0, corner]) == num_corner
        assert np.count_nonzero(codes[0, middle]) == 3


def test_too_many_members_of_families_share_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    game, group = _make("tic_tac_toe")
    families = find_families(game.program.fluents)
    actions = find_actions(group, np.zeros(2, np.int64), np.array([1.0, -1.0]))
    monkeypatch.setattr(module, "MOST_WORK", 0)
    codes = share_families(families, game.program.num_fluents, 1, actions)
    assert len(np.unique(codes[codes > 0])) == len(families)


def test_what_is_its_own_opposite_is_worth_nothing() -> None:
    """In quarto pieces belong to nobody: without the mover they say nothing."""
    game, group = _make("quarto")
    program = game.program
    patterns = find_patterns(program)
    model = make_model(program.num_fluents, [True, True], True, patterns, group, find_families(program.fluents))
    pieces = [number for number, fluent in enumerate(program.fluents) if fluent[0] == "cell"]
    assert not model.codes[:, pieces].any()
    assert not model.family_codes[:, pieces].any()
    assert model.family_codes.shape[2] == 0
    assert len(patterns.sizes) > 0
    assert len(model.slot_squares) == model.first_slot // 2
    rows = pack(_positions(program.num_fluents))
    _learn(model, rows, 0, np.array([1.0]))
    assert not model.slots.any()
    assert model.num_learnt < 16


@pytest.mark.parametrize("is_known", [True, False])
def test_without_symmetries_nothing_is_shared(is_known: bool) -> None:
    game, group = _make("tic_tac_toe")
    num_fluents = game.program.num_fluents
    model = make_model(num_fluents, [True, True], False, None, SymmetryGroup([], group.shape) if is_known else None)
    assert len(np.unique(model.codes)) == model.codes.size == 2 * (num_fluents + 1)
    assert (model.codes & 1 == 0).all()
    assert len(np.unique(model.pair_codes)) == 1 + num_fluents * (num_fluents - 1)  # with the diagonal
    assert (model.pair_codes == model.pair_codes.transpose(0, 2, 1)).all()


def test_too_many_pairs_share_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    game, group = _make("tic_tac_toe")
    num_fluents = game.program.num_fluents
    actions = find_actions(group, np.zeros(2, np.int64), np.array([1.0, -1.0]))
    shared = share_pairs(num_fluents, 1, actions)
    monkeypatch.setattr(module, "MOST_WORK", 0)
    assert len(np.unique(share_pairs(num_fluents, 1, actions))) == 1 + num_fluents * (num_fluents - 1) // 2
    assert len(np.unique(shared)) < num_fluents * (num_fluents - 1) // 4
    assert len(np.unique(share_fluents(num_fluents, 1, actions) >> 1)) < num_fluents // 2


def test_patterns_without_an_image_share_nothing() -> None:
    """That a limit left out some of them, say."""
    game, group = _make("tic_tac_toe")
    patterns = find_patterns(game.program)
    actions = find_actions(group, np.zeros(2, np.int64), np.array([1.0, -1.0]))
    own, _ = share_patterns(patterns, 1, actions)
    assert len(np.unique(own >> 1)) == 3
    strange = patterns._replace(sizes=np.where(np.arange(16) == 0, 4, patterns.sizes).astype(np.int32))
    own, _ = share_patterns(strange, 1, actions)
    assert len(np.unique(own >> 1)) == 16
