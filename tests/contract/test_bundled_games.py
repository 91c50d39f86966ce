"""Every bundled game with every backend: well written, playable, as its metadata says, the same for all reasoners."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

import pytest

from woodstock.common.jit import JIT_DISABLED
from woodstock.game.backends import CIRCUIT, GROUND, LANES, REFERENCE, build_game
from woodstock.game.ground_game import GroundGame
from woodstock.game.protocol import Game, JointMove, goal
from woodstock.game.survey import SurveyLimits
from woodstock.game.traits import find_traits
from woodstock.game.verify import walk_together
from woodstock.game.walk import Budget
from woodstock.games import METADATA_FILE, bundled_game, game_names
from woodstock.gdl.checks import check_sheet
from woodstock.gdl.formatter import format_sheet
from woodstock.gdl.rules import Rules
from woodstock.gdl.sheet import decode, parse_rules, read_sheet

ROLES = {
    "amazons": ("white", "black"),
    "amazons_torus": ("white", "black"),
    "atari_go": ("black", "white"),
    "awale": ("south", "north"),
    "backgammon": ("white", "black", "random"),
    "battlebrushes": ("blue", "red", "green", "yellow"),
    "bomberman": ("red", "blue"),
    "breakthrough": ("white", "black"),
    "breakthrough_small": ("white", "black"),
    "breakthrough_suicide": ("white", "black"),
    "cant_stop": ("ann", "ben", "random"),
    "checkers": ("red", "black"),
    "chess": ("white", "black"),
    "chinese_checkers": ("red", "green", "blue"),
    "connect_four": ("red", "yellow"),
    "connect_four_8x6": ("red", "yellow"),
    "connect_four_large": ("red", "yellow"),
    "connect_four_simultaneous": ("red", "yellow"),
    "copolymer": ("ann", "ben"),
    "dots_and_boxes": ("red", "blue"),
    "dots_and_boxes_suicide": ("red", "blue"),
    "english_draughts": ("black", "white"),
    "free_for_all": ("red", "blue"),
    "gomoku": ("black", "white"),
    "guess_dice": ("player", "random"),
    "hex": ("red", "blue"),
    "hex_small": ("red", "blue"),
    "kaseklau": ("ann", "ben", "random"),
    "knight_through": ("white", "black"),
    "kuhn_poker": ("ann", "ben", "random"),
    "leduc_poker": ("ann", "ben", "random"),
    "lights_out": ("player",),
    "majorities": ("red", "blue"),
    "mastermind": ("breaker", "random"),
    "matching_pennies": ("alice", "bob", "random"),
    "monty_hall": ("guest", "random"),
    "nim": ("first", "second"),
    "nine_mens_morris": ("white", "black"),
    "orchard": ("ann", "ben", "random"),
    "othello": ("black", "white"),
    "pacman": ("pacman", "ghosts", "random"),
    "pacman_shared": ("pacman", "blinky", "random"),
    "pentago": ("white", "black"),
    "pickomino": ("ann", "ben", "random"),
    "pig": ("ann", "ben", "random"),
    "quarto": ("ann", "ben"),
    "reversi": ("black", "white"),
    "reversi_suicide": ("black", "white"),
    "rock_paper_scissors": ("left", "right"),
    "schnappt_hubi": ("mouse", "rabbit", "random"),
    "sheep_and_wolf": ("wolf", "sheep"),
    "sheep_and_wolf_shared": ("ann", "ben", "random"),
    "shmup": ("light", "dark"),
    "skirmish": ("white", "black"),
    "skirmish_zero_sum": ("white", "black"),
    "tic_tac_chess": ("red", "blue"),
    "tic_tac_toe": ("x", "o"),
    "tic_tac_toe_latent": ("x", "o", "random"),
    "treasure_hunt": ("red", "blue", "random"),
    "tron": ("red", "blue"),
    "ttcc4": ("light", "dark"),
    "two_by_two_opponent": ("noughts", "random"),
    "two_by_two_random": ("one", "two", "random"),
    "vacuum_cleaner": ("cleaner", "random"),
    "war": ("north", "south", "random"),
    "wumpus": ("hunter", "random"),
    "yahtzee": ("ann", "ben", "random"),
}
METADATA_KEYS = ["title", "year", "players", "paper", "description", "sources", "traits", "tags"]
LONGEST_MATCH = 1000
MATCHES = 5
MOST_POSITIONS = 100
"""Positions of a game in which all backends are compared with the reference reasoner, from several matches."""
RARE = {"chess": {"cooperative"}, "sheep_and_wolf_shared": {"constant_sum"}}
"""Traits that a few random matches do not show: there are tests of their own for them."""
SLOW = 500
"""Ground rules of a game whose circuit is compiled and evaluated without the JIT compiler at most."""
LARGE = 4000
"""A game with more ground rules is compared in fewer positions."""

every_game = pytest.mark.parametrize("name", game_names())
every_backend = pytest.mark.parametrize("backend", [REFERENCE, GROUND, CIRCUIT, *LANES])
quick_backends = pytest.mark.parametrize("backend", [REFERENCE, GROUND, *([] if JIT_DISABLED else [CIRCUIT])])


@cache
def rules_of(name: str) -> Rules:
    return parse_rules(decode(bundled_game(name).read_rules(), name))


@cache
def built(name: str, backend: str) -> Game[Any]:
    return build_game(rules_of(name), backend)


def game_of(name: str, backend: str) -> Game[Any]:
    """Return a game; circuits of games that are not small are left out where kernels are not compiled."""
    if JIT_DISABLED and backend not in (REFERENCE, GROUND):
        game = built(name, GROUND)
        assert isinstance(game, GroundGame)
        if game.program.num_rules > SLOW:
            pytest.skip(f"{game.program.num_rules} ground rules take too long without the compiler")
    return built(name, backend)


def test_every_game_is_listed_here() -> None:
    assert set(game_names()) == set(ROLES)


@every_game
def test_sheet_is_spotless_and_formatted(name: str) -> None:
    sheet = read_sheet(decode(bundled_game(name).read_rules(), name))
    assert sheet.diagnostics == ()
    assert check_sheet(sheet) == ()
    assert format_sheet(sheet) == sheet.source.text
    assert all(len(line) <= 100 for line in sheet.source.text.splitlines())
    assert sheet.source.text.startswith("; ")


@every_game
def test_metadata(name: str) -> None:
    data = json.loads(files("woodstock.games").joinpath(name, METADATA_FILE).read_text(encoding="utf-8"))
    assert list(data) == METADATA_KEYS
    assert data["title"]
    assert data["year"] is None or 1800 < data["year"] < 2100
    assert data["players"] == len([role for role in ROLES[name] if role != "random"])
    assert data["description"].count(". ") == 1
    assert data["description"].endswith(".")
    assert data["sources"]
    assert all(isinstance(source, str) for source in data["sources"])
    assert data["tags"]
    assert all(tag == tag.lower() for tag in data["tags"])


@every_game
def test_traits_are_as_declared(name: str) -> None:
    is_large = positions_of(name) < MOST_POSITIONS
    limits = SurveyLimits(seconds=None, positions=20 if is_large else 300, playouts=2 if is_large else 5)
    found = find_traits(rules_of(name), game_of(name, GROUND), limits)
    declared = {trait: value for trait, value in bundled_game(name).traits.items() if trait not in RARE.get(name, ())}
    assert {trait: getattr(found, trait).value for trait in declared} == declared


def test_mate_ends_a_game_of_chess() -> None:
    game = game_of("chess", GROUND)
    position = game.initial_position()
    for number, move in enumerate(("f 2 f 3", "e 7 e 5", "g 2 g 4", "d 8 h 4")):
        moves: list[Any] = [game.legal_moves(position, role)[0] for role in (0, 1)]
        moves[number % 2] = ("move", *move.split())
        position = game.next_position(position, moves)
    assert game.is_terminal(position)
    assert (goal(game, position, 0), goal(game, position, 1)) == (0, 100)


def test_shepherds_share_a_goal_that_is_not_always_the_same() -> None:
    game = game_of("sheep_and_wolf_shared", GROUND)
    goals = set()
    for seed in range(60):
        *_, (last, _) = random_match(game, seed)
        goals.add(tuple(goal(game, last, role) for role, name in enumerate(game.roles) if name != "random"))
    assert len(goals) > 1


@every_game
@every_backend
def test_roles(name: str, backend: str) -> None:
    assert game_of(name, backend).roles == ROLES[name]


def random_match(game: Game[Any], seed: int) -> Iterator[tuple[Any, JointMove | None]]:
    """Yield each position of a random match and the moves made in it, none in the last one."""
    rng = random.Random(seed)
    position = game.initial_position()
    while not game.is_terminal(position):
        choices = [sorted(game.legal_moves(position, role), key=repr) for role in range(len(game.roles))]
        assert all(choices), f"a role has no legal move in {game.fluents(position)}"
        moves = [rng.choice(moves) for moves in choices]
        yield position, moves
        position = game.next_position(position, moves)
    yield position, None


@every_game
def test_every_match_ends_with_one_goal_for_each_role(name: str) -> None:
    game = game_of(name, GROUND)
    for seed in range(MATCHES):
        *before, (last, _) = random_match(game, seed)
        assert len(before) <= LONGEST_MATCH
        assert all(goal(game, last, role) is not None for role in range(len(game.roles)))


def positions_of(name: str) -> int:
    """Return in how many positions a game is compared: fewer, if each takes long."""
    game = game_of(name, GROUND)
    assert isinstance(game, GroundGame)
    return MOST_POSITIONS if game.program.num_rules <= LARGE else MOST_POSITIONS // 5


@every_game
@pytest.mark.parametrize("backend", [GROUND, CIRCUIT, *LANES])
def test_backends_agree(name: str, backend: str) -> None:
    reference, other = game_of(name, REFERENCE), game_of(name, backend)
    roles = range(len(reference.roles))
    left = 10 if JIT_DISABLED else positions_of(name)
    for seed in range(1 if JIT_DISABLED else MATCHES):
        mirrored = other.initial_position()
        for position, moves in random_match(reference, seed):
            left -= 1
            if left < 0:
                return
            assert other.fluents(mirrored) == reference.fluents(position)
            assert other.position_of(reference.fluents(position)) == mirrored
            assert other.is_terminal(mirrored) == reference.is_terminal(position)
            for role in roles:
                assert sorted(other.goal_values(mirrored, role)) == sorted(reference.goal_values(position, role))
                legal = other.legal_moves(mirrored, role)
                assert len(legal) == len(set(legal))
                assert set(legal) == set(reference.legal_moves(position, role))
                if moves is not None:
                    assert other.percepts(mirrored, moves, role) == reference.percepts(position, moves, role)
            if moves is not None:
                mirrored = other.next_position(mirrored, moves)


@every_game
@pytest.mark.parametrize("backend", [CIRCUIT, *LANES])
def test_circuits_agree_in_all_positions_near_the_first(name: str, backend: str) -> None:
    budget = Budget(positions=4 if JIT_DISABLED else 3 * positions_of(name))
    found = walk_together(game_of(name, GROUND), game_of(name, backend), budget)
    assert found.failure == ""
    assert found.difference is None, found.difference.render()


def count_leaves(game: Game[Any], depth: int) -> int:
    """Return the number of lines of play of a length."""
    positions = [game.initial_position()]
    for _ in range(depth):
        positions = [
            game.next_position(position, moves)
            for position in positions
            if not game.is_terminal(position)
            for moves in product(*(game.legal_moves(position, role) for role in range(len(game.roles))))
        ]
    return len(positions)


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("tic_tac_toe", (1, 9, 72, 504, 3024)),
        ("connect_four", (1, 7, 49, 343)),
        ("hex_small", (1, 25, 600)),
        ("atari_go", (1, 25, 600)),
        ("nim", (1, 12)),
        ("rock_paper_scissors", (1, 9, 81, 729, 0)),
        ("monty_hall", (1, 3, 9, 12, 24, 0)),
        ("matching_pennies", (1, 4, 8, 0)),
        ("treasure_hunt", (1, 9, 81, 576)),
    ],
)
@quick_backends
def test_counts_by_depth(name: str, counts: tuple[int, ...], backend: str) -> None:
    game = game_of(name, backend)
    assert tuple(count_leaves(game, depth) for depth in range(len(counts))) == counts


def value(game: Game[Any], position: Any, known: dict[Any, int]) -> int:
    """Return what the first role gets if two players in turn play perfectly."""
    if position not in known:
        if game.is_terminal(position):
            known[position] = goal(game, position, 0) or 0
        else:
            first, second = (game.legal_moves(position, role) for role in (0, 1))
            results = [value(game, game.next_position(position, moves), known) for moves in product(first, second)]
            known[position] = max(results) if len(first) > 1 or first[0] != "wait" else min(results)
    return known[position]


@pytest.mark.parametrize(("name", "expected"), [("nim", 100), ("tic_tac_toe", 50)])
def test_known_values(name: str, expected: int) -> None:
    game = game_of(name, REFERENCE)
    assert value(game, game.initial_position(), {}) == expected


def test_switching_wins_two_times_in_three() -> None:
    game = game_of("monty_hall", REFERENCE)

    def chance_to_win(position: Any, choice: str) -> float:
        if game.is_terminal(position):
            return (goal(game, position, 0) or 0) / 100
        guest, quizmaster = (game.legal_moves(position, role) for role in (0, 1))
        move = choice if choice in guest else guest[0]
        chances = [chance_to_win(game.next_position(position, (move, event)), choice) for event in quizmaster]
        return sum(chances) / len(chances)

    assert chance_to_win(game.initial_position(), "switch") == pytest.approx(2 / 3)
    assert chance_to_win(game.initial_position(), "stay") == pytest.approx(1 / 3)


def test_lights_go_out_after_the_corners_and_the_middle() -> None:
    game = game_of("lights_out", REFERENCE)
    position = game.initial_position()
    for column, row in ("11", "13", "31", "33", "22"):
        assert goal(game, position, 0) == 0
        position = game.next_position(position, [("press", column, row)])
    assert game.is_terminal(position)
    assert goal(game, position, 0) == 100


def place(game: Game[Any], name: str, points: str) -> Any:
    """Return the position after both sides have put stones on points in turn."""
    position = game.initial_position()
    for number, (column, row) in enumerate(points.split()):
        assert not game.is_terminal(position)
        moves = [(name, column, row), "wait"]
        position = game.next_position(position, moves if number % 2 == 0 else moves[::-1])
    return position


@pytest.mark.parametrize(
    ("points", "goals"),
    [
        ("12 11 55 21 22 54 31", (100, 0)),  # a group of two in the corner
        ("12 55 21 11", (100, 0)),  # suicide in the corner
        ("11 12 44 22 31 32 21 41", (0, 100)),  # three in a row on the edge
        ("12 11 55 21 22", None),  # one free point is left
    ],
)
def test_captures(points: str, goals: tuple[int, int] | None) -> None:
    game = game_of("atari_go", REFERENCE)
    position = place(game, "put", points)
    assert game.is_terminal(position) == (goals is not None)
    if goals is not None:
        assert (goal(game, position, 0), goal(game, position, 1)) == goals


@pytest.mark.parametrize(
    ("points", "goals"),
    [
        ("31 11 32 12 33 13 34 14 35", (100, 0)),  # straight down
        ("51 11 42 12 33 13 24 14 15", (100, 0)),  # down the short diagonal, along which cells touch
        ("11 51 22 52 33 53 44 54 55", None),  # down the long diagonal, along which they do not
    ],
)
def test_connections(points: str, goals: tuple[int, int] | None) -> None:
    game = game_of("hex_small", REFERENCE)
    position = place(game, "put", points)
    assert game.is_terminal(position) == (goals is not None)
    if goals is not None:
        assert (goal(game, position, 0), goal(game, position, 1)) == goals


def test_diggers_are_shown_the_same_and_not_where_the_treasure_is() -> None:
    game = game_of("treasure_hunt", REFERENCE)
    start = game.initial_position()
    bury: JointMove = ("wait", "wait", ("bury", "2", "2"))
    assert game.percepts(start, bury, 0) == game.percepts(start, bury, 1) == frozenset()
    buried = game.next_position(start, bury)
    for square, nearness in (("22", "gold"), ("21", "warm"), ("33", "cold")):
        dig: JointMove = (("dig", *square), "wait", "wait")
        shown = {("hole_at", *square, nearness)}
        assert game.percepts(buried, dig, 0) == game.percepts(buried, dig, 1) == shown
