from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

from woodstock.circuit.game import CircuitGame
from woodstock.circuit.rates import Trial, measure
from woodstock.circuit.runner import Runner
from woodstock.common import jit
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.search import warm

Woodstock = Callable[..., Any]

needs_jit = pytest.mark.skipif(jit.JIT_DISABLED, reason="nothing is compiled")


def signatures() -> set[tuple[str, str]]:
    """Return all kernels with the types that they are compiled for."""
    modules = [module for name, module in sys.modules.items() if name.startswith("woodstock.")]
    kernels = [value for module in modules for value in vars(module).values() if hasattr(value, "nopython_signatures")]
    return {(kernel.py_func.__qualname__, str(types)) for kernel in kernels for types in kernel.signatures}


@needs_jit
def test_text(woodstock: Woodstock) -> None:
    outcome = woodstock("warm")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert [line.split()[0] for line in lines[:-1]] == ["step", "imports", *warm.STEPS, "total"]
    assert lines[-1] == f"Compiled kernels are kept in {jit.jit_folder()}"


@needs_jit
def test_json(woodstock: Woodstock) -> None:
    document = json.loads(woodstock("warm", "--json").out)
    assert list(document["steps"]) == ["imports", *warm.STEPS]
    assert document["seconds"] >= sum(document["steps"].values()) - 0.01
    assert (document["folder"], document["jit"]) == (str(jit.jit_folder()), True)


@needs_jit
def test_without_a_cache(woodstock: Woodstock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOODSTOCK_CACHE_DIR", "")
    assert "WOODSTOCK_CACHE_DIR is empty: nothing is kept" in woodstock("warm").out
    assert json.loads(woodstock("warm", "--json").out)["folder"] is None


def test_without_a_compiler(woodstock: Woodstock, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (jit, warm):
        monkeypatch.setattr(module, "JIT_DISABLED", True)
    monkeypatch.setattr(warm, "STEPS", {"never": lambda game: pytest.fail("there is nothing to do")})
    outcome = woodstock("warm")
    assert (outcome.code, outcome.out.count("\n")) == (0, 1)
    assert "switched off" in outcome.out
    document = json.loads(woodstock("warm", "--json").out)
    assert (document["jit"], document["folder"], list(document["steps"])) == (False, None, ["imports"])


@needs_jit
def test_steps_are_made_in_order_and_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    steps = {name: (lambda game, name=name: made.append(name)) for name in ("one", "two", "three")}
    monkeypatch.setattr(warm, "STEPS", steps)
    monkeypatch.setattr(warm, "SAMPLES", ("tic_tac_toe",))
    told: list[str] = []
    assert warm.warm(lambda name, seconds: told.append(name)) >= 0
    assert made == told == ["one", "two", "three"]
    warm.warm(names=("three",))
    assert made[3:] == ["three"]


@needs_jit
@pytest.mark.parametrize("name", ["connect_four", "atari_go", "matching_pennies", "treasure_hunt", "lights_out"])
def test_other_games_need_no_other_kernels(name: str) -> None:
    warm.warm()
    before = signatures()
    assert before
    game = CircuitGame(ground(load_rules(name)))
    start = game.initial_position()
    game.playouts([start, start], [600, 3], horizon=50)
    measure(Runner(game.circuit), Trial(1e-6, threads=2, horizon=50))
    found = game.expand([start])
    game.expand([game.position(row) for row in found.rows], with_goals=False)
    play_first_moves(game, 10)
    assert signatures() == before


def play_first_moves(game: CircuitGame, length: int) -> None:
    """Play the first legal moves and ask everything on the way."""
    position = game.initial_position()
    roles = range(len(game.roles))
    for _ in range(length):
        if game.is_terminal(position):
            break
        moves = [game.legal_moves(position, role)[0] for role in roles]
        for role in roles:
            game.percepts(position, moves, role)
            game.goal_values(position, role)
        position = game.position_of(game.fluents(game.next_position(position, moves)))
