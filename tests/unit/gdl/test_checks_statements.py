"""Duplicates, rules without bodies, connectives, and characters."""

from __future__ import annotations

import pytest


def test_duplicate_fact(only) -> None:
    problem = only("(succ 3 4)\n(succ 3 4)\n(SUCC 3 4)\n".replace("SUCC", "succ"))
    assert problem[:3] == ("2:1", "warning", "duplicate")
    assert problem.message == "the same fact is already stated in line 1 (3 times in all)"


def test_duplicate_rule_up_to_variables(only) -> None:
    problem = only("(<= (legal x (go ?a)) (succ ?a ?b))\n(<= (legal x (go ?p)) (succ ?p ?q))\n")
    assert problem.message == "the same rule is already stated in line 1"


def test_rules_that_only_look_alike(check) -> None:
    assert check("(<= (legal x (go ?a)) (succ ?a ?b))\n(<= (legal x (go ?b)) (succ ?a ?b))\n") == []


def test_rule_without_body(only) -> None:
    problem = only("(<= (succ 3 4))")
    assert problem[:3] == ("1:1", "warning", "no-body")
    assert problem.hint == "write it as a fact: (succ 3 4)"


def test_and(only) -> None:
    problem = only("(<= (legal x (go 1)) (or (and (succ 1 2) (succ 1 3)) (and (succ 2 3) (succ 2 1))))")
    assert problem[:3] == ("1:26", "warning", "and")


def test_too_many_clauses(only) -> None:
    problem = only("(<= (legal x (go 1)) " + "(or (succ 1 2) (succ 2 1)) " * 20 + ")")
    assert problem[:3] == ("1:1", "error", "too-many-clauses")


@pytest.mark.parametrize("condition", ["(distinct 1 1)", "(distinct (f ?a) (f ?a))", "(not (distinct ?a ?a))"])
def test_distinct_from_itself(only, condition: str) -> None:
    problem = only(f"(<= (legal x (go ?a))\n    (succ ?a 2)\n    {condition})")
    assert problem[:3] == ("3:5", "warning", "constant-condition")


def test_comma_in_a_name(only) -> None:
    problem = only("(succ 3,4)")
    assert problem[:3] == ("1:8", "warning", "odd-character")
    assert "comma" in problem.hint


@pytest.mark.parametrize("name", ['"a"', "[a]", "{a", "a|b", "naïve", "50%"])
def test_odd_characters(only, name: str) -> None:
    assert only(f"(succ 3 {name})").code == "odd-character"


@pytest.mark.parametrize("name", ["++", "-1", "a.b", "a_b", "a-b", "<", ">=", "*", "/", "a:b", "!", "50.5"])
def test_usual_characters(check, name: str) -> None:
    assert check(f"(succ 3 {name})") == []


@pytest.mark.parametrize("comment", ["% a note", "// a note", "# a note", "-- a note", "/* a note */"])
def test_comments_of_other_languages(only, comment: str) -> None:
    assert only(f"{comment}\n")[:3] == ("1:1", "warning", "foreign-comment")


def test_bare_words(check) -> None:
    found = check("lost words here\nmore of them\n")
    assert [(problem.place, problem.code) for problem in found] == [("1:1", "bare-word"), ("2:1", "bare-word")]


def test_infix_in_a_prefix_sheet(check) -> None:
    found = check("lost(1,2)\n")
    assert (found[0].code, found[0].hint) == ("bare-word", "in this notation a fact is (lost …)")


def test_bare_words_that_rules_use(check) -> None:
    assert check("open\n(<= (legal x (go 1)) open)") == []
