"""The checker as a whole: all problems at once, in order, and which of them block."""

from __future__ import annotations

import pytest

from woodstock.games import bundled_game, game_names
from woodstock.gdl.checks import FORBIDDEN_ONLY, blocking, check_sheet
from woodstock.gdl.sheet import decode, read_sheet

MANY_PROBLEMS = """\
(role x)
(role (y))
(init (step 1)
(init (step 2))
(<= (legal ?r (go 1)) (true (step 1)))
(<= (next (step 2)) (not (p ?a) q) (does x (go 1)) (?rel 2))
(<= (legal x stop) (not (legal x stop)))
(<= terminal (true (step 2))))
(goal x 200)
"""


def test_all_problems_at_once() -> None:
    found = check_sheet(read_sheet(MANY_PROBLEMS, "kif"))
    places = [(problem.source.position(problem.span.start)[0], problem.code) for problem in found]
    assert places == [
        (3, "parentheses"),
        (5, "unsafe"),
        (6, "not"),
        (6, "variable-as-name"),
        (7, "unstratified"),
        (8, "parentheses"),
        (9, "goal-value"),
    ]


def test_problems_are_sorted_and_unique() -> None:
    found = check_sheet(read_sheet(MANY_PROBLEMS, "kif"))
    assert [problem.span.start for problem in found] == sorted(problem.span.start for problem in found)
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("name", game_names())
def test_bundled_games_have_no_problem(name: str) -> None:
    assert check_sheet(read_sheet(decode(bundled_game(name).read_rules(), name))) == ()


def test_infix_sheets_are_checked_and_shown_in_infix() -> None:
    text = """role(x)
init(p(1))
legal(R, go) :- true(p(1)) & ~q(R, Y)
next(p(2)) :- does(x, go)
terminal :- true(p(2))
goal(x, 100)
q(a, b)
"""
    (problem,) = check_sheet(read_sheet(text, "infix"))
    assert problem.source.position(problem.span.start) == (3, 7)
    assert "~q(R, Y)" in problem.message
    assert "role(R)" in problem.hint


@pytest.mark.parametrize(
    ("statement", "blocks"),
    [
        ("(<= (legal ?r a) (true p))", True),
        ("(<= (legal x a) helper) (<= helper (not helper))", True),
        ("(<= (legal x a) (helper ?n)) (helper ?x)", True),
        ("(<= (legal x a) (true p)", True),
        ("(true p)", True),
        ("(does x b)", True),
        ("(<= (legal x a) (true p q))", True),
        ("(<= (legal x a) (knows x p))", True),
        ("(<= (sees x p) (next p))", False),
        ("(<= (goal x 7) (not (goal x 1)))", False),
        ("(<= (base (at ?n)) (true p))", False),
        ("(<= helper (not helper))", False),
        ("(distinct a b)", False),
        ("(<= (legal x a) (does x a))", False),
        ("(goal x 1000)", False),
        ("(<= (num (s ?n)) (num ?n))", False),
        ("(<= (legal x a) (not (or (true p) (true q))))", False),
    ],
)
def test_blocking(check, statement: str, blocks: bool) -> None:
    good = "(role x)(init p)(<= (legal x b) (true p))(<= (next q) (does x b))(<= terminal (true q))(goal x 1)"
    found = check_sheet(read_sheet(good + "\n" + statement, "kif"))
    errors = [problem for problem in found if problem.is_error]
    assert errors
    assert bool(blocking(found)) == blocks


def test_every_code_that_does_not_block_is_met(check) -> None:
    text = """(<= (sees x (num ?n)) (num ?n) (next p) (not (not (q ?n))))
        (<= (num (s ?n)) (num ?n)) (<= (goal x and) (not (goal x 1))) (<= (init p) (true p))"""
    found = {problem.code for problem in check(text)} | {problem.code for problem in check("(role y)", alone=True)}
    assert found >= FORBIDDEN_ONLY


def test_warnings_never_block() -> None:
    found = check_sheet(read_sheet("(role x)(role x)(init p)(<= (legal x b) (true p))(<= terminal (q))(goal x 1)"))
    assert {problem.severity.value for problem in found} == {"warning"}
    assert blocking(found) == ()


def test_messages_have_a_readable_length() -> None:
    text = "(<= (p " + " ".join(f"?variable{n}" for n in range(5000)) + ") (q " + "a" * 5000 + "))"
    assert all(len(problem.message) < 1000 for problem in check_sheet(read_sheet(text)))
