"""Grounding under limits: the caller's side of the grounder's process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from woodstock.common.errors import LimitError, WoodstockError
from woodstock.common.limits import Limits
from woodstock.gdl.rules import Rules
from woodstock.gdl.terms import GroundTerm
from woodstock.ground import worker
from woodstock.ground.cache import load_program, store_program
from woodstock.ground.counting import with_pairs
from woodstock.ground.culprit import likely_culprits
from woodstock.ground.process import WorkerError, ask_worker
from woodstock.ground.program import NO_ATOM, GroundProgram
from woodstock.ground.rulebase import RuleBase, offsets
from woodstock.ground.simplify import NamedAtoms, RawProgram, named_atoms, simplify
from woodstock.ground.translate import NUM_FACT_SECTIONS, LogicProgram, translate

DEFAULT_LIMITS = Limits(seconds=60, bytes=8 << 30, nodes=20_000_000)
"""A minute, 8 GiB, and ground rules: more of them would take the caller's own memory."""


Report = Callable[[int, int], None]
"""Called with the number of the section that begins and the number of all sections."""


def ground(
    rules: Rules, limits: Limits = DEFAULT_LIMITS, *, use_cache: bool = True, report: Report | None = None
) -> GroundProgram:
    """Ground the rules of a game.

    Args:
        rules: The rules.
        limits: What the grounder may use of time and memory, enforced from outside, and how many rules it may make.
        use_cache: Look for the result on disk first, and keep it there.
        report: Told how far it has come.

    Raises:
        LimitError: It takes more time or memory than allowed; the message names the rule that was being grounded.
        WoodstockError: The rules have no unique meaning.
    """
    found = load_program(rules) if use_cache else None
    if found is None:
        logic_program = translate(rules)
        answer = _ask(rules, logic_program, limits, report)
        found = simplify(_decode(rules, logic_program, answer))
        _refuse_negative_loops(rules, found)
        if use_cache:
            store_program(rules, found)
    return found


def _ask(rules: Rules, program: LogicProgram, limits: Limits, report: Report | None) -> dict[str, Any]:
    """Have a logic program grounded; turn a failure into an error that names the rule."""
    request = {
        "max_rules": limits.nodes or sys.maxsize,
        "sections": [section.text for section in program.sections],
        "num_fact_sections": NUM_FACT_SECTIONS,
        "named": [(program.predicate(name), arity) for name, arity in program.named],
    }
    section = 0

    def begin(number: int) -> None:
        nonlocal section
        section = number
        if report is not None:
            report(number, len(program.sections))

    try:
        return ask_worker(worker.GROUND, request, limits, begin)
    except WorkerError as failure:
        reason = failure.reason
    culprit = _culprit(rules, program, section)
    if reason == "time":
        raise LimitError(f"grounding takes more than {limits.seconds:g} seconds; {culprit}")
    if reason == "memory":
        raise LimitError(f"grounding takes more than {(limits.bytes or 0) / 2**30:g} GiB of memory; {culprit}")
    if reason == "size":
        raise LimitError(f"there are more than {limits.nodes} ground rules; {culprit}")
    raise WoodstockError(f"{rules.source.name}: the grounder refuses these rules: {reason}")


def _culprit(rules: Rules, program: LogicProgram, section: int) -> str:
    """Name the rule that was being grounded, or the most likely ones where many are grounded at once."""
    if section >= len(program.sections):
        return "all rules were grounded, and the result is too large"
    among = program.sections[section].rules
    if len(among) == 1:
        return f"it was at the rule {rules.where(among[0])}"
    likely = likely_culprits(rules, among)
    return "the likely cause is the rule " + " or ".join(rules.where(rule) for rule in likely)


def _decode(rules: Rules, program: LogicProgram, answer: dict[str, Any]) -> RawProgram:
    """Give the grounder's numbers their meaning."""
    decoder = _Decoder(rules, program, answer["atoms"])
    base = with_pairs(_rule_base(answer, ""), _rule_base(answer, "pair_"), decoder.largest_atom + 1)
    terminal = [atom for atom, _, _ in decoder.entries("terminal", 0)]
    has_sees = any(rule.name == "sees" for rule in rules)
    return RawProgram(
        roles=rules.roles,
        rules=base,
        fluents=decoder.named("true", 1),
        moves=decoder.named("does", 2),
        initial=frozenset(term for _, _, term in decoder.entries("init", 1)),
        next=decoder.named("next", 1),
        legal=decoder.named("legal", 2),
        terminal=terminal[0] if terminal else NO_ATOM,
        goals=decoder.named("goal", 2),
        percepts=decoder.named("sees", 2) if has_sees else None,
    )


def _rule_base(answer: dict[str, Any], prefix: str) -> RuleBase:
    """Return the rules that the worker collected in three arrays."""
    heads = np.frombuffer(answer[f"{prefix}heads"], dtype=np.int32).astype(np.int64)
    lengths = np.frombuffer(answer[f"{prefix}lengths"], dtype=np.int32)
    bodies = np.frombuffer(answer[f"{prefix}bodies"], dtype=np.int32).astype(np.int64)
    atoms = np.abs(bodies)
    largest = max(int(heads.max(initial=0)), int(atoms.max(initial=0)))
    return RuleBase(largest + 1, heads, offsets(lengths), 2 * atoms + (bodies < 0))


class _Decoder:
    """Turns the worker's atoms into terms; a text seen before, such as a fluent's in `next`, is not read again."""

    def __init__(self, rules: Rules, program: LogicProgram, atoms: dict[str, tuple[bytes, str]]) -> None:
        self._role_number = {role: number for number, role in enumerate(rules.roles)}
        self._program = program
        self._atoms = {
            relation: list(zip(np.frombuffer(numbers, dtype=np.int32).tolist(), texts.split("\n"), strict=True))
            for relation, (numbers, texts) in atoms.items()
            if numbers
        }
        self._known: dict[str, tuple[GroundTerm, ...]] = {}

    @property
    def largest_atom(self) -> int:
        return max((atom for found in self._atoms.values() for atom, _ in found), default=0)

    def _terms(self, text: str) -> tuple[GroundTerm, ...]:
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = self._program.symbols.read(text)
        return found

    def entries(self, name: str, arity: int) -> Iterator[tuple[int, int, GroundTerm]]:
        """Yield (atom, role, term); relations of two places have a role first, what belongs to no role is left out."""
        for atom, text in self._atoms.get(f"{self._program.predicate(name)}/{arity}", []):
            terms = self._terms(text)
            if arity < 2:
                yield atom, -1, terms[0] if terms else name
            elif isinstance(terms[0], str) and terms[0] in self._role_number:
                yield atom, self._role_number[terms[0]], terms[1]

    def named(self, name: str, arity: int) -> NamedAtoms:
        return named_atoms(sorted(self.entries(name, arity), key=lambda entry: (entry[1], repr(entry[2]))))


def _refuse_negative_loops(rules: Rules, program: GroundProgram) -> None:
    """A rule whose head is in a loop with an atom that it negates has no unique meaning."""
    heads = np.repeat(program.rule_head, np.diff(program.body_start))
    loop = program.atom_loop
    negated = program.body_data & 1 == 1
    if bool((negated & (loop[heads] >= 0) & (loop[heads] == loop[program.body_data >> 1])).any()):
        raise WoodstockError(
            f"{rules.source.name}: an atom depends on its own negation; the rules have no unique meaning"
        )
