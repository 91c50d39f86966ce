"""Terms as Python values."""

from __future__ import annotations

import pytest

from woodstock.gdl.terms import (
    LogicVar,
    arguments,
    arity,
    functor,
    is_ground,
    iter_variables,
    make_term,
    substitute,
    variables,
)

X, Y = LogicVar("?x"), LogicVar("?y")
NESTED = ("f", X, ("g", Y, X), "a")


def test_make_term_without_arguments_is_the_constant() -> None:
    assert make_term("f") == "f"
    assert make_term("f", ("a", X)) == ("f", "a", X)


def test_functor_arguments_and_arity() -> None:
    assert [functor(term) for term in ("a", NESTED)] == ["a", "f"]
    assert arguments(NESTED) == (X, ("g", Y, X), "a")
    assert arguments("a") == arguments(X) == ()
    assert [arity(term) for term in ("a", X, NESTED)] == [0, 0, 3]


@pytest.mark.parametrize("term", [X, ((("f", "a")), "b")])
def test_no_functor(term: object) -> None:
    with pytest.raises(TypeError, match="no functor"):
        functor(term)  # type: ignore[arg-type]


def test_variables_in_order_of_first_occurrence() -> None:
    assert list(iter_variables(NESTED)) == [X, Y, X]
    assert variables(NESTED) == (X, Y)
    assert variables("a", ("p", Y), NESTED) == (Y, X)


def test_is_ground() -> None:
    assert is_ground(("f", "a", ("g", "b")))
    assert not is_ground(NESTED)
    assert not is_ground(X)


def test_substitute_leaves_unbound_variables() -> None:
    assert substitute(NESTED, {X: ("h", "b")}) == ("f", ("h", "b"), ("g", Y, ("h", "b")), "a")
    assert substitute("a", {X: "b"}) == "a"


def test_variables_compare_by_name_and_differ_from_strings() -> None:
    assert LogicVar("?x") == X != Y
    assert hash(LogicVar("?x")) == hash(X)
    assert LogicVar("?x") != "?x"
    assert sorted([Y, X]) == [X, Y]
