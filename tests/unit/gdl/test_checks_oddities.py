"""Oddities of public rule sheets: each is read as it is meant, or refused with a clear message."""

from __future__ import annotations

import pytest

from woodstock.gdl.checks import check_sheet
from woodstock.gdl.sheet import decode, read_sheet

BASE = (
    "(role x)\n(init (at 1))\n(<= (legal x (go ?n)) (true (at ?n)))\n(<= (next (at 2)) (does x (go ?n)))\n"
    "(<= terminal (true (at 2)))\n(<= (goal x 100) (true (at 2)))\n(<= (goal x 0) (not (true (at 2))))\n"
)


def codes(data: bytes) -> list[str]:
    return [f"{problem.severity.value} {problem.code}" for problem in check_sheet(read_sheet(decode(data)))]


SURVIVED = {
    "CRLF line ends": BASE.replace("\n", "\r\n"),
    "CR line ends": BASE.replace("\n", "\r"),
    "form feed and vertical tab": BASE.replace("\n", "\n\f\v"),
    "byte order mark": "\ufeff" + BASE,
    "byte order mark inside": BASE + "\ufeff(<= (sees x p) (true (at 1)))",
    "comment at the end without newline": BASE + "; the end",
    "accents in comments": "; Züge für den Spieler\n" + BASE,
    "space after the parenthesis": BASE.replace("(", "( "),
    "no space before a parenthesis": BASE.replace(" (", "("),
    "upper case": BASE.upper(),
    "legal in a body": BASE + "(<= (sees x p) (legal x (go 1)))",
    "goal and terminal in a body": BASE + "(<= (sees x p) (goal x 100) terminal)",
    "or with three alternatives": BASE + "(<= (sees x p) (or (true (at 1)) (true (at 2)) terminal))",
    "operators as symbols": BASE + "(<= (sees x (+ - * / < >)) (true (at 1)))",
    "negative numbers": BASE + "(<= (sees x -5) (true (at 1)))",
    "symbol as constant and function": BASE + "(<= (sees x go) (does x (go 1)))",
    "constant in parentheses": BASE + "(<= (sees x (up)) (true (at 1)))",
    "relation in parentheses": BASE + "(<= (sees x q) (ready))\n(<= (ready) (true (at 1)))",
    "not distinct": BASE + "(<= (sees x ?n) (true (at ?n)) (not (distinct ?n 1)))",
    "distinct of compound terms": BASE + "(<= (sees x p) (true ?f) (distinct ?f (at 1)))",
    "bare word that a rule uses": BASE + "ready\n(<= (sees x p) ready)",
}


@pytest.mark.parametrize("oddity", SURVIVED)
def test_survived(oddity: str) -> None:
    text = SURVIVED[oddity]
    sheet = read_sheet(decode(text.encode()))
    assert check_sheet(sheet) == ()
    assert set(read_sheet(BASE).rules) <= set(sheet.rules)


def test_latin_1_is_read() -> None:
    assert codes(b"; caf\xe9\n" + BASE.encode()) == []


REPORTED = {
    "several arities": ("(<= (sees x p) (q 1) (q 1 2))\n(q 1)\n(q 1 2)", ["warning arity"]),
    "constant bare and in parentheses": ("(<= (sees x p) (true (at (1))))", ["warning mixed-parentheses"]),
    "relation bare and in parentheses": (
        "(<= (sees x p) ready)\n(<= (sees x q) (ready))\n(<= (ready) (true (at 1)))",
        ["warning mixed-parentheses"],
    ),
    "duplicate statement": ("(init (at 1))", ["warning duplicate"]),
    "rule without body": ("(<= (init (at 3)))", ["warning no-body"]),
    "comma in a word": ("(<= (sees x p) (q 8 9))\n(q 8 9)\n(q 8,9)", ["warning odd-character"]),
    "accents outside comments": ("(init (at café))", ["warning odd-character"]),
    "fact with variables": ("(<= (sees x p) (q 1))\n(q ?n)", ["error variable-in-fact"]),
    "rule without body, with variables": ("(<= (sees x p) (q 1))\n(<= (q ?n))", ["error variable-in-fact"]),
    "unbalanced": ("(init (at 3)))", ["error parentheses"]),
    "different case": ("(<= (sees x p) (true (At 1)))", ["warning capitalisation"]),
    "different case of a variable": ("(<= (sees x ?N) (true (at ?n)))", ["warning capitalisation"]),
    "true as head": ("(true (at 1))", ["error keyword-head"]),
    "does as head": ("(does x (go 1))", ["error keyword-head"]),
    "distinct as head": ("(distinct black white)", ["error keyword-head-aside"]),
    "not as head": ("(not (at 1))", ["error keyword-head-aside"]),
    "next in a body": ("(<= (sees x p) (next (at 2)))", ["error keyword-in-body"]),
    "and": ("(<= (sees x p) (or (and terminal (true (at 1))) (true (at 2))))", ["warning and"]),
    "list as name": ("((at 1))", ["error list-as-name"]),
    "double parentheses": ("(())", ["error list-as-name"]),
    "empty list in a rule": ("(<= (sees x p) ())", ["error empty-list"]),
    "empty list at top level": ("()", ["error empty-list"]),
    "empty or": ("(<= (sees x p) (or))", ["error empty-or"]),
    "variable as name": ("(<= (sees x p) (true (?f 1)))", ["error variable-as-name"]),
    "distinct of one constant": ("(<= (sees x p) (distinct a a))", ["warning constant-condition"]),
    "foreign comment": ("% neg examples", ["warning foreign-comment"]),
    "bare words": ("some words", ["warning bare-word"]),
    "unused extension": ("(<= (sees_xml x (at ?n)) (true (at ?n)))", []),
}


@pytest.mark.parametrize("oddity", REPORTED)
def test_reported(oddity: str) -> None:
    statement, expected = REPORTED[oddity]
    assert codes((BASE + statement).encode()) == expected


def test_binary_files_are_refused() -> None:
    assert codes(b"\x7fELF\x00\x01\x02" + BASE.encode()) == ["error binary"]
