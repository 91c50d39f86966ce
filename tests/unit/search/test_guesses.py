from __future__ import annotations

import pytest

from woodstock.search.explanation import Candidate, Explanation
from woodstock.search.guesses import join_explanations


def said(*candidates: tuple[str, float | None, bool]) -> Explanation:
    return Explanation("x", tuple(Candidate(move, value, 3.0, 4, proven) for move, value, proven in candidates))


def test_values_are_weighed_by_how_likely_the_positions_are() -> None:
    joined = join_explanations(
        [said(("a", 100, True), ("b", 40, False)), said(("b", 70, True), ("a", 0, True))], [1, 3]
    )
    assert [(each.move, each.value) for each in joined.candidates] == [("b", 62.5), ("a", 25.0)]
    assert [each.visits for each in joined.candidates] == [8, 8]
    assert not any(each.proven for each in joined.candidates)
    assert joined.candidates[0].margin == pytest.approx((0.25**2 + 0.75**2) ** 0.5 * 3)
    assert joined.statistics["positions"] == 2


def test_a_move_is_proven_only_if_it_is_so_everywhere_and_to_the_same_value() -> None:
    joined = join_explanations([said(("a", 50, True)), said(("a", 50, True))], [1, 1])
    assert joined.candidates[0].proven
    joined = join_explanations([said(("a", 50, True)), said(("a", 50, False))], [1, 1])
    assert not joined.candidates[0].proven


def test_a_move_that_a_search_did_not_look_at_is_worth_the_average_there() -> None:
    joined = join_explanations([said(("a", 80, False)), said(("a", None, False), ("b", 20, False))], [1, 1])
    values = {each.move: each.value for each in joined.candidates}
    assert values == {"a": 50.0, "b": 50.0}
