"""Networks with a meaning: each is compared with a direct program for the same game."""

from __future__ import annotations

from functools import cache

import pytest

from woodstock.common.errors import UsageError
from woodstock.common.jit import JIT_DISABLED
from woodstock.qcsp.bin_packing import BinPacking, bin_packing
from woodstock.qcsp.boards import BoardGame, board_game
from woodstock.qcsp.breakdowns import Breakdowns, breakdowns
from woodstock.qcsp.random_networks import Parameters, random_network
from woodstock.qcsp.situation import Compiled
from woodstock.qcsp.solver import Solver


def is_true(quantified) -> bool | None:
    return Solver(Compiled(quantified)).solve().is_true


def packs(game: BinPacking, loads: tuple[int, ...], items: int) -> bool:
    """Tell whether all items that are still to come can be packed, whatever their sizes are."""
    if items == 0:
        return True
    return all(
        any(
            load + size <= game.capacity and packs(game, (*loads[:bin], load + size, *loads[bin + 1 :]), items - 1)
            for bin, load in enumerate(loads)  # noqa: A001 (that is what it is)
        )
        for size in game.sizes
    )


@pytest.mark.parametrize("items", [1, 2] if JIT_DISABLED else [1, 2, 3, 4])
@pytest.mark.parametrize("bins", [1, 2, 3])
def test_bin_packing(items: int, bins: int) -> None:
    results = set()
    for capacity in (3, 5, 7):
        for sizes in ((1, 2), (2, 3), (1, 2, 3)):
            game = BinPacking(items, bins, capacity, sizes)
            expected = packs(game, (0,) * bins, items)
            assert is_true(bin_packing(game)) == expected, game
            results.add(expected)
    assert results


def staffed(game: Breakdowns, skills: list[list[list[int]]], used: tuple[int, ...], day: int) -> bool:
    """Tell whether all jobs from a day on can be done, whatever breaks down."""
    if day == game.num_days:
        return True

    def give(job: int, used: tuple[int, ...], busy: frozenset[int], broken: int) -> bool:
        if job == game.num_jobs:
            return staffed(game, skills, used, day + 1)
        return any(
            machine != broken
            and machine not in busy
            and used[machine] < game.wear
            and give(job + 1, (*used[:machine], used[machine] + 1, *used[machine + 1 :]), busy | {machine}, broken)
            for machine in skills[day][job]
        )

    return all(give(0, used, frozenset(), broken) for broken in range(-1, game.num_machines))


def test_breakdowns() -> None:
    results = []
    for seed in range(8 if JIT_DISABLED else 30):
        game = Breakdowns(num_days=3, num_jobs=2, num_machines=4, skill=0.75, wear=2)
        quantified = breakdowns(game, seed)
        unary = [table for table in quantified.network.constraints if len(getattr(table, "scope", ())) == 1]
        rows = [[row[0] for row in table.tuples] for table in unary]  # type: ignore[union-attr]
        skills = [rows[2 * day : 2 * day + 2] for day in range(3)]
        results.append(staffed(game, skills, (0,) * 4, 0))
        assert is_true(quantified) == results[-1], seed
    assert len(set(results)) == 2 or JIT_DISABLED


@pytest.mark.parametrize(
    ("kind", "size", "universal_first", "expected"),
    [
        # Whoever begins wins hex, so whoever does not begin loses it.
        ("hex", 1, False, True),
        ("hex", 2, False, True),
        ("hex", 2, True, False),
        ("hex", 3, False, True),
        ("hex", 3, True, False),
        # Three in a row without counterattack: who begins makes it, who does not is hindered.
        ("lines", 3, False, True),
        ("lines", 3, True, False),
        ("lines", 2, False, True),
    ],
)
def test_board_games(kind: str, size: int, universal_first: bool, expected: bool) -> None:
    if size > 2 and JIT_DISABLED:
        pytest.skip("too slow without the compiler")
    assert is_true(board_game(BoardGame(kind, size, universal_first))) == expected


def test_lines_of_two_agree_with_a_direct_search() -> None:
    sets = [{0, 1}, {2, 3}, {0, 2}, {1, 3}, {0, 3}, {1, 2}]

    @cache
    def wins(mine: frozenset[int], others: frozenset[int], is_mine: bool) -> bool:
        free = set(range(4)) - mine - others
        if not free:
            return any(line <= mine for line in sets)
        after = [(mine | {cell}, others) if is_mine else (mine, others | {cell}) for cell in sorted(free)]
        results = [wins(one, other, not is_mine) for one, other in after]
        return any(results) if is_mine else all(results)

    for universal_first in (False, True):
        expected = wins(frozenset(), frozenset(), not universal_first)
        assert is_true(board_game(BoardGame("lines", 2, universal_first))) == expected


def test_random_networks_have_what_their_parameters_say() -> None:
    parameters = Parameters(num_turns=20, num_values=8, p=0.2, p_ee=0.65, p_ue=0.5)
    quantified = random_network(parameters, seed=3)
    assert quantified.is_universal == (False, True) * 10
    tables = quantified.network.constraints
    assert len(tables) == 18
    for table in tables:
        first, second = table.scope  # type: ignore[union-attr]
        rows = {tuple(row) for row in table.tuples.tolist()}  # type: ignore[union-attr]
        assert not quantified.is_universal[second]
        if quantified.is_universal[first]:
            assert first < second
            assert len(rows) == 4 == len({row[0] for row in rows}) == len({row[1] for row in rows})
        else:
            assert len(rows) == 41


def test_seeds_and_parameters_make_the_network() -> None:
    def text(parameters: Parameters, seed: int) -> list[object]:
        return [table.tuples.tolist() for table in random_network(parameters, seed).network.constraints]

    assert text(Parameters(), 1) == text(Parameters(), 1)
    assert text(Parameters(), 1) != text(Parameters(), 2)
    assert random_network(Parameters(universal_first=True)).is_universal[0]


def test_the_share_of_true_networks_falls_with_the_density() -> None:
    shares = []
    for density in (0.5, 0.65, 0.8):
        parameters = Parameters(num_turns=12, num_values=5, p=0.4, p_ee=density)
        shares.append(sum(bool(is_true(random_network(parameters, seed))) for seed in range(6 if JIT_DISABLED else 30)))
    assert shares[0] >= shares[1] >= shares[2]
    assert shares[0] > shares[2]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Parameters(num_turns=0), "at least one variable"),
        (lambda: Parameters(p_ee=1.5), "from 0 to 1 for p_ee, found 1.5"),
        (lambda: BinPacking(capacity=0), "a capacity from 1 to 61"),
        (lambda: BinPacking(sizes=(1, 1)), "different sizes"),
        (lambda: Breakdowns(num_machines=0), "1 to 61 machines"),
        (lambda: Breakdowns(skill=-1), "a share from 0 to 1"),
        (lambda: BoardGame("go"), "one of hex lines, found 'go'"),
        (lambda: BoardGame("hex", 4), "1 to 3 cells"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(make, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make()
