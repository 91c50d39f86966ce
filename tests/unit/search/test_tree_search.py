from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from naive.search_tree import find_faults, keeps_value, solve
from woodstock.circuit.game import CircuitGame, CircuitPosition
from woodstock.circuit.network import Int32Array
from woodstock.circuit.packing import pack, unpack
from woodstock.circuit.words import WordArray
from woodstock.circuit.zobrist import find_keys
from woodstock.common.errors import UsageError
from woodstock.common.jit import JIT_DISABLED
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.gdl import parse_rules
from woodstock.ground import ground
from woodstock.search import tree as layout
from woodstock.search import tree_search as module
from woodstock.search.advice import advise
from woodstock.search.evaluation import find_log_odds, make_model
from woodstock.search.history import CAUTION, MEMORY
from woodstock.search.options import SearchOptions
from woodstock.search.tree_search import TreeSearch

# A coin is tossed after you have chosen: `safe` brings 60 for sure, `risky` 100 or 30, `bad` 40 or 10.
GAMBLE = """
(role random) (role you) (init start)
(<= (legal you safe) (true start)) (<= (legal you risky) (true start)) (<= (legal you bad) (true start))
(<= (legal you noop) (true (chose ?x)))
(<= (legal random noop) (true start))
(<= (legal random heads) (true (chose ?x))) (<= (legal random tails) (true (chose ?x)))
(<= (next (chose ?x)) (does you ?x) (true start))
(<= (next (got ?x ?c)) (true (chose ?x)) (does random ?c))
(<= terminal (true (got ?x ?c)))
(<= (goal you 60) (true (got safe ?c)))
(<= (goal you 100) (true (got risky heads))) (<= (goal you 30) (true (got risky tails)))
(<= (goal you 40) (true (got bad heads))) (<= (goal you 10) (true (got bad tails)))
(goal random 0)
"""

# Everyone names a number; who names one that nobody else does gets 100. 20 * 20 * 20 combinations are too many to keep.
UNIQUE = """
(role a) (role b) (role c) (init start)
(number 1) (number 2) (number 3) (number 4) (number 5) (number 6) (number 7) (number 8) (number 9) (number 10)
(number 11) (number 12) (number 13) (number 14) (number 15) (number 16) (number 17) (number 18) (number 19) (number 20)
(<= (legal ?r ?n) (role ?r) (number ?n) (true start))
(<= (next (named ?r ?n)) (does ?r ?n))
(<= terminal (true (named ?r ?n)))
(<= (shared ?r) (true (named ?r ?n)) (true (named ?q ?n)) (distinct ?r ?q))
(<= (goal ?r 0) (shared ?r))
(<= (goal ?r 100) (role ?r) (not (shared ?r)))
"""

# A walk without an end, but for the door.
CIRCLE = """
(role you) (init (at 1)) (step 1 2) (step 2 3) (step 3 1)
(legal you on) (<= (legal you leave) (true (at 3))) (legal you stay)
(<= (next (at ?y)) (does you on) (true (at ?x)) (step ?x ?y))
(<= (next (at ?x)) (does you stay) (true (at ?x)))
(<= (next out) (does you leave))
(<= terminal (true out)) (<= (goal you 70) (true out)) (<= (goal you 0) (not (true out)))
"""


NOT_A_LEAF = layout.EXPANDED | layout.PROVEN


def make_game(text: str) -> CircuitGame:
    return CircuitGame(ground(parse_rules(text)))


@pytest.fixture(scope="module")
def tic_tac_toe() -> CircuitGame:
    return CircuitGame(ground(load_rules("tic_tac_toe")))


@pytest.fixture(scope="module")
def nim() -> CircuitGame:
    return CircuitGame(ground(load_rules("nim")))


def search_from(
    game: CircuitGame, position: CircuitPosition | None = None, iterations: int | None = None, **options: object
) -> TreeSearch:
    search = TreeSearch(game, SearchOptions(**{"memory": 16, **options}), seed=1)  # type: ignore[arg-type]
    search.set_root(game.initial_position() if position is None else position)
    search.run(Deadline(None), iterations)
    return search


def visits_below(search: TreeSearch) -> list[int]:
    """Return how often each child of the root was visited."""
    tree = search.tree
    first, num = tree.nodes[search.root, [layout.FIRST_CHILD, layout.NUM_CHILDREN]].tolist()
    return [int(tree.nodes[child, layout.VISITS]) for child in tree.children[first : first + num]]


@pytest.mark.skipif(JIT_DISABLED, reason="thousands of positions without the compiler")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"grave": True},
        {"mast": True},
        {"threads": 2},
        {"descents": 1, "samples": 1},
        {"trust": 8.0},
        {"foresight": 1},
        {"foresight": 2, "grave": True, "mast": True},
    ],
)
def test_tic_tac_toe_is_solved(tic_tac_toe: CircuitGame, options: dict[str, object]) -> None:
    search = search_from(tic_tac_toe, **options)
    assert search.is_proven
    assert search.tree.values[search.root].tolist() == [0.5, 0.5]
    assert find_faults(search) == []


@pytest.mark.parametrize(
    ("trust", "heard"),
    [
        (0.0, None),
        (8.0, None),
        (0.0, {"samples": 0, "minimax": True}),
        (8.0, {"hearing": 0.6}),
        (0.0, {"hearing": 0.6, "favourites": 2}),
        (8.0, {"hearing": 0.2, "favourites": 1, "threads": 2}),
    ],
)
@pytest.mark.parametrize("name", ["nim", "tic_tac_toe"])
def test_values_and_moves_are_exact_in_any_position(
    name: str, trust: float, heard: dict[str, Any] | None, request: pytest.FixtureRequest
) -> None:
    game: CircuitGame = request.getfixturevalue(name)
    random = Random(3)
    for _ in range(4 if JIT_DISABLED else 12):
        position = game.initial_position()
        steps = random.randrange(3, 7) if name == "tic_tac_toe" else random.randrange(4)
        for _ in range(steps):
            if not game.is_terminal(position):
                moves = [random.choice(game.legal_moves(position, role)) for role in range(2)]
                position = game.next_position(position, moves)
        if game.is_terminal(position):
            continue
        known: dict[object, tuple[float, ...]] = {}
        values = solve(game, position, known)
        search = search_from(game, position, trust=trust)
        if heard is not None:
            model = make_model(game.program.num_fluents, [True, True])
            search = TreeSearch(game, SearchOptions(memory=16, trust=trust, **heard), 1, model=model)
            search.set_root(position)
            search.run(Deadline(None))
        assert (100 * search.tree.values[search.root]).tolist() == pytest.approx(list(values))
        role = next((role for role in range(2) if len(game.legal_moves(position, role)) > 1), None)
        if role is not None:
            advice = advise(search, role)
            assert advice is not None
            assert advice.candidates[0].proven
            assert keeps_value(game, position, role, advice.move, known)


def test_advantages_are_means_over_expanded_nodes(nim: CircuitGame) -> None:
    """Of one node, the first: what each child is worth beyond the mean of all, shrunk as by ten nodes without any."""
    search = search_from(nim, iterations=1, trust=8.0)
    tree, root = search.tree, search.root
    first, num = tree.nodes[root, layout.FIRST_ACTION], tree.nodes[root, layout.NUM_ACTIONS]
    children = tree.children[tree.nodes[root, layout.FIRST_CHILD] : tree.nodes[root, layout.FIRST_CHILD] + num]
    values = tree.values[children, tree.nodes[root, layout.CHOOSER]]
    expected = (values - values.mean()) / (CAUTION + 1)
    assert search.policy.advantages[tree.actions[first : first + num, layout.MOVE]] == pytest.approx(expected)
    assert search.policy.times_seen.sum() == num
    search.run(Deadline(None), 400)
    assert (search.policy.times_seen <= MEMORY).all()
    assert np.abs(search.policy.advantages).max() > 0.02


def test_a_tree_is_what_the_game_says(nim: CircuitGame) -> None:
    for options in ({"descents": 1}, {"descents": 16}, {"spread": 2}, {"grave": True}):
        assert find_faults(search_from(nim, iterations=60, **options)) == []


def test_the_same_iterations_and_seed_give_the_same_tree(nim: CircuitGame) -> None:
    one, other = (search_from(nim, iterations=80) for _ in range(2))
    assert one.num_nodes == other.num_nodes
    assert np.array_equal(one.tree.nodes, other.tree.nodes)
    assert np.array_equal(one.tree.values, other.tree.values)


def test_iterations_are_descents(nim: CircuitGame) -> None:
    assert search_from(nim, iterations=7).statistics.descents == 7


def test_chance_is_averaged_exactly() -> None:
    game = make_game(GAMBLE)
    search = search_from(game)
    assert search.is_proven
    assert search.tree.values[search.root, 1] == pytest.approx(0.65)
    advice = advise(search, 1)
    assert advice is not None
    assert [(each.move, each.value) for each in advice.candidates] == [
        ("risky", pytest.approx(65)),
        ("safe", pytest.approx(60)),
        ("bad", pytest.approx(25)),
    ]
    assert find_faults(search) == []


def test_roles_that_move_at_once_mix_their_moves() -> None:
    game = CircuitGame(ground(load_rules("rock_paper_scissors")))
    search = search_from(game, iterations=20_000)
    for role in range(2):
        counts = {each.move: each.visits for each in advise(search, role).candidates}  # type: ignore[union-attr]
        assert all(0.2 < count / sum(counts.values()) < 0.5 for count in counts.values()), counts
    drawn = Counter(advise(search, 0, Random(seed)).move for seed in range(60))  # type: ignore[union-attr]
    assert len(drawn) == 3
    assert find_faults(search) == []


def test_combinations_that_are_too_many_are_not_kept() -> None:
    game = make_game(UNIQUE)
    search = search_from(game, iterations=300)
    assert search.tree.nodes[search.root, layout.CHOOSER] == layout.MATRIX
    assert find_faults(search) == []
    advice = advise(search, 2, Random(1))
    assert advice is not None
    assert len(advice.candidates) == 20
    assert sum(each.visits for each in advice.candidates) == 299  # the first descent finds out what there is


def test_play_may_go_in_circles() -> None:
    game = make_game(CIRCLE)
    search = search_from(game, iterations=400, horizon=50)
    advice = advise(search, 0)
    assert advice is not None
    assert advice.value == pytest.approx(70, abs=25)
    assert find_faults(search) == []


def test_three_roles_each_look_at_their_own_goal() -> None:
    game = make_game("""
    (role a) (role b) (role c) (init (turn a))
    (<= (legal ?r l) (true (turn ?r))) (<= (legal ?r r) (true (turn ?r)))
    (<= (legal ?r noop) (role ?r) (true (turn ?q)) (distinct ?r ?q))
    (<= (next (turn b)) (true (turn a))) (<= (next (turn c)) (true (turn b))) (<= (next over) (true (turn c)))
    (<= (next (did ?r ?m)) (does ?r ?m) (true (turn ?r))) (<= (next (did ?r ?m)) (true (did ?r ?m)))
    (<= terminal (true over))
    (<= (goal a 90) (true (did b l))) (<= (goal a 20) (true (did b r)) (true (did a l)))
    (<= (goal a 40) (true (did b r)) (true (did a r)))
    (<= (goal b 61) (true (did c l)) (true (did b l))) (<= (goal b 59) (true (did c l)) (true (did b r)))
    (<= (goal b 50) (true (did c r)) (true (did b r)))
    (<= (goal b 10) (true (did c r)) (true (did b l)))
    (<= (goal c 100) (true (did c r)) (true (did a r))) (<= (goal c 10) (true (did c l)) (true (did a r)))
    (<= (goal c 30) (true (did c l)) (true (did a l))) (<= (goal c 20) (true (did c r)) (true (did a l)))
    """)
    position = game.initial_position()
    search = search_from(game)
    assert search.is_proven
    assert (100 * search.tree.values[search.root]).tolist() == pytest.approx(list(solve(game, position, {})))


def test_what_is_known_is_kept_from_move_to_move(nim: CircuitGame) -> None:
    search = search_from(nim, iterations=100)
    start = nim.initial_position()
    move = advise(search, 0).move  # type: ignore[union-attr]
    after = nim.next_position(start, [move, *nim.legal_moves(start, 1)])
    before = search.num_nodes
    search.set_root(after)
    assert search.num_nodes == before
    assert search.tree.nodes[search.root, layout.VISITS] > 1
    search.set_root(nim.position_of([]))  # a position that nobody has seen: everything is forgotten
    assert search.num_nodes == 1


@pytest.mark.skipif(JIT_DISABLED, reason="a full memory takes thousands of positions")
@pytest.mark.parametrize("grave", [False, True])
def test_without_time_for_a_collection_a_new_position_is_searched_all_the_same(
    grave: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "COLLECTION_SECONDS", 1e9)
    game = CircuitGame(ground(load_rules("breakthrough_small")))
    search = TreeSearch(game, SearchOptions(memory=1, samples=1, spread=4, grave=grave), seed=2)
    position = game.initial_position()
    search.set_root(position)
    search.run(Deadline(1000), 1_000_000)
    assert 0 < search.statistics.descents < 1_000_000  # there was no room left, and nothing old to forget
    assert find_faults(search) == []
    for _ in range(3):
        position = game.next_position(position, [game.legal_moves(position, role)[0] for role in range(2)])
        search.set_root(position)
        search.run(Deadline(1000), 50)
        assert search.statistics.descents == 50
        assert find_faults(search) == []


@pytest.mark.skipif(JIT_DISABLED, reason="a full memory takes thousands of positions")
@pytest.mark.parametrize("grave", [False, True])
@pytest.mark.parametrize("share", [0.02, 0.4])
def test_a_collection_keeps_what_was_visited_most(share: float, grave: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    game = CircuitGame(ground(load_rules("breakthrough_small")))
    search = TreeSearch(game, SearchOptions(memory=8, samples=1, grave=grave), seed=2)
    search.set_root(game.initial_position())
    search.run(Deadline(None), 3000)
    monkeypatch.setattr(module, "KEPT_SHARE", share * search._use())
    before = search.num_nodes
    visits = visits_below(search)
    search.collect()
    assert search.num_nodes <= share * before * 1.2
    assert visits_below(search) == visits
    assert find_faults(search) == []
    search.run(Deadline(None), search.statistics.descents + 100)
    assert find_faults(search) == []


@pytest.mark.skipif(JIT_DISABLED, reason="a full memory takes thousands of positions")
@pytest.mark.parametrize("grave", [False, True])
def test_memory_is_collected_when_it_is_full(grave: bool) -> None:
    game = CircuitGame(ground(load_rules("connect_four")))
    search = TreeSearch(game, SearchOptions(memory=1, grave=grave), seed=2)
    search.set_root(game.initial_position())
    search.run(Deadline(None), 6000)
    assert search.statistics.collections > 0
    assert search.num_nodes <= len(search.tree.nodes)
    assert search.tree.nodes[search.root, layout.VISITS] > 5000
    assert find_faults(search) == []
    if grave:
        used = search.tree.nodes[: search.num_nodes, layout.TABLE]
        used = used[used != layout.NO_TABLE]
        assert len(set(used.tolist())) == len(used) == search.tree.sizes[layout.NUM_TABLES]


def test_an_explanation_names_moves_values_and_the_line(tic_tac_toe: CircuitGame) -> None:
    start = tic_tac_toe.initial_position()
    position = start
    for moves in (
        [("place", "1", "1"), "wait"],
        ["wait", ("place", "3", "2")],
        [("place", "2", "2"), "wait"],
        ["wait", ("place", "3", "1")],
    ):
        position = tic_tac_toe.next_position(position, moves)
    search = search_from(tic_tac_toe, position)
    advice = advise(search, 0)
    assert advice is not None
    assert advice.candidates[0].move == ("place", "3", "3")
    assert advice.candidates[0].value == 100
    assert advice.candidates[0].proven
    assert advice.line == ((("place", "3", "3"), "wait"),)
    assert advice.statistics["proven in"] == 1
    assert advise(search, 1) is None


def test_options_are_checked() -> None:
    with pytest.raises(UsageError, match="samples must be 0 or more, found -1"):
        SearchOptions(samples=-1)
    with pytest.raises(UsageError, match="foresight must be 0, 1 or 2, found 3"):
        SearchOptions(foresight=3)


def test_playouts_with_foresight_are_made_where_there_are_such(tic_tac_toe: CircuitGame) -> None:
    hex_small = CircuitGame(ground(load_rules("hex_small")))
    for game, has_such in ((tic_tac_toe, True), (hex_small, False)):
        search = search_from(game, iterations=4, foresight=2)
        assert (search._runner.circuit is not game.circuit) == has_such


def test_without_playouts_and_evaluation_nothing_is_known(nim: CircuitGame) -> None:
    with pytest.raises(UsageError, match="an evaluation is needed"):
        TreeSearch(nim, SearchOptions(samples=0))
    with pytest.raises(UsageError, match="no evaluation to hear"):
        TreeSearch(nim, SearchOptions(hearing=0.5))
    with pytest.raises(UsageError, match="hearing must be between 0 and 1, found 2"):
        SearchOptions(hearing=2)
    with pytest.raises(UsageError, match="favourites must be 0, found 3: no evaluation is heard"):
        SearchOptions(favourites=3)


def test_values_are_those_of_the_best_children(nim: CircuitGame) -> None:
    """With an evaluation and without playouts a tree is that of minimax, whatever the evaluation says."""
    model = make_model(nim.program.num_fluents, [True, True], is_shared=True)
    model.weights[:] = np.random.default_rng(2).normal(size=model.weights.shape)
    search = TreeSearch(nim, SearchOptions(samples=0, minimax=True, memory=16), seed=1, model=model)
    search.set_root(nim.initial_position())
    search.run(Deadline(None), 60)
    assert search.statistics.playouts == 0
    assert not search.is_proven
    assert find_faults(search) == []
    tree = search.tree
    expected = 1 / (1 + np.exp(-find_log_odds(model, tree.rows[: search.num_nodes])))
    leaves = [node for node in range(search.num_nodes) if not tree.nodes[node, layout.FLAGS] & NOT_A_LEAF]
    assert len(leaves) > 10
    assert tree.values[leaves] == pytest.approx(expected[leaves])
    # A node hears of what changes below it along one path only; all paths come from the root.
    root = search.root
    below = tree.children[tree.nodes[root, layout.FIRST_CHILD] :][: tree.nodes[root, layout.NUM_CHILDREN]]
    role = int(tree.nodes[root, layout.CHOOSER])
    assert tree.values[root, role] == pytest.approx(max(tree.values[child, role] for child in below))


@pytest.mark.parametrize("text", ["nim", "tic_tac_toe", GAMBLE])
def test_beside_playouts_the_evaluation_is_carried_up_by_minimax(text: str) -> None:
    """Values are means of playouts, as ever; what actions are worth is a mixture of both."""
    game = make_game(text) if text == GAMBLE else CircuitGame(ground(load_rules(text)))
    model = make_model(game.program.num_fluents, [role != "random" for role in game.roles])
    model.weights[:] = np.random.default_rng(2).normal(size=model.weights.shape)
    # One node for each descent, so that all are told of what changes below them, and no exact values but those of ends.
    options = SearchOptions(hearing=0.6, samples=2, descents=1, memory=16)
    search = TreeSearch(game, options, seed=1, model=model)
    search.set_root(game.initial_position())
    search.run(Deadline(None), 2 if text == GAMBLE else 12)
    assert find_faults(search) == []
    tree = search.tree
    nodes = tree.nodes[: search.num_nodes]
    expected = 1 / (1 + np.exp(-find_log_odds(model, tree.rows[: search.num_nodes])))
    checked = Counter[str]()
    for node in range(search.num_nodes):
        chooser = int(nodes[node, layout.CHOOSER])
        first, size = nodes[node, [layout.FIRST_CHILD, layout.NUM_CHILDREN]].tolist()
        below = tree.children[first : first + size]
        if nodes[node, layout.FLAGS] & layout.PROVEN:
            continue
        if not nodes[node, layout.FLAGS] & layout.EXPANDED:
            if node != search.root:
                assert tree.judged[node] == pytest.approx(expected[node])
                checked["leaves"] += 1
        elif chooser == layout.NATURE:
            assert tree.judged[node] == pytest.approx(tree.judged[below].mean(axis=0))
            checked["nature"] += 1
        elif chooser >= 0:
            best = below[tree.judged[below, chooser].argmax()]
            assert tree.judged[node] == pytest.approx(tree.judged[best])
            action = nodes[node, layout.FIRST_ACTION]
            for number, child in enumerate(below):
                exact = bool(nodes[child, layout.FLAGS] & layout.PROVEN)
                share = 0.0 if exact else options.hearing
                mixture = (1 - share) * tree.values[child, chooser] + share * tree.judged[child, chooser]
                assert tree.estimates[action + number, layout.MEAN] == pytest.approx(mixture, abs=1e-6)
            checked["choices"] += 1
    assert checked["choices"] >= 1
    assert checked["leaves"] >= 1


@pytest.mark.parametrize("favourites", [1, 2, 5])
def test_the_favourites_of_the_evaluation_are_sampled_first(tic_tac_toe: CircuitGame, favourites: int) -> None:
    model = make_model(tic_tac_toe.program.num_fluents, [True, True], is_shared=True)
    model.weights[:] = np.random.default_rng(2).normal(size=model.weights.shape)
    options = SearchOptions(hearing=0.5, favourites=favourites, samples=4, descents=1, memory=16)
    search = TreeSearch(tic_tac_toe, options, seed=1, model=model)
    search.set_root(tic_tac_toe.initial_position())
    tree = search.tree

    def children_of(node: int) -> Int32Array:
        first, size = tree.nodes[node, [layout.FIRST_CHILD, layout.NUM_CHILDREN]].tolist()
        found: Int32Array = tree.children[first : first + size]
        return found

    search.run(Deadline(None), 1)
    assert search.statistics.playouts == 4 * favourites
    below = children_of(search.root)
    expected = 1 / (1 + np.exp(-find_log_odds(model, tree.rows[: search.num_nodes])))
    assert tree.judged[below] == pytest.approx(expected[below])
    sampled = tree.nodes[below, layout.VISITS] > 0
    role = int(tree.nodes[search.root, layout.CHOOSER])
    assert sampled.sum() == favourites
    assert expected[below][sampled, role].min() >= expected[below][~sampled, role].max()
    # The best of all is what is carried up, sampled or not; the others are sampled when a descent comes to them.
    assert tree.judged[search.root, role] == pytest.approx(expected[below, role].max())
    search.run(Deadline(None), 40)
    assert find_faults(search) == []
    assert search.statistics.playouts <= 4 * favourites * search.statistics.descents
    waiting = (tree.nodes[: search.num_nodes, layout.VISITS] == 0).sum()
    assert waiting > 0
    search.run(Deadline(None))
    assert search.is_proven
    assert tree.values[search.root].tolist() == [0.5, 0.5]


def mirror_keys(game: CircuitGame) -> Callable[[WordArray], WordArray]:
    """Return keys that tic-tac-toe's positions share with their mirror images, (x, y) and (y, x)."""
    index = game.program.fluent_index
    image = [index[(f[0], f[2], f[1], *f[3:])] if len(f) > 3 else index[f] for f in game.program.fluents]  # type: ignore[index]

    def find(rows: WordArray) -> WordArray:
        bits = unpack(rows, game.program.num_fluents)
        turned = np.zeros_like(bits)
        turned[:, image] = bits
        keys = np.empty((2, len(rows)), np.uint64)
        for number, each in enumerate((bits, turned)):
            find_keys(game.keys, pack(each), keys[number])
        return keys.min(axis=0)

    return find


@pytest.mark.skipif(JIT_DISABLED, reason="thousands of positions without the compiler")
@pytest.mark.parametrize("options", [{}, {"grave": True}, {"descents": 1}])
def test_symmetric_positions_have_one_node(tic_tac_toe: CircuitGame, options: dict[str, object]) -> None:
    plain = search_from(tic_tac_toe, **options)
    merged = TreeSearch(tic_tac_toe, SearchOptions(memory=16, **options), 1, mirror_keys(tic_tac_toe))  # type: ignore[arg-type]
    start = tic_tac_toe.initial_position()
    merged.set_root(start)
    merged.run(Deadline(None))
    assert merged.is_proven
    assert merged.tree.values[merged.root].tolist() == [0.5, 0.5]
    assert merged.num_nodes < 0.75 * plain.num_nodes
    first, size = merged.tree.nodes[merged.root, :2].tolist()
    children = merged.tree.children[merged.tree.nodes[merged.root, layout.FIRST_CHILD] :][:size]
    assert len(set(children.tolist())) == 6  # nine squares, six of them different
    twins = merged.tree.actions[first : first + size, layout.COUNT] == 1
    assert twins.sum() >= 3
    advice = advise(merged, 0)
    assert advice is not None
    assert {each.move for each in advice.candidates} == set(tic_tac_toe.legal_moves(start, 0))
    for moves in ([("place", "1", "2"), "wait"], [("place", "2", "1"), "wait"]):
        merged.set_root(tic_tac_toe.next_position(start, moves))
        merged.run(Deadline(None))
        assert merged.is_proven
        answer = advise(merged, 1)
        assert answer is not None
        assert answer.move in tic_tac_toe.legal_moves(tic_tac_toe.next_position(start, moves), 1)
        assert answer.value == 50
