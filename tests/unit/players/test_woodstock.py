"""The player for tournaments: what it plans, what it learns, and when it listens to that."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from woodstock.circuit.game import CircuitGame
from woodstock.common.errors import UsageError
from woodstock.common.jit import JIT_DISABLED
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.match import MatchSetup, play_match
from woodstock.players import Clocks, Seat, Turn, lessons, make_player
from woodstock.players import woodstock as module
from woodstock.players.lessons import LearningSearcher
from woodstock.players.loading import prepare_game
from woodstock.players.woodstock import WoodstockPlayer, moves_recur, roles_move_at_once
from woodstock.search import warm
from woodstock.search.evaluation import Model, make_model
from woodstock.search.options import SearchOptions
from woodstock.search.planning import Plan, Planner
from woodstock.search.symmetric_keys import can_find_symmetries
from woodstock.search.tree_search import TreeSearch
from woodstock.search.trial import Terms, Verdict
from woodstock.symmetry import _automorphism
from woodstock.symmetry.group import SymmetryGroup


class Learner:
    """Plays no matches, and says what it is told about them."""

    num_matches = 1000
    mean_length = 20.0

    def __init__(self, game: CircuitGame, seed: int, symmetries: SymmetryGroup | None) -> None:
        self.game = game
        self.symmetries = symmetries
        self.model = make_model(game.program.num_fluents, [True] * len(game.roles))

    def run(self, deadline: Deadline) -> None:
        pass


class Judge:
    """Finds that all are equal."""

    def __init__(self, *_: object) -> None:
        pass

    def run(self, deadline: Deadline) -> Verdict:
        return Verdict(4, 2.0)


def start(name: str, clocks: Clocks, **options: Any) -> tuple[WoodstockPlayer, Any]:
    rules = load_rules(name)
    game: Any = prepare_game(rules)
    # What has to be compiled is compiled before the clock runs.
    WoodstockPlayer().start(Seat(rules, game, 0, Clocks(iterations=1), False, Random(2)))
    player = WoodstockPlayer(**options)
    player.start(Seat(rules, game, 0, clocks, False, Random(2), Deadline(clocks.start)))
    return player, game


def search_of(player: WoodstockPlayer) -> Any:
    searcher: Any = player._searcher
    return searcher._tree._search if isinstance(searcher, LearningSearcher) else searcher._search


def model_of(player: WoodstockPlayer) -> Model | None:
    model: Model | None = search_of(player).model
    return model


PLAIN, GRAVE = 0, 3
"""How playouts are made with a foresight of so many moves: without GRAVE, and with it."""


def kind_of(options: SearchOptions) -> int:
    """Return how playouts are made, as one number."""
    assert options.grave == (options.samples == module.TABLE_SAMPLES and options.bias == module.TABLE_BIAS)
    return options.foresight + (GRAVE if options.grave else PLAIN)


@pytest.mark.parametrize(
    ("name", "most", "winners", "tried", "chosen"),
    [
        ("connect_four", 2, (1, 2), [(0, 3), (0, 1), (1, 2)], 2),
        ("connect_four", 2, (2,), [(0, 3), (0, 1), (0, 2)], 2),
        ("connect_four", 2, (1,), [(0, 3), (0, 1), (1, 2)], 1),
        ("connect_four", 2, (), [(0, 3), (0, 1), (0, 2)], 0),
        ("connect_four", 2, (GRAVE,), [(0, 3), (3, 4), (3, 5)], GRAVE),
        ("connect_four", 2, (GRAVE, GRAVE + 1), [(0, 3), (3, 4), (4, 5)], GRAVE + 1),
        ("connect_four", 1, (1,), [(0, 3), (0, 1)], 1),
        ("connect_four", 0, (), [(0, 3)], 0),
        ("hex_small", 2, (1, 2), [(0, 3)], 0),  # there is no such circuit
    ],
)
def test_the_playouts_that_win_trials_are_chosen(
    name: str,
    most: int,
    winners: tuple[int, ...],
    tried: list[tuple[int, int]],
    chosen: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[tuple[int, int]] = []

    class Partial:
        def __init__(
            self,
            champion: TreeSearch,
            challenger: TreeSearch,
            seconds: tuple[float, float],
            seed: int,
            terms: Terms,
        ) -> None:
            assert seconds[0] == seconds[1]
            assert terms.clear == (8 if kind_of(challenger.options) == GRAVE else 4)
            said.append((kind_of(champion.options), kind_of(challenger.options)))

        def run(self, deadline: Deadline) -> Verdict:
            return Verdict(4, 4.0 if said[-1][1] in winners else 2.0)

    monkeypatch.setattr(module, "Trial", Partial)
    monkeypatch.setattr(WoodstockPlayer, "_search", lambda *_: None)  # it would take the rest of the minute
    player, _ = start(name, Clocks(60, 0.1), foresight=most, learning=0.0)
    assert said == tried
    assert kind_of(search_of(player).options) == chosen


def test_without_time_for_some_matches_nothing_is_tried() -> None:
    options = SearchOptions()
    assert module.Rivals(options, options, 0.001, 8.0).have_time(Deadline(10))
    assert not module.Rivals(options, options, 1.0, 8.0).have_time(Deadline(10))


@pytest.mark.parametrize(
    ("verdict", "lead", "least", "is_better"),
    [
        (Verdict(4, 3.0), 2.0, 0.0, True),
        (Verdict(5, 3.0), 2.0, 0.0, False),
        (Verdict(5, 3.5), 2.0, 0.0, True),
        (Verdict(3, 3.0), 2.0, 0.0, False),  # too few matches
        (Verdict(4, 3.5), 4.0, 0.7, False),
        (Verdict(4, 4.0), 4.0, 0.7, True),
        (Verdict(20, 13.0), 4.0, 0.7, False),  # a lead of six, which may be chance
        (Verdict(20, 14.0), 4.0, 0.7, True),
    ],
)
def test_who_leads_clearly_is_better(
    verdict: Verdict, lead: float, least: float, is_better: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Judge, "run", lambda *_: verdict)
    monkeypatch.setattr(module, "Trial", Judge)
    champion, challenger = SearchOptions(memory=4), SearchOptions(memory=4, samples=3)
    game = CircuitGame(ground(load_rules("nim")))
    rivals = module.Rivals(champion, challenger, 0.001, 6.0, lead, Terms(least=least))
    better = module.choose_better(game, rivals, 1, Deadline(5))
    assert better is (challenger if is_better else champion)


@pytest.mark.skipif(JIT_DISABLED, reason="thousands of positions without the compiler")
def test_a_match_by_the_clock_is_played_to_its_end() -> None:
    rules = load_rules("breakthrough_small")
    setup = MatchSetup(rules, prepare_game(rules), ["woodstock", "random"], clocks=Clocks(1, 0.05))
    match = play_match(setup, [make_player(name) for name in ("woodstock", "random")])
    assert match.goals == (100, 0)


@pytest.mark.parametrize(
    ("name", "at_once"), [("tic_tac_toe", False), ("pig", False), ("rock_paper_scissors", True), ("tron", True)]
)
def test_it_is_seen_whether_roles_move_at_once(name: str, at_once: bool) -> None:
    assert roles_move_at_once(CircuitGame(ground(load_rules(name)))) == at_once


@pytest.mark.parametrize("score", [2.0, 4.0])
def test_where_roles_move_at_once_only_the_way_they_choose_is_tried_out(
    score: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SelfPlay", "Lessons", "find_group"):
        monkeypatch.delattr(module, name)
    monkeypatch.setattr(Judge, "run", lambda *_: Verdict(4, score))
    monkeypatch.setattr(module, "Trial", Judge)
    monkeypatch.setattr(WoodstockPlayer, "_search", lambda *_: None)
    player, _ = start("connect_four_simultaneous", Clocks(30, 0.1), memory=8)
    assert model_of(player) is None
    options, plain = search_of(player).options, SearchOptions()
    narrow = (-1.0, module.NARROW_SPREAD)
    assert (options.mixing, options.spread) == (narrow if score == 4.0 else (plain.mixing, plain.spread))


@pytest.mark.parametrize(("spread", "share", "recur"), [(4, 0.2, True), (9, 0.2, False), (4, 0.9, False)])
def test_it_is_seen_whether_many_moves_recur(
    spread: int, share: float, recur: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the nine squares is x's in nearly half of the matches."""
    monkeypatch.setattr(module, "RECURRENCE", share)
    assert moves_recur(CircuitGame(ground(load_rules("tic_tac_toe"))), spread, Deadline(None)) == recur


def test_where_many_moves_recur_it_is_grave() -> None:
    rules = load_rules("tic_tac_toe")
    game: Any = prepare_game(rules)
    player = WoodstockPlayer(spread=4)
    player.start(Seat(rules, game, 0, Clocks(iterations=20), False, Random(2)))
    options = search_of(player).options
    assert options.grave
    assert (options.samples, options.bias) == (module.TABLE_SAMPLES, module.TABLE_BIAS)


@pytest.mark.parametrize("spec", ["uct:samples=0", "woodstock:samples=0", "grave:samples=-1"])
def test_players_make_playouts_unless_they_find_something_better(spec: str) -> None:
    with pytest.raises(UsageError, match="samples must be 1 or more"):
        make_player(spec)


def test_without_clocks_nothing_is_learnt_and_matches_can_be_repeated() -> None:
    moves = []
    for _ in range(2):
        rules = load_rules("tic_tac_toe")
        setup = MatchSetup(rules, prepare_game(rules), ["woodstock"] * 2, clocks=Clocks(iterations=40))
        match = play_match(setup, [make_player("woodstock") for _ in range(2)])
        moves.append([step.moves for step in match.steps])
    assert moves[0] == moves[1]
    player, _ = start("tic_tac_toe", Clocks(iterations=40))
    assert model_of(player) is None


def test_a_puzzle_is_solved_by_a_plan() -> None:
    player, game = start("lights_out", Clocks(60, 60))
    position = game.initial_position()
    while not game.is_terminal(position):
        legal = game.legal_moves(position, 0)
        move = player.choose(Turn(0, legal, position, Deadline(60)))
        assert move in legal
        if len(legal) > 1:
            explanation = player.explain()
            assert explanation is not None
            assert explanation.value == 100
            assert explanation.candidates[0].proven
            assert explanation.line[0][0] == move
        position = game.next_position(position, (move,))
    assert game.goal_values(position, 0) == ("100",)


def test_a_poor_plan_gives_way_to_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    player, game = start("lights_out", Clocks(60, 60))
    position = game.initial_position()
    player._searcher.look_at(position)
    said = player._searcher.explain()
    poor = Plan((game.legal_moves(position, 0)[:1],), 0.0, False)
    monkeypatch.setattr(Planner, "plan", property(lambda _: poor))
    player._searcher.run(Deadline(None), 300)  # iterations are for the tree
    tree = player._searcher.explain()
    assert said is not None
    assert tree is not None
    assert said.candidates[0].proven
    assert tree.candidates[0].visits > 0


def test_shares_of_the_start_clock_do_not_add_up_to_more_than_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever symmetries took longer than they should is missing in the learning, not in the end."""
    asked: list[float] = []

    class Listening(Learner):
        def run(self, deadline: Deadline) -> None:
            asked.append(deadline.seconds_left)

    monkeypatch.setattr(module, "SelfPlay", Listening)
    monkeypatch.setattr(lessons, "Trial", Judge)
    start("nim", Clocks(30, 30), foresight=0, symmetry=0)
    assert 0 < asked[0] <= 15
    assert np.isfinite(asked[0])


@pytest.mark.parametrize(("seconds", "is_tried"), [(0.5, False), (30.0, True)])
def test_with_a_short_start_clock_nothing_is_found_out_about_playouts(
    seconds: float, is_tried: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []
    monkeypatch.setattr(WoodstockPlayer, "_choose_playouts", lambda _, *asked: tried.append(asked) or asked[1])
    monkeypatch.setattr(WoodstockPlayer, "_search", lambda *_: None)
    start("nim", Clocks(seconds, 1), learning=0.0)
    assert bool(tried) == is_tried


def test_where_nothing_can_be_learnt_there_is_more_time_for_other_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def listen(_: WoodstockPlayer, __: CircuitGame, options: SearchOptions, ___: int, deadline: Deadline) -> Any:
        asked.append(deadline.seconds_left)
        return options

    monkeypatch.setattr(WoodstockPlayer, "_choose_playouts", listen)
    monkeypatch.setattr(WoodstockPlayer, "_search", lambda *_: None)
    monkeypatch.setattr(module, "SelfPlay", Learner)
    monkeypatch.setattr(lessons, "Trial", Judge)
    for fewest in (0, 10**9):
        monkeypatch.setattr(lessons, "FEWEST_WEIGHTS", fewest)
        start("nim", Clocks(30, 30), symmetry=0)
    assert asked[1] / asked[0] == pytest.approx(module.ALL_TRYING / WoodstockPlayer.trying, rel=0.2)


@pytest.mark.parametrize(("num_legal", "iterations", "rests"), [(1, None, True), (2, None, False), (1, 5, False)])
def test_turns_without_a_choice_are_for_lessons(
    num_legal: int, iterations: int | None, rests: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SelfPlay", Learner)
    monkeypatch.setattr(lessons, "Trial", Judge)
    player, game = start("nim", Clocks(1, 0.2), symmetry=0)
    asked: list[float] = []
    monkeypatch.setattr(LearningSearcher, "rest", lambda _, deadline: asked.append(deadline.seconds_left))
    position = game.initial_position()
    legal = game.legal_moves(position, 0)[:num_legal]
    assert player.choose(Turn(0, legal, position, Deadline(0.2), iterations)) in game.legal_moves(position, 0)
    assert bool(asked) == rests
    assert all(0 < seconds < 0.2 for seconds in asked)


def test_only_a_search_that_goes_by_its_evaluation_trusts_what_is_known_of_moves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "SelfPlay", Learner)
    monkeypatch.setattr(lessons, "Trial", Judge)
    monkeypatch.setattr(lessons, "SPEED", dict.fromkeys(lessons.Use, 0.0))  # playouts are slow
    monkeypatch.setattr(WoodstockPlayer, "_search", lambda *_: None)
    for score, trust in ((4.0, 3.0), (2.0, 0.0)):
        monkeypatch.setattr(Judge, "run", lambda *_, score=score: Verdict(4, score))
        player, _ = start("nim", Clocks(30, 30), foresight=0, trust=3.0)
        assert search_of(player).options.trust == trust


def test_keys_keep_roles_and_lessons_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    learners: list[Learner] = []

    class Listening(Learner):
        def run(self, deadline: Deadline) -> None:
            learners.append(self)

    monkeypatch.setattr(module, "SelfPlay", Listening)
    monkeypatch.setattr(lessons, "Trial", Judge)
    player, game = start("tic_tac_toe", Clocks(30, 30), foresight=0)
    assert learners[0].symmetries is not None
    assert learners[0].symmetries.order == 16
    keys_of: Any = search_of(player)._keys_of
    first = game.initial_position()
    after = [game.next_position(first, (move, game.legal_moves(first, 1)[0])) for move in game.legal_moves(first, 0)]
    assert len(set(keys_of(game.rows(after)).tolist())) == 3  # a corner, an edge, the middle


def test_nothing_more_than_the_base_install_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the libraries for symmetries there are none, for this player and before the first match."""
    monkeypatch.setattr(_automorphism, "find_spec", lambda _: None)
    assert not can_find_symmetries()
    warm.warm(names=[warm.SYMMETRIES])
    _, game = start("tic_tac_toe", Clocks(iterations=20))
    assert game.roles == ("x", "o")
