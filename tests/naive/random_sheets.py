"""Random small rule sheets: stratified, safe, with recursion, negation and compound terms."""

from __future__ import annotations

from hypothesis import strategies as st

from woodstock.gdl.rules import Literal, Rule, Rules
from woodstock.gdl.terms import LogicVar, Term, functor, variables

X, Y, Z = LogicVar("?x"), LogicVar("?y"), LogicVar("?z")
CONSTANTS = ["a", "b", "gz"]
SIMPLE = st.sampled_from([X, Y, Z, *CONSTANTS])
TERMS = st.one_of(SIMPLE, SIMPLE, st.builds(lambda arg: ("g", arg), SIMPLE), st.just(("h2", X, "a")))
FLUENTS = ["a", "gz", ("g", "a"), ("g", "b"), ("cell", "a", "b"), ("cell", "b", "b"), ("cell", ("g", "a"), "b")]
MOVES = ["a", "noop", ("g", "a"), ("mark", "a", "b")]
ROLES = ("r1", "r2")
# Name, arity and stratum: a relation uses its own stratum and lower ones, and negates only lower ones.
RELATIONS = [("p", 1, 0), ("q", 2, 0), ("s", 0, 1), ("t", 2, 1), ("u", 3, 1), ("legal", 2, 2), ("v", 1, 2)]


def atoms(name: str, number: int) -> st.SearchStrategy[Term]:
    return st.tuples(*[TERMS] * number).map(lambda args: (name, *args) if args else name)


INPUTS = st.one_of(
    st.builds(lambda arg: ("true", arg), TERMS),
    st.builds(lambda one, two: ("true", ("cell", one, two)), TERMS, TERMS),
    st.builds(lambda role, move: ("does", role, move), st.sampled_from([X, "r1"]), TERMS),
    st.builds(lambda one, two: ("does", "r2", ("mark", one, two)), SIMPLE, SIMPLE),
    st.builds(lambda role: ("role", role), SIMPLE),
    st.builds(lambda arg: ("nothing", arg), SIMPLE),
)


def make_safe(term: Term, known: tuple[LogicVar, ...]) -> Term:
    """Replace variables that nothing binds."""
    if isinstance(term, LogicVar):
        return term if term in known else "b"
    if isinstance(term, tuple):
        return (term[0], *(make_safe(part, known) for part in term[1:]))
    return term


def without_structure(term: Term) -> Term:
    """Replace compound arguments by what is in them: recursion must not build, nor ask for, ever larger terms."""
    if isinstance(term, tuple):
        return (term[0], *(part[1] if isinstance(part, tuple) else part for part in term[1:]))
    return term


@st.composite
def rules(draw: st.DrawFn, name: str, number: int, stratum: int) -> Rule:
    usable = [atoms(other, count) for other, count, level in RELATIONS if level <= stratum]
    lower = [atoms(other, count) for other, count, level in RELATIONS if level < stratum]
    own = {other for other, _, level in RELATIONS if level == stratum}
    drawn = draw(st.lists(st.one_of(INPUTS, *usable), max_size=3))
    positive = [without_structure(atom) if functor(atom) in own else atom for atom in drawn]
    known = variables(*positive)
    tests = draw(st.lists(st.one_of(INPUTS, *lower), max_size=2))
    pairs = draw(st.lists(st.tuples(st.booleans(), TERMS, TERMS), max_size=1))
    body = [Literal(atom) for atom in positive]
    body += [Literal(make_safe(atom, known), False) for atom in tests]
    body += [Literal(("distinct", make_safe(one, known), make_safe(two, known)), sign) for sign, one, two in pairs]
    head = make_safe(draw(atoms(name, number)), known)
    if any(functor(atom) in own for atom in positive):
        head = without_structure(head)
    return Rule(head, tuple(draw(st.permutations(body))))


@st.composite
def sheets(draw: st.DrawFn) -> Rules:
    found = [Rule(("role", role)) for role in ROLES]
    for name, number, stratum in RELATIONS:
        found += draw(st.lists(rules(name, number, stratum), max_size=3))
    return Rules(found)
