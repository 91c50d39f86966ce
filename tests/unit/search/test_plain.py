from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random

import pytest

from naive.small_games import ENDLESS, SIMULTANEOUS, STUCK, choice_sheet, rules_of
from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.game.protocol import JointMove, Move
from woodstock.game.reference import ReferenceGame
from woodstock.game.walk import replay
from woodstock.gdl.terms import GroundTerm
from woodstock.search.options import SearchOptions
from woodstock.search.plain import PlainSearch
from woodstock.search.plain_playouts import Playouts, greatest_utilities

FOREVER = Deadline(None)
KINDS = {
    "ucb": SearchOptions(),
    "grave": SearchOptions(grave=True, exploration=0.0),
    "mast": SearchOptions(mast=True),
    "all": SearchOptions(grave=True, mast=True, mixing=-1),
}

# A dice is thrown after the choice: `safe` brings 40, `high` brings 90 or 0, `wide` 10 or 20 or 99.
GAMBLE = """
(role you) (role random) (init start)
(<= (legal you ?m) (true start) (bet ?m ?d ?v)) (<= (legal you wait) (not (true start)))
(bet safe 1 40) (bet high 1 90) (bet high 2 0) (bet wide 1 10) (bet wide 2 20) (bet wide 3 99)
(<= (legal random wait) (true start))
(<= (legal random (throw ?d)) (true (made ?m)) (bet ?m ?d ?v))
(<= (legal random wait) (true (got ?v)))
(<= (next (made ?m)) (does you ?m) (true start))
(<= (next (got ?v)) (true (made ?m)) (does random (throw ?d)) (bet ?m ?d ?v))
(<= terminal (true (got ?v)))
(<= (goal you ?v) (true (got ?v))) (goal random 0)
"""

# `a` would like b to take the left, but b looks at its own goal, and c at its own.
THREE = """
(role a) (role b) (role c) (init (at root a))
(way root l x b) (way root r y b) (way x l x1 c) (way x r x2 c) (way y l y1 c) (way y r y2 c)
(end x1 l 90 10 20) (end x1 r 0 50 10) (end x2 l 30 60 40) (end x2 r 20 0 30)
(end y1 l 40 20 10) (end y1 r 50 30 90) (end y2 l 80 10 70) (end y2 r 10 90 60)
(<= (legal ?r ?m) (true (at ?n ?r)) (way ?n ?m ?k ?s))
(<= (legal c ?m) (true (at ?n c)) (end ?n ?m ?p ?q ?s))
(<= (legal ?r wait) (role ?r) (not (turn ?r))) (<= (turn ?r) (true (at ?n ?r)))
(<= (next (at ?k ?s)) (true (at ?n ?r)) (does ?r ?m) (way ?n ?m ?k ?s))
(<= (next (over ?p ?q ?s)) (true (at ?n c)) (does c ?m) (end ?n ?m ?p ?q ?s))
(<= terminal (true (over ?p ?q ?s)))
(<= (goal a ?p) (true (over ?p ?q ?s))) (<= (goal b ?q) (true (over ?p ?q ?s))) (<= (goal c ?s) (true (over ?p ?q ?s)))
"""

# One may walk round and round, and only one door leads out.
ROUND = """
(role a) (role b) (init (at 1)) (succ 1 2) (succ 2 3) (succ 3 1)
(<= (legal a ?m) (true (at ?n)) (distinct ?n out) (choice ?m)) (choice on) (choice leave)
(legal b wait)
(<= (next (at ?m)) (true (at ?n)) (succ ?n ?m) (does a on))
(<= (next (at ?n)) (true (at ?n)) (does a leave) (distinct ?n 3))
(<= (next (at out)) (true (at 3)) (does a leave))
(<= terminal (true (at out)))
(<= (goal a 100) (true (at out))) (goal b 0)
"""

# Whatever both do, the goals are the same.
IDLE = """
(role a) (role b) (init on) (legal a x) (legal a y) (legal b x) (legal b y)
(<= (next (was ?m ?n)) (does a ?m) (does b ?n)) (<= terminal (not (true on))) (goal a 30) (goal b 70)
"""


@dataclass
class TreeGame:
    """A made-up game: positions are paths, and everything else follows from a seed; no goal is 100."""

    seed: int
    roles: tuple[str, ...] = ("a", "b", "c", "random")
    depth: int = 4
    calls: Counter[str] = field(default_factory=Counter)

    def _random(self, position: tuple[str, ...]) -> Random:
        return Random(f"{self.seed}:{position}")

    def initial_position(self) -> tuple[str, ...]:
        return ()

    def chooser(self, position: tuple[str, ...]) -> int:
        return self._random(position).randrange(len(self.roles))

    def legal_moves(self, position: tuple[str, ...], role: int) -> tuple[Move, ...]:
        self.calls["legal"] += 1
        random = self._random(position)
        if role != random.randrange(len(self.roles)):
            return ("wait",)
        return tuple(map(str, range(random.randint(1, 4))))

    def next_position(self, position: tuple[str, ...], moves: JointMove) -> tuple[str, ...]:
        self.calls["next"] += 1
        return (*position, str(moves[self.chooser(position)]))

    def is_terminal(self, position: tuple[str, ...]) -> bool:
        self.calls["terminal"] += 1
        return len(position) == self.depth or (len(position) > 1 and self._random(position).random() < 0.2)

    def goal_values(self, position: tuple[str, ...], role: int) -> tuple[GroundTerm, ...]:
        return (str(Random(f"{self.seed}:{position}:{role}").randrange(100)),)

    def percepts(self, position: tuple[str, ...], moves: JointMove, role: int) -> frozenset[GroundTerm]:
        raise AssertionError("nobody asks what a role sees")

    fluents = position_of = percepts

    def solve(self, position: tuple[str, ...] = ()) -> list[float]:
        """Return the value of a position for each role: the mean of the chooser's best children, of all for nature."""
        if self.is_terminal(position):
            return [int(str(self.goal_values(position, role)[0])) / 100 for role in range(len(self.roles))]
        chooser = self.chooser(position)
        below = [self.solve((*position, str(move))) for move in self.legal_moves(position, chooser)]
        if self.roles[chooser] != "random":
            best = max(values[chooser] for values in below)
            below = [values for values in below if values[chooser] == best]
        return [sum(column) / len(column) for column in zip(*below, strict=True)]


class PollsLeft(Deadline):
    """A deadline that is over when it has been looked at so often."""

    __slots__ = ("left",)

    def __init__(self, polls: int) -> None:
        super().__init__(None)
        self.left = polls

    @property
    def expired(self) -> bool:
        self.left -= 1
        return self.left < 0


def reference(text: str) -> ReferenceGame:
    return ReferenceGame(rules_of(text))


def board(moves: list[tuple[str, str]]) -> tuple[ReferenceGame, frozenset[GroundTerm]]:
    """Return tic-tac-toe after moves of both players in turn, given as row and column."""
    game = ReferenceGame(load_rules("tic_tac_toe"))
    line = tuple(
        (("place", *move), "wait") if number % 2 == 0 else ("wait", ("place", *move))
        for number, move in enumerate(moves)
    )
    return game, replay(game, line)


def searched(game: object, position: object, iterations: int, options: SearchOptions | None = None, seed: int = 1):
    search = PlainSearch(game, options, seed)
    search.set_root(position)
    search.run(FOREVER, iterations)
    return search


@pytest.mark.parametrize("kind", KINDS)
def test_tic_tac_toe_is_a_draw_from_late_positions(kind: str) -> None:
    game, position = board([("2", "2"), ("1", "1"), ("1", "2"), ("3", "2")])
    search = searched(game, position, 3000, KINDS[kind])
    assert search.is_proven
    assert search.root.values == [0.5, 0.5]
    explanation = search.explain(0)
    assert (explanation.value, explanation.candidates[0].proven, explanation.candidates[0].margin) == (50, True, 0)
    assert game.is_terminal(replay_from(game, position, explanation.line))


def test_a_win_is_taken_at_once_and_a_loss_is_put_off() -> None:
    # x wins at (1 3), and by a fork elsewhere too.
    game, position = board([("1", "1"), ("2", "1"), ("1", "2"), ("3", "3")])
    explanation = searched(game, position, 2000).explain(0)
    assert explanation.move == ("place", "1", "3")
    assert explanation.statistics["proven in"] == 1
    # x threatens two lines: o loses whatever it does, at once unless it blocks one of them.
    game, position = board([("1", "1"), ("2", "1"), ("1", "3"), ("2", "3"), ("2", "2")])
    explanation = searched(game, position, 2000).explain(1)
    assert explanation.value == 0
    assert explanation.statistics["proven in"] == 2


@pytest.mark.parametrize("kind", KINDS)
def test_nim_is_won_by_its_only_good_move(kind: str) -> None:
    game = ReferenceGame(load_rules("nim"))
    search = searched(game, game.initial_position(), 5000, KINDS[kind])
    assert search.is_proven
    assert search.explain(0).move == ("take", "a", "2")
    assert search.explain(0).value == 100


def test_a_proof_stays_when_the_match_goes_on_and_nothing_is_searched_again() -> None:
    game = ReferenceGame(load_rules("nim"))
    search = searched(game, game.initial_position(), 5000)
    position = game.initial_position()
    while not game.is_terminal(position):
        search.set_root(position)
        search.run(FOREVER, 5000)
        mine = search.explain(0).move
        position = game.next_position(position, (mine, search.explain(1).move))
    assert game.goal_values(position, 0) == ("100",)


def test_chance_is_averaged_exactly() -> None:
    game = reference(GAMBLE)
    search = searched(game, game.initial_position(), 500)
    assert search.is_proven
    values = {each.move: each.value for each in search.explain(0).candidates}
    assert values == {"high": pytest.approx(45), "wide": pytest.approx(43), "safe": pytest.approx(40)}
    assert search.explain(0).move == "high"


def test_each_of_three_roles_looks_at_its_own_goal() -> None:
    game = reference(THREE)
    search = searched(game, game.initial_position(), 500)
    assert search.is_proven
    assert search.root.values == pytest.approx([0.5, 0.3, 0.9])
    assert search.explain(0).line == (("r", "wait", "wait"), ("wait", "l", "wait"), ("wait", "wait", "r"))


@pytest.mark.parametrize("kind", KINDS)
def test_random_trees_have_the_value_that_backward_induction_gives(kind: str) -> None:
    for seed in range(40):
        game = TreeGame(seed)
        search = searched(game, (), 2000, KINDS[kind], seed)
        assert search.is_proven
        assert search.root.values == pytest.approx(game.solve()), seed


def test_a_forgetful_search_finds_the_same_values() -> None:
    collections = 0
    for seed in range(8):
        game = TreeGame(seed, depth=6)
        search = PlainSearch(game, seed=seed)
        search._room = 80_000
        search.set_root(())
        search.run(FOREVER, 5000)
        assert search.is_proven
        assert search.root.values == pytest.approx(game.solve()), seed
        collections += search.statistics.collections
    assert collections > 5


def test_memory_is_bounded_and_the_most_visited_is_kept() -> None:
    game = TreeGame(5, depth=40)
    search = PlainSearch(game, SearchOptions(memory=1, grave=True, horizon=20), 1)
    search.set_root(())
    sizes = []
    search.run(FOREVER, 1500, lambda: sizes.append(search._bytes + search._table_bytes))
    assert search.statistics.collections > 0
    assert max(sizes) < 1.1 * 2**20
    assert search.num_nodes > 50
    assert search.root.visits == search.statistics.descents


@pytest.mark.parametrize("mixing", [0.1, -1.0])
def test_rock_paper_scissors_is_mixed_evenly(mixing: float) -> None:
    game = ReferenceGame(load_rules("rock_paper_scissors"))
    search = searched(game, game.initial_position(), 3000, SearchOptions(mixing=mixing))
    visits = [each.visits for each in search.explain(0).candidates]
    assert sum(visits) == 3000
    assert all(0.25 < count / 3000 < 0.42 for count in visits)
    chosen = set()
    for seed in range(20):
        chosen.add(searched(game, game.initial_position(), 100, seed=seed).explain(1).move)
    assert len(chosen) == 3


def test_a_mixed_choice_leaves_out_what_was_only_tried() -> None:
    # One action dominates: the other is visited because of the mixing alone, and is never drawn.
    game = reference("""
        (role a) (role b) (init on) (legal a good) (legal a bad) (legal b x) (legal b y)
        (<= (next (won ?x)) (does a good) (does b ?x)) (<= terminal (not (true on)))
        (<= (goal a 90) (true (won ?x))) (<= (goal a 10) (not won)) (<= won (true (won ?x)))
        (<= (goal b 30) (true (won x))) (<= (goal b 20) (not (true (won x))))""")
    for seed in range(20):
        search = searched(game, game.initial_position(), 300, seed=seed)
        assert search.explain(0).move == "good"
        assert min(each.visits for each in search.explain(0).candidates) > 0


def test_where_all_that_several_roles_can_do_is_the_same_that_is_proven() -> None:
    game = reference(IDLE)
    search = searched(game, game.initial_position(), 500)
    assert search.is_proven
    assert [each.value for each in search.explain(1).candidates] == [70, 70]
    assert all(each.proven for each in search.explain(1).candidates)


def test_simultaneous_moves_with_chance_are_searched() -> None:
    game = reference(SIMULTANEOUS)
    for options in KINDS.values():
        search = searched(game, game.initial_position(), 300, options)
        assert search.statistics.descents == 300
        for role in range(3):
            explanation = search.explain(role)
            assert {each.move for each in explanation.candidates} == set(
                game.legal_moves(game.initial_position(), role)
            )
            replay_from(game, game.initial_position(), explanation.line)


def test_a_game_without_end_is_searched_for_so_many_descents() -> None:
    game = reference(ENDLESS)
    search = searched(game, game.initial_position(), 200, SearchOptions(horizon=30))
    assert search.statistics.descents == 200
    assert not search.is_proven
    assert search.num_nodes == 2
    assert 0.3 <= search.root.values[0] <= 0.7


def test_the_way_out_of_a_circle_is_found_and_proven() -> None:
    game = reference(ROUND)
    search = searched(game, game.initial_position(), 500, SearchOptions(horizon=30))
    assert search.is_proven
    assert [moves[0] for moves in search.explain(0).line] == ["on", "on", "leave"]


def test_a_position_in_which_a_role_has_no_move_is_an_end() -> None:
    game = reference(STUCK)
    search = searched(game, game.initial_position(), 500, SearchOptions(horizon=30))
    assert search.root.values[0] <= 0.4
    assert search.explain(0).value == pytest.approx(40)
    search = searched(game, game.position_of([("left", "0")]), 5)
    assert search.is_proven
    assert search.explain(0) is None


def test_a_root_that_is_terminal_is_proven_at_once() -> None:
    game, position = board([("1", "1"), ("2", "1"), ("1", "2"), ("2", "2"), ("1", "3")])
    search = searched(game, position, 5)
    assert search.is_proven
    assert search.root.values == [1, 0]
    assert search.statistics.descents == 0


def test_a_search_without_a_root_says_so() -> None:
    search = PlainSearch(reference(ENDLESS))
    assert not search.is_proven
    with pytest.raises(UsageError, match="set_root"):
        search.run(FOREVER, 1)


def test_what_is_known_of_a_position_is_kept_and_anything_else_forgotten() -> None:
    game, position = board([])
    search = searched(game, position, 400)
    moves = search.explain(0).line[0]
    after = game.next_position(position, moves)
    visits = next(each.visits for each in search.explain(0).candidates if each.move == moves[0])
    search.set_root(after)
    assert search.root.visits == visits
    assert search.statistics.descents == 0
    nodes = search.num_nodes
    search.run(FOREVER, 50)
    assert search.num_nodes > nodes
    search.set_root(game.position_of([*position, "nowhere"]))
    assert search.num_nodes == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_search_repeats_itself(kind: str) -> None:
    game, position = board([("1", "1")])
    explanations = [searched(game, position, 150, KINDS[kind], seed=3).explain(1) for _ in range(2)]
    assert explanations[0].candidates == explanations[1].candidates
    assert explanations[0].line == explanations[1].line
    other = searched(game, position, 150, KINDS[kind], seed=4).explain(1)
    assert other.candidates != explanations[0].candidates


def test_an_explanation_asked_for_twice_is_the_same() -> None:
    game = ReferenceGame(load_rules("rock_paper_scissors"))
    search = searched(game, game.initial_position(), 200)
    assert len({search.explain(0).move for _ in range(20)}) == 1


def test_an_explanation_tells_what_was_done() -> None:
    game, position = board([])
    search = searched(game, position, 200)
    explanation = search.explain(0)
    assert explanation.role == "x"
    assert {each.move for each in explanation.candidates} == set(game.legal_moves(position, 0))
    assert sum(each.visits for each in explanation.candidates) == 200
    assert explanation.candidates[0].visits == max(each.visits for each in explanation.candidates)
    rest = [each.value for each in explanation.candidates[1:]]
    assert rest == sorted(rest, reverse=True)
    assert all(0 < each.margin < 60 for each in explanation.candidates)
    assert explanation.line[0][0] == explanation.move
    statistics = explanation.statistics
    assert statistics["descents"] == 200
    assert statistics["playouts"] == statistics["visits"] <= 200
    assert statistics["nodes"] == search.num_nodes
    assert statistics["seconds"] > 0
    waiting = search.explain(1)
    assert [each.move for each in waiting.candidates] == ["wait"]
    assert waiting.value == pytest.approx(100 - 100 * search.root.values[0])


def test_the_caller_is_told_after_every_descent() -> None:
    game, position = board([])
    search = PlainSearch(game)
    search.set_root(position)
    told = []
    search.run(FOREVER, 20, lambda: told.append(search.explain(0).move))
    assert len(told) == 20


def test_without_time_there_are_moves_but_no_values() -> None:
    game, position = board([])
    search = PlainSearch(game)
    search.set_root(position)
    search.run(Deadline(0))
    explanation = search.explain(0)
    assert len(explanation.candidates) == 9
    assert {(each.value, each.margin, each.visits) for each in explanation.candidates} == {(None, None, 0)}
    assert explanation.line == ()


def test_a_descent_that_is_broken_off_leaves_no_trace() -> None:
    game = TreeGame(3, depth=6)
    for polls in range(0, 60, 4):
        search = PlainSearch(game, seed=polls)
        search.set_root(())
        before = game.calls.total()
        search.run(PollsLeft(polls))
        # Between two looks at the clock there are at most the questions of one step.
        assert game.calls.total() - before <= (polls + 1) * (len(game.roles) + 3)
        descents = search.statistics.descents
        assert search.root.visits == descents
        assert sum(action.count for actions in search.root.actions for action in actions) in (0, descents)
        if search.explain(0) is not None:
            assert sum(each.visits for each in search.explain(0).candidates) in (0, descents)
        search.run(FOREVER, 30_000)
        assert search.root.values == pytest.approx(game.solve())


def test_a_playout_that_takes_too_long_is_cut_and_worth_what_the_position_is() -> None:
    game = reference(ENDLESS)
    playouts = Playouts(game, PlainSearch(game).policy)
    assert playouts.play(game.initial_position(), FOREVER, 0).utilities == [0.3, 0.05]
    stuck = reference(STUCK)
    playouts = Playouts(stuck, PlainSearch(stuck).policy)
    assert playouts.play(stuck.initial_position(), FOREVER, 0).utilities == [0.5]
    # A game without end is searched within its time.
    search = PlainSearch(game, SearchOptions(horizon=10**9))
    search.set_root(game.initial_position())
    search.run(Deadline(0.8))
    assert search.statistics.descents > 0


def test_playouts_come_to_like_moves_that_do_well() -> None:
    game = reference(choice_sheet(10))
    search = PlainSearch(game, SearchOptions(mast=True, temperature=0.02), 1)
    playouts = Playouts(game, search.policy)
    drawn = [playouts.play(game.initial_position(), FOREVER).utilities[0] for _ in range(300)]
    assert sum(drawn[150:]) > 1.15 * sum(drawn[:20]) / 20 * 150
    even = Playouts(game, PlainSearch(game, seed=1).policy)
    counts = Counter(even.play(game.initial_position(), FOREVER).utilities[0] for _ in range(500))
    assert all(25 <= count <= 80 for count in counts.values())


def test_tables_hold_what_playouts_say_about_moves() -> None:
    game, position = board([("1", "1")])
    search = searched(game, position, 300, SearchOptions(grave=True))
    table = search.root.table
    assert table.playouts == search.statistics.playouts
    for (role, move), (count, mean) in table.entries.items():
        assert move[0] == "place"
        assert role in (0, 1)
        assert 0 < count <= table.playouts
        assert 0 <= mean <= 1
    # Every free square is some playout's move of either role.
    assert len(table.entries) == 16


def test_the_greatest_goal_of_a_role_is_read_from_the_rules() -> None:
    assert greatest_utilities(reference(ENDLESS)) == (0.7, 0.05)
    assert greatest_utilities(reference(GAMBLE)) == (1.0, 0.0)
    assert greatest_utilities(TreeGame(1)) == (1.0,) * 4
    # Who has the best there is need not look further.
    game = reference("""
        (role a) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
        (legal a stop) (<= (legal a (go ?x)) (true (at ?n)) (succ ?n ?m) (succ ?x ?y))
        (<= (next (at ?m)) (true (at ?n)) (succ ?n ?m) (does a (go ?x))) (<= (next (did ?x)) (does a (go ?x)))
        (<= (next (did ?x)) (true (did ?x))) (<= (next over) (does a stop)) (<= terminal (true over))
        (<= (goal a 60) (true over))""")
    search = searched(game, game.initial_position(), 200)
    assert search.is_proven
    assert search.explain(0).move == "stop"
    assert search.statistics.descents < 60


def replay_from(game: ReferenceGame, position: frozenset[GroundTerm], line: tuple[JointMove, ...]) -> object:
    """Return where a line leads; all its moves are legal."""
    for moves in line:
        assert all(move in game.legal_moves(position, role) for role, move in enumerate(moves))
        position = game.next_position(position, moves)
    return position
