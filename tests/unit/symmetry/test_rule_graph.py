from __future__ import annotations

import numpy as np
import pytest

from naive.symmetric_sheets import CLIQUES, PLAIN_LAMPS, SPY, STRIP, program_of
from woodstock.symmetry._automorphism import find_generators
from woodstock.symmetry.group import SymmetryGroup
from woodstock.symmetry.rule_graph import rule_graph
from woodstock.symmetry.symmetry import Symmetry
from woodstock.symmetry.verification import keeps_program

pytest.importorskip("igraph")


def order(text: str, permute_roles: bool = False) -> int:
    program = program_of(text)
    graph = rule_graph(program, permute_roles)
    found = find_generators(graph.graph)
    symmetries = [graph.symmetry_of(image) for image in found.permutations]
    for symmetry, image in zip(symmetries, found.permutations, strict=True):
        assert keeps_program(program, symmetry, graph.atoms_of(image))
        assert keeps_program(program, symmetry)
    return SymmetryGroup(symmetries, symmetries[0].shape).order if symmetries else 1


def test_heads_and_bodies_are_told_apart() -> None:
    assert order(CLIQUES) == 1


def test_the_false_automorphism_of_the_clique_graph_does_not_keep_the_program() -> None:
    program = program_of(CLIQUES)
    fluents = np.arange(program.num_fluents)
    one, other = program.fluent_index["g1"], program.fluent_index["g2"]
    fluents[[one, other]] = other, one
    moves = np.arange(program.num_moves)
    x, y = program.move_index[0]["x"], program.move_index[0]["y"]
    moves[[x, y]] = y, x
    assert not keeps_program(program, Symmetry.of(fluents, moves, [0]))


def test_two_lamps_are_alike() -> None:
    assert order(PLAIN_LAMPS) == 2


@pytest.mark.parametrize(("permute_roles", "expected"), [(False, 1), (True, 2)])
def test_roles_change_places_only_if_they_may(permute_roles: bool, expected: int) -> None:
    assert order(STRIP, permute_roles) == expected


def test_percepts_follow_and_nature_stays() -> None:
    assert order(SPY) == order(SPY, permute_roles=True) == 2
    program = program_of(SPY)
    graph = rule_graph(program)
    symmetry = graph.symmetry_of(find_generators(graph.graph).permutations[0])
    assert symmetry.percepts.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("following", "expected"),
    [
        # A fluent that copies another: the copy and the original must not be exchanged.
        ("(<= (next a) (true b)) (<= (next b) (does r x))", 1),
        ("(<= (next a) (true b)) (<= (next b) (true a))", 2),
    ],
)
def test_outputs_that_equal_inputs_have_a_direction(following: str, expected: int) -> None:
    rest = "(legal r x) (<= (legal r y) (true c)) (<= (next c) (does r y)) (<= terminal (true a) (true b)) (goal r 50)"
    assert order(f"(role r) (init a) (init c) {following} {rest}") == expected
