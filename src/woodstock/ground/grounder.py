"""Grounding under limits: the caller's side of the grounder's process."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

import numpy as np

from woodstock.common.errors import LimitError, WoodstockError
from woodstock.common.limits import Limits
from woodstock.gdl.rules import Rules
from woodstock.gdl.terms import GroundTerm
from woodstock.ground import worker
from woodstock.ground.program import NO_ATOM, GroundProgram
from woodstock.ground.rulebase import RuleBase
from woodstock.ground.simplify import NamedAtoms, RawProgram, named_atoms, simplify
from woodstock.ground.translate import NUM_FACT_SECTIONS, LogicProgram, translate

DEFAULT_LIMITS = Limits(seconds=60, bytes=8 << 30)


def ground_rules(rules: Rules, limits: Limits = DEFAULT_LIMITS) -> GroundProgram:
    """Ground the rules of a game, without a look at the cache.

    Raises:
        LimitError: It takes more time or memory than allowed; the message names the rule that was being grounded.
        WoodstockError: The rules have no unique meaning.
    """
    program = translate(rules)
    answer = _Request(rules, program, limits).run()
    ground_program = simplify(_decode(rules, program, answer))
    _refuse_negative_loops(rules, ground_program)
    return ground_program


class _Request:
    """One run of the grounder's process."""

    def __init__(self, rules: Rules, program: LogicProgram, limits: Limits) -> None:
        self._rules = rules
        self._program = program
        self._limits = limits
        self._section = 0
        self._timed_out = False

    def run(self) -> dict[str, Any]:
        """Return the worker's result."""
        process = subprocess.Popen(
            [sys.executable, "-P", worker.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        timer = threading.Timer(self._limits.seconds or threading.TIMEOUT_MAX, self._expire, [process])
        timer.daemon = True
        timer.start()
        try:
            return self._converse(process)
        finally:
            timer.cancel()
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()

    def _expire(self, process: subprocess.Popen[bytes]) -> None:
        self._timed_out = True
        process.kill()

    def _converse(self, process: subprocess.Popen[bytes]) -> dict[str, Any]:
        request = {
            "memory": self._limits.bytes or 0,
            "sections": [section.text for section in self._program.sections],
            "num_fact_sections": NUM_FACT_SECTIONS,
            "named": [(self._program.predicate(name), arity) for name, arity in self._program.named],
        }
        try:
            worker.send(cast("BinaryIO", process.stdin), b"P", request)
            while (message := worker.receive(cast("BinaryIO", process.stdout))) is not None:
                kind, payload = message
                if kind == b"R":
                    return dict(payload)
                if kind == b"E":
                    raise self._failure(payload)
                self._section = payload
        except BrokenPipeError:
            pass
        raise self._failure("time" if self._timed_out else "memory")

    def _failure(self, reason: str) -> WoodstockError:
        if reason == "time":
            return LimitError(f"grounding takes more than {self._limits.seconds:g} seconds; {self._culprit()}")
        if reason == "memory":
            memory = (self._limits.bytes or 0) / 2**30
            return LimitError(f"grounding takes more than {memory:g} GiB of memory; {self._culprit()}")
        return WoodstockError(f"{self._rules.source.name}: the grounder refuses these rules: {reason}")

    def _culprit(self) -> str:
        """Name the rule that was being grounded, or the most likely one where many are grounded at once."""
        from woodstock.ground.culprit import likely_culprits

        if self._section >= len(self._program.sections):
            return "all rules were grounded, and the result is too large"
        rules = self._program.sections[self._section].rules
        if len(rules) == 1:
            return f"it was at the rule {self._rules.where(rules[0])}"
        likely = likely_culprits(self._rules, rules)
        return "the likely cause is the rule " + " or ".join(self._rules.where(rule) for rule in likely)


def _decode(rules: Rules, program: LogicProgram, answer: dict[str, Any]) -> RawProgram:
    """Give the grounder's numbers their meaning."""
    decoder = _Decoder(rules, program, answer["atoms"])
    heads = np.frombuffer(answer["heads"], dtype=np.int32).astype(np.int64)
    ends = np.frombuffer(answer["ends"], dtype=np.int64)
    bodies = np.frombuffer(answer["bodies"], dtype=np.int32).astype(np.int64)
    atoms = np.abs(bodies)
    largest = max(int(heads.max(initial=0)), int(atoms.max(initial=0)), decoder.largest_atom)
    base = RuleBase(largest + 1, heads, np.concatenate([[0], ends]), 2 * atoms + (bodies < 0))
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


@dataclass(frozen=True)
class _Decoder:
    """Turns the worker's coded atoms into terms."""

    rules: Rules
    program: LogicProgram
    atoms: dict[str, list[tuple[int, tuple[object, ...]]]]

    @property
    def largest_atom(self) -> int:
        return max((atom for found in self.atoms.values() for atom, _ in found), default=0)

    def entries(self, name: str, arity: int) -> Iterator[tuple[int, int, GroundTerm]]:
        """Yield (atom, role, term); relations of two places have a role first, what belongs to no role is left out."""
        role_number = {role: number for number, role in enumerate(self.rules.roles)}
        decode = self.program.symbols.decode
        for atom, codes in self.atoms.get(f"{self.program.predicate(name)}/{arity}", []):
            terms = [decode(code) for code in codes]
            if arity < 2:
                yield atom, -1, terms[0] if terms else name
            elif isinstance(terms[0], str) and terms[0] in role_number:
                yield atom, role_number[terms[0]], terms[1]

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
