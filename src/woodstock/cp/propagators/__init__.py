"""Propagators, one file each: how a kind of constraint is compiled, and how it removes what cannot be.

Each file says which consistency its propagator enforces. *GAC* (generalised arc consistency) means that every choice
that is left belongs to an assignment of the scope, made of choices that are left, that satisfies the constraint.
"""
