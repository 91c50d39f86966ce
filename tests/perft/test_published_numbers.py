"""Counts by depth of bundled games against numbers that others have published."""

from __future__ import annotations

import pytest

from woodstock.common.jit import JIT_DISABLED
from woodstock.game.backends import CIRCUIT, GROUND, REFERENCE, build_game
from woodstock.game.load import load_rules
from woodstock.game.perft import Level, divide, perft
from woodstock.gdl.printer import to_kif

# https://oeis.org/A061526: complete games of tic-tac-toe. Their number by length is quoted in many places.
TICTACTOE_GAMES = 255168
TICTACTOE_ENDS = (0, 0, 0, 0, 1440, 5328, 47952, 72576, 127872)
TICTACTOE_PATHS = (9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872)
TICTACTOE_POSITIONS = 5478

# https://oeis.org/A212693: legal positions of connect four 7×6 after n plies.
CONNECT_FOUR_POSITIONS = (7, 49, 238, 1120, 4263)
# Nobody can win before ply 7, nor is a column full: the first six counts are powers of seven.
CONNECT_FOUR_PATHS = (7, 49, 343, 2401, 16807, 117649)


def count(game: str, depth: int, backend: str, unique: bool = False) -> list[Level]:
    return list(perft(build_game(load_rules(game), backend), depth, unique))


def explain(game: str, depth: int) -> str:
    """Return the divide, which tells where to look for a wrong count."""
    counts = divide(build_game(load_rules(game), REFERENCE), depth)
    return "\n".join(f"({' '.join(map(to_kif, moves))}) {paths}" for moves, paths in counts.items())


@pytest.mark.parametrize("backend", [REFERENCE, GROUND])
def test_tic_tac_toe(backend: str) -> None:
    levels = count("tic_tac_toe", 9, backend, unique=True)
    assert tuple(level.paths for level in levels) == TICTACTOE_PATHS, explain("tic_tac_toe", 3)
    assert tuple(level.terminal for level in levels) == TICTACTOE_ENDS
    assert sum(level.terminal or 0 for level in levels) == TICTACTOE_GAMES
    assert 1 + sum(level.unique or 0 for level in levels) == TICTACTOE_POSITIONS


@pytest.mark.parametrize("backend", [REFERENCE, GROUND])
def test_connect_four(backend: str) -> None:
    levels = count("connect_four", 6, backend)
    assert tuple(level.paths for level in levels) == CONNECT_FOUR_PATHS, explain("connect_four", 3)
    assert tuple(level.unique for level in levels[:-1]) == CONNECT_FOUR_POSITIONS
    assert [level.terminal for level in levels[:-1]] == [0] * 5


# https://www.chessprogramming.org/Perft_Results
CHESS_PATHS = (20, 400, 8902, 197281)
# https://www.aartbik.com/strategy.php: Othello from the usual start.
OTHELLO_PATHS = (4, 12, 56, 244, 1396, 8200)
# https://oeis.org/A133046: English draughts. No double jump is possible in the first six moves.
DRAUGHTS_PATHS = (7, 49, 302, 1469, 7361, 36768)


@pytest.mark.parametrize(
    ("game", "paths"),
    [
        ("chess", CHESS_PATHS[: 2 if JIT_DISABLED else 3]),
        ("othello", OTHELLO_PATHS[: 4 if JIT_DISABLED else 6]),
        ("english_draughts", DRAUGHTS_PATHS[: 4 if JIT_DISABLED else 6]),
        ("connect_four_8x6", (8, 64, 512, 4096)),
        ("hex", (81, 81 * 80)),
        ("gomoku", (225, 225 * 224)),
    ],
)
@pytest.mark.parametrize("backend", [GROUND, CIRCUIT])
def test_other_games(game: str, paths: tuple[int, ...], backend: str) -> None:
    levels = count(game, len(paths), backend)
    assert tuple(level.paths for level in levels) == paths, explain(game, 2)


@pytest.mark.skipif(JIT_DISABLED, reason="too slow")
def test_deeper_by_the_circuit() -> None:
    assert [level.paths for level in count("chess", 4, CIRCUIT)] == list(CHESS_PATHS)
    assert [level.paths for level in count("connect_four", 7, CIRCUIT)] == [*CONNECT_FOUR_PATHS, 823536]
