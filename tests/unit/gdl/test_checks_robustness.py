"""Absurd input: an answer or a message, never an exception, and no time that grows with the square of the size.

Sizes are such that anything quadratic would take a minute or more, so no clock is needed to notice.
"""

from __future__ import annotations

import random
import re

import pytest

from woodstock.games import bundled_game
from woodstock.gdl.checks import check_sheet
from woodstock.gdl.repair import bind_role_variables
from woodstock.gdl.sheet import decode, read_sheet

N = 4_000
RULES = decode(bundled_game("tic_tac_toe").read_rules()).text

HUGE = {
    "opening parentheses": "(" * 100_000,
    "closing parentheses": ")" * 100_000,
    "empty lists": "()" * 20_000,
    "stray parentheses between words": "a ) " * 10_000,
    "unclosed lines": "(p a\n" * 10_000,
    "unclosed rules": "(<= (p ?x) (q ?x)\n" * N,
    "rules closed too early": "(<= (p ?x) (q ?x)) (r ?x))\n" * N,
    "nested arrows": "(<= " * 10_000,
    "many relations": "".join(f"(p{n} a)\n" for n in range(N)),
    "many undefined relations": "".join(f"(<= (p{n} ?x) (q{n} ?x))\n" for n in range(N)),
    "a long chain": "".join(f"(<= (p{n} ?x) (p{n + 1} ?x))\n" for n in range(N)),
    "a long negative cycle": "".join(f"(<= (p{n} ?x) (d ?x) (not (p{(n + 1) % N} ?x)))\n" for n in range(N)),
    "many dependences": "".join(f"(<= (legal r m{n}) h{n})(<= h{n} h{n + 1})" for n in range(N // 2))
    + f"(<= h{N // 2} (does r x))",
    "a wide disjunction": "(<= (p ?x) (or " + " ".join(f"(q{n} ?x)" for n in range(N)) + "))",
    "a wide body": "(<= (p ?x) " + " ".join(f"(q{n} ?x{n})" for n in range(N)) + ")",
    "many unbound variables": "(<= (p ?x) " + " ".join(f"(not (q{n} ?x{n}))" for n in range(N)) + ")",
    "many variables": "(<= (p " + " ".join(f"?variable{n}" for n in range(N)) + ") (q "
    + " ".join(f"?variabel{n}" for n in range(N)) + "))",
    "one fact many times": "(p a)\n" * N,
    "many spellings": "".join(f"(Name{n} a)(nAme{n} b)" for n in range(N // 2)),
    "a long word": "a" * 1_000_000,
    "a long goal": "(role r)(goal r " + "9" * 100_000 + ")",
    "many disjunctions": "(<= p " + "(or a b) " * 200 + ")",
}  # fmt: skip


@pytest.mark.parametrize("kind", HUGE)
def test_huge_sheets(kind: str) -> None:
    sheet = read_sheet(HUGE[kind], "kif")
    found = check_sheet(sheet)
    assert any(problem.is_error for problem in found)
    found[0].render()
    bind_role_variables(sheet.rules)


def test_terms_may_be_nested_a_hundred_deep() -> None:
    text = "(init " + "(f " * 98 + "a" + ")" * 98 + ")"
    assert [problem.code for problem in check_sheet(read_sheet(text)) if problem.code == "nesting"] == []


@pytest.mark.parametrize("seed", range(40))
def test_damaged_sheets(seed: int) -> None:
    chance = random.Random(seed)
    words = re.findall(r"[()]|[^\s()]+|\s+", RULES)
    for _ in range(chance.randrange(1, 8)):
        first = chance.randrange(len(words))
        last = first + chance.randrange(1, 40)
        piece = words[first:last]
        match chance.randrange(4):
            case 0:
                del words[first:last]
            case 1:
                words[first:first] = piece
            case 2:
                chance.shuffle(piece)
                words[first:last] = piece
            case 3:
                words[first] = chance.choice(["(", ")", "?x", "<=", ";", "\x00", "é", "not", "()", ","])
    for problem in check_sheet(read_sheet("".join(words), "kif")):
        assert problem.render()
