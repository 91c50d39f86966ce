from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from woodstock.arena import DuelPlan, make_plan
from woodstock.arena.plan import MAX_SEED, Play
from woodstock.common.errors import UsageError
from woodstock.gdl.diagnostics import GdlError
from woodstock.gdl.source import SourceText
from woodstock.players import Clocks

TOGETHER = """
(role ann) (role ben) (init here)
(<= (legal ?r ?m) (role ?r) (move ?m)) (move left) (move right)
(<= terminal (true there)) (<= (next there) (true here))
(<= (next same) (does ann ?m) (does ben ?m))
(<= (goal ?r 100) (role ?r) (true same)) (<= (goal ?r 0) (role ?r) (not (true same)))
"""


def plan(game: str, matches: int = 6) -> DuelPlan:
    return make_plan(game, ("greedy", "random"), matches, Clocks(iterations=1), seed=7)


def test_two_seats_are_exchanged_and_each_pair_of_matches_has_a_seed() -> None:
    plays = plan("tic_tac_toe", 5).plays()
    assert [each.match for each in plays] == [0, 1, 2, 3, 4]
    assert plan("tic_tac_toe", 5).num_plays == 5
    assert [each.seating for each in plays] == [(0, 1), (1, 0), (0, 1), (1, 0), (0, 1)]
    seeds = [each.seed for each in plays]
    assert seeds[0] == seeds[1] != seeds[2] == seeds[3] != seeds[4]
    assert all(0 <= seed < MAX_SEED for seed in seeds)


def test_with_more_seats_the_first_contestant_takes_each_in_turn() -> None:
    plays = plan("chinese_checkers", 6).plays()
    assert [each.seating for each in plays[:3]] == [(0, 1, 1), (1, 0, 1), (1, 1, 0)]
    assert [each.seating for each in plays[3:]] == [(0, 1, 1), (1, 0, 1), (1, 1, 0)]
    assert len({each.seed for each in plays[:3]}) == len({each.seed for each in plays[3:]}) == 1
    assert plays[0].seed != plays[3].seed


@pytest.mark.parametrize("game", ["lights_out", "monty_hall"])
def test_games_for_one_are_played_separately_from_the_same_seeds(game: str) -> None:
    duel = plan(game, 2)
    assert duel.is_separate
    plays = duel.plays()
    assert [(each.match, each.seating) for each in plays] == [(0, (0,)), (0, (1,)), (1, (0,)), (1, (1,))]
    assert duel.num_plays == 4
    assert plays[0].seed == plays[1].seed != plays[2].seed == plays[3].seed


@pytest.mark.parametrize(
    ("game", "separate"), [("orchard", True), ("tic_tac_toe", False), ("rock_paper_scissors", False), ("pig", False)]
)
def test_cooperative_games_are_played_separately(game: str, separate: bool) -> None:
    duel = plan(game, 1)
    assert duel.is_separate == separate
    assert [each.seating for each in duel.plays()] == ([(0, 0), (1, 1)] if separate else [(0, 1)])


def test_a_sheet_that_proves_to_be_cooperative(tmp_path: Path) -> None:
    sheet = tmp_path / "together.kif"
    sheet.write_text(TOGETHER)
    assert plan(str(sheet)).is_separate


def test_any_game_can_be_played_separately() -> None:
    duel = replace(plan("tic_tac_toe", 1), separate=True)
    assert [each.seating for each in duel.plays()] == [(0, 0), (1, 1)]


def test_seeds_follow_from_the_seed_of_the_plan() -> None:
    assert plan("nim").plays() == plan("nim").plays()
    assert plan("nim").plays()[0].seed != replace(plan("nim"), seed=8).plays()[0].seed


def test_names_of_records(tmp_path: Path) -> None:
    duel = replace(plan("nim", 120), record=tmp_path)
    assert duel.record_of(Play(0, 1, (0, 1))) == tmp_path / "001.json"
    assert duel.record_of(Play(119, 1, (1, 0))) == tmp_path / "120.json"
    alone = replace(plan("lights_out", 2), record=tmp_path)
    names = [path.name for play in alone.plays() if (path := alone.record_of(play))]
    assert names == ["1-first.json", "1-second.json", "2-first.json", "2-second.json"]
    assert plan("nim").record_of(Play(0, 1, (0, 1))) is None


@pytest.mark.parametrize(
    ("players", "matches", "message"),
    [
        (("greedy", "gredy"), 1, "did you mean 'greedy'"),
        (("random:speed=3", "greedy"), 1, "no option 'speed'"),
        (("human", "greedy"), 1, "a person cannot play a duel"),
        (("greedy", "random"), 0, "expected at least 1 match, found 0"),
    ],
)
def test_what_is_wrong_with_a_plan_is_found_before_it_is_played(
    players: tuple[str, str], matches: int, message: str
) -> None:
    duel = make_plan("nim", players, matches, Clocks())
    with pytest.raises(UsageError, match=message):
        duel.check()


def test_rules_without_players_and_rules_with_errors() -> None:
    lonely = DuelPlan("lonely", SourceText("(role random) (legal random wait) terminal"), ("greedy", "random"), 1)
    with pytest.raises(UsageError, match="no role to play"):
        lonely.check()
    with pytest.raises(GdlError):
        DuelPlan("broken", SourceText("(role x"), ("greedy", "random"), 1).check()


def test_repairs_are_reported() -> None:
    sheet = "(role x) (init a) (legal x go) (<= terminal (true a)) (<= (goal ?r 100) (true a))"
    duel = DuelPlan("sheet", SourceText(sheet), ("greedy", "random"), 1)
    with pytest.raises(GdlError):
        duel.check()
    told: list[str] = []
    replace(duel, repair=True).check(told.append)
    assert len(told) == 1
