"""The formatter: layout, comments, both notations."""

from __future__ import annotations

import pytest

from woodstock.gdl.diagnostics import GdlError
from woodstock.gdl.formatter import format_sheet
from woodstock.gdl.layout import WIDTH
from woodstock.gdl.sheet import Syntax, read_sheet


def formatted(text: str, to: Syntax | None = None) -> str:
    """Format a text, and make sure that formatting it once more changes nothing."""
    once = format_sheet(read_sheet(text), to)
    assert format_sheet(read_sheet(once, to)) == once
    return once


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("\n\n", ""),
        ("( role   x )", "(role x)\n"),
        ("(role x)(role o)", "(role x) (role o)\n"),
        ("(role x)\r\n\r\n\r\n(role o)\r", "(role x)\n\n(role o)\n"),
        ("(role\nx)", "(role x)\n"),
        ("terminal", "terminal\n"),
        ("(<=(p ?X)(q ?X)(r))", "(<= (p ?X) (q ?X) (r))\n"),
        ("(<= (p ?x)\n(q ?x))", "(<= (p ?x)\n    (q ?x))\n"),
        ("(<=\n(p a))", "(<= (p a))\n"),
        ("(role x) (<= p q) (role y)", "(role x)\n(<= p q)\n(role y)\n"),
        ("(<= p\n(OR a b))", "(<= p\n    (OR a b))\n"),
    ],
)
def test_layout(text: str, expected: str) -> None:
    assert formatted(text) == expected


def test_long_groups_are_broken() -> None:
    name = "x" * 40
    text = f"(<= (p {name}) (or (q {name} {name}) (r {name})) (not (and {name} {name} {name})))"
    assert formatted(text) == (
        f"(<= (p {name})\n"
        f"    (or (q {name} {name})\n"
        f"        (r {name}))\n"
        f"    (not (and {name}\n"
        f"              {name}\n"
        f"              {name})))\n"
    )
    assert formatted(f"(p (f {name} {name}) {name})") == f"(p\n  (f {name} {name})\n  {name})\n"


def test_facts_share_lines_up_to_the_width() -> None:
    facts = [f"(succ {number} {number + 1})" for number in range(100)]
    lines = formatted(" ".join(facts)).splitlines()
    assert " ".join(lines).split(") ") == " ".join(facts).split(") ")
    assert all(WIDTH - 20 < len(line) <= WIDTH for line in lines[:-1])


def test_comments_stay_where_they_are() -> None:
    text = """
;;; Title\t

; before
(role x) ; behind
   ; alone


(<= (p ?x) ; head
  ; first
  (q ?x)(r ?x) ; second
  ; last
  )
(s a) ; end"""
    assert (
        formatted(text)
        == """;;; Title

; before
(role x) ; behind
; alone

(<= (p ?x) ; head
    ; first
    (q ?x)
    (r ?x) ; second
    ; last
    )
(s a) ; end
"""
    )


def test_comments_in_odd_places() -> None:
    text = "( ; a\n<= ; b\n(p ; c\n?x) (or ; d\n(q ?x ; e\n) ; f\n(r ?x)) ; g\n)"
    assert formatted(text) == (
        "; a\n; b\n(<= (p ; c\n      ?x)\n    ; d\n    (or (q ?x) ; e\n        ; f\n        (r ?x))) ; g\n"
    )


def test_infix() -> None:
    text = """%  note
role(x). role(o).
p(X,_):-q( X ),~r(X)|not s.   % why
h :-
a &  % one
(b | c)
"""
    assert (
        formatted(text)
        == """%  note
role(x)
role(o)
p(X, _) :- ((q(X) & ~r(X)) | ~s) % why
h :-
    a & % one
    (b | c)
"""
    )


def test_conversion_keeps_comments_and_spelling() -> None:
    kif = """;; Title
(role Red) ; behind

(<= (nextCell ?myX 8,9)
    (true (at ?myX)) ; note
    (or (p) (not (Q ?myX)))
    ; last
    )
"""
    infix = """%% Title
role(red) % behind

nextCell(MyX, '8,9') :-
    true(at(MyX)) & % note
    (p | ~q(MyX))
% last
"""
    assert formatted(kif, "infix") == infix
    assert (
        formatted(infix, "kif")
        == """;; Title
(role red) ; behind

(<= (nextCell ?myX 8,9)
    (true (at ?myX)) ; note
    (or p (not (q ?myX))))
; last
"""
    )


def test_capitals_of_variables_are_given_up_in_kif() -> None:
    assert formatted("p(X, MoveCount, ABC, _, A1) :- q", "kif") == "(<= (p ?x ?moveCount ?abc ?_1 ?a1) q)\n"


def test_sheet_with_errors_is_refused() -> None:
    with pytest.raises(GdlError, match="never closed"):
        format_sheet(read_sheet("(role x"))
