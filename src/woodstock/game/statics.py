"""What can be proved of a game from its rules alone, without playing.

The proofs about goals take for granted what the language demands: that a role has exactly one goal value at the end.
"""

from __future__ import annotations

from collections.abc import Iterator

from woodstock.gdl.keywords import RANDOM, goal_number
from woodstock.gdl.rules import Clause, Literal, Rules
from woodstock.gdl.terms import LogicVar, Term, arguments, is_ground, iter_variables, substitute, variables

Condition = frozenset[Literal]


def players(rules: Rules) -> tuple[str, ...]:
    """Return the roles that make decisions: all but `random`."""
    return tuple(role for role in rules.roles if role != RANDOM)


def has_percept_rules(rules: Rules) -> bool:
    """Tell whether the rules say what roles see; if not, everyone sees all moves."""
    return any(clause.name == "sees" for clause in rules.clauses)


def shows_all_moves(rules: Rules) -> bool:
    """Tell whether a rule shows every move to every role: `(<= (sees ?r (did ?p ?m)) (role ?r) (does ?p ?m))`."""
    if not has_percept_rules(rules):
        return True
    return any(_shows_every_move(clause) for clause in rules.clauses if clause.name == "sees")


def percepts_are_shared(rules: Rules) -> bool:
    """Tell whether the rules treat all roles alike, so that all see the same.

    That holds if the role of every `sees` rule is a variable about which nothing is asked but that it is a role.
    """
    return all(_role_is_free(clause) for clause in rules.clauses if clause.name == "sees")


def constant_goal_sum(rules: Rules) -> int | None:
    """Return what the goals of the players add up to, if that follows from the goal rules; else None.

    It does if the rules come in groups with one condition, each with one value a player, and all groups have one sum.
    """
    groups = _goals_by_condition(rules)
    if not groups:
        return None
    sums = {_group_sum(goals, len(players(rules))) for goals in groups.values()}
    return sums.pop() if len(sums) == 1 else None


def goals_are_equal(rules: Rules) -> bool:
    """Tell whether it follows from the goal rules that all players always have the same goal."""
    groups = _goals_by_condition(rules)
    if not groups or len(players(rules)) < 2:
        return False
    return all(
        None not in goals.values() and len(set(goals.values())) == 1 and len(goals) == len(players(rules))
        for goals in groups.values()
    )


def _shows_every_move(clause: Clause) -> bool:
    match clause.head:
        case ("sees", LogicVar() as role, percept):
            pass
        case _:
            return False
    does = [literal.atom for literal in clause.body if literal.positive and literal.name == "does"]
    rest = [literal for literal in clause.body if literal.atom not in does]
    if len(does) != 1 or any(literal != Literal(("role", role)) for literal in rest):
        return False
    match does[0]:
        case (_, LogicVar() as actor, LogicVar() as move) if len({role, actor, move}) == 3:
            return {actor, move} <= set(variables(percept))
    return False


def _role_is_free(clause: Clause) -> bool:
    match clause.head:
        case ("sees", LogicVar() as role, percept):
            needed = [literal for literal in clause.body if literal != Literal(("role", role))]
            elsewhere = [*iter_variables(percept), *(var for part in needed for var in iter_variables(part.atom))]
            return role not in elsewhere
    return False


def _goals_by_condition(rules: Rules) -> dict[Condition, dict[str, int | None]] | None:
    """Return for each condition of a goal rule the value that it gives each player, None for several.

    None as a whole: a goal rule is not of the simple form, with a goal 0..100 as its value.
    """
    groups: dict[Condition, dict[str, int | None]] = {}
    for clause in rules.clauses:
        if clause.name != "goal":
            continue
        match clause.head:
            case ("goal", _, written) if (value := goal_number(written)) is not None:
                pass
            case _:
                return None
        for role, condition in _instances(clause, players(rules)):
            goals = groups.setdefault(condition, {})
            goals[role] = value if goals.get(role, value) == value else None
    return groups


def _group_sum(goals: dict[str, int | None], num_players: int) -> int | None:
    """Return the sum of all players' values, None if one has none or several."""
    values = [value for value in goals.values() if value is not None]
    return sum(values) if len(values) == num_players else None


def _instances(clause: Clause, roles: tuple[str, ...]) -> Iterator[tuple[str, Condition]]:
    """Yield the role and the condition of a goal rule, once for each role that its head can stand for."""
    head_role = arguments(clause.head)[0]
    for role in roles:
        if isinstance(head_role, LogicVar):
            binding: dict[LogicVar, Term] = {head_role: role}
        elif head_role == role:
            binding = {}
        else:
            continue
        body = [Literal(substitute(literal.atom, binding), literal.positive) for literal in clause.body]
        kept = [literal for literal in body if _truth(literal, roles) is not True]
        if not any(_truth(literal, roles) is False for literal in kept):
            yield role, _canonical(kept)


def _truth(literal: Literal, roles: tuple[str, ...]) -> bool | None:
    """Return whether a literal holds if that is plain to see, else None."""
    match literal.atom:
        case ("role", str(name)) if name in roles:
            return literal.positive
        case ("distinct", left, right) if is_ground(left) and is_ground(right):
            return (left != right) == literal.positive
    return None


def _canonical(body: list[Literal]) -> Condition:
    """Return a body with its variables renamed in order of appearance, so that equal conditions compare equal."""
    names = variables(*(literal.atom for literal in body))
    renaming: dict[LogicVar, Term] = {var: LogicVar(f"?{number}") for number, var in enumerate(names)}
    return frozenset(Literal(substitute(literal.atom, renaming), literal.positive) for literal in body)
