"""Networks as XCSP3 files, which other solvers read: XCSP3-core (type CSP), and the dialect of stochastic networks.

The variable with the number n is called `vn` and has the places of its values, 0 .. d-1, as its domain; a note gives
its own name and values. Literals are expressions such as `eq(v3,2)`, or `v3` and `not(v3)` if there are two values.
What is derived is unrolled (see `Founded`): variables `fa_b_c` say which rules fire and which heads are derived in each
round. They are functions of the others, so a file has as many solutions as its network. Utilities are not written:
type CSP knows no soft constraints.

Some solvers give a value to variables of no constraint without trying the others; what they count is less then.

>>> import sys
>>> from woodstock.cp.constraints import Table
>>> network = Network()
>>> x, y = network.add_vars(("x", "y"), ("a", "b", "c"))
>>> network.add(Table((x, y), [(0, 1), (1, 2)]))
>>> write_xcsp3(network, sys.stdout)
<instance format="XCSP3" type="CSP">
  <variables>
    <var id="v0" note="x: a b c"> 0..2 </var>
    <var id="v1" note="y: a b c"> 0..2 </var>
  </variables>
  <constraints>
    <extension> <list> v0 v1 </list> <supports> (0,1)(1,2) </supports> </extension>
  </constraints>
</instance>
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple, TextIO
from xml.sax.saxutils import quoteattr

from woodstock.common.errors import UsageError
from woodstock.cp.network import Network
from woodstock.cp.xcsp3.elements import Elements, loops_of

NOT_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that an XML file must not hold."""

Probabilities = Mapping[int, Sequence[Fraction | float]]


class Stage(NamedTuple):
    """Variables of a stochastic network that get their values together.

    Attributes:
        vars: Their numbers.
        is_stochastic: Whether chance gives the values; else they are decided.
    """

    vars: tuple[int, ...]
    is_stochastic: bool = False


def write_xcsp3(
    network: Network,
    out: TextIO,
    *,
    stages: Sequence[Stage] | None = None,
    probabilities: Probabilities | None = None,
) -> None:
    """Write a network as an XCSP3 file, of type SCSP if there are stages, else of type CSP.

    Args:
        network: At least one variable and hard constraints.
        out: Where it is written.
        stages: Which variables are decided and which are left to chance, in order; each variable once.
        probabilities: For each stochastic variable, the probability of each of its values.

    Raises:
        UsageError: There is no variable, a predicate has too many combinations of values to be written as a table, or
            stages and probabilities do not fit together.
    """
    if network.num_vars == 0:
        raise UsageError("expected a network with variables, found none: XCSP3 has no way to write that")
    if stages is None and probabilities:
        raise UsageError("expected stages that say which variables are stochastic, found probabilities alone")
    weights = {var: _exact(given) for var, given in (probabilities or {}).items()}
    if stages is not None:
        _check_stages(network, stages, weights)
    out.write(f'<instance format="XCSP3" type="{"CSP" if stages is None else "SCSP"}">\n')
    out.writelines(f"  {line}\n" for line in _lines(network, weights))
    if stages is not None:
        out.writelines(f"  {line}\n" for line in _stage_lines(network, stages))
    out.write("</instance>\n")


def _exact(probabilities: Sequence[Fraction | float]) -> list[Fraction]:
    """Return probabilities as fractions; a float is taken as the number that it is printed as."""
    return [weight if isinstance(weight, Fraction) else Fraction(str(weight)) for weight in probabilities]


def _check_stages(network: Network, stages: Sequence[Stage], probabilities: Mapping[int, Sequence[Fraction]]) -> None:
    staged = sorted(var for stage in stages for var in stage.vars)
    if staged != list(range(network.num_vars)):
        raise UsageError(f"expected each of the {network.num_vars} variables in one stage, found {staged}")
    stochastic = {var for stage in stages if stage.is_stochastic for var in stage.vars}
    for var in sorted(stochastic ^ probabilities.keys()):
        kinds = ("probabilities", "none") if var in stochastic else ("no probabilities", "some")
        raise UsageError(f"expected {kinds[0]} for {network.names[var]}, as its stage says, found {kinds[1]}")
    for var, weights in probabilities.items():
        size = len(network.domains[var])
        if len(weights) != size or min(weights) < 0 or abs(sum(weights, Fraction(-1))) > Fraction(1, 10**9):
            found = " ".join(map(str, weights))
            raise UsageError(f"expected {size} probabilities of {network.names[var]} with the sum 1, found {found}")


def _lines(network: Network, probabilities: Mapping[int, Sequence[Fraction]]) -> Iterator[str]:
    yield "<variables>"
    for var in range(network.num_vars):
        yield f"  {_variable(network, var, probabilities.get(var))}"
    for loop in loops_of(network):
        yield from (f'  <var id="{name}"> 0 1 </var>' for name in loop.names())
    yield "</variables>"
    yield "<constraints>"
    yield from (f"  {line}" for line in Elements(network).lines())
    yield "</constraints>"


def _variable(network: Network, var: int, probabilities: Sequence[Fraction] | None) -> str:
    domain = network.domains[var]
    words = f"{network.names[var]}: {' '.join(map(str, domain))}"
    note = quoteattr(NOT_XML.sub("\N{REPLACEMENT CHARACTER}", words))
    if probabilities is not None:
        weighted = " ".join(f"{place}:{weight}" for place, weight in enumerate(probabilities))
        return f'<var id="v{var}" type="stochastic" note={note}> {weighted} </var>'
    return f'<var id="v{var}" note={note}> {f"0..{len(domain) - 1}" if len(domain) > 1 else "0"} </var>'


def _stage_lines(network: Network, stages: Sequence[Stage]) -> Iterator[str]:
    yield "<stages>"
    for stage in stages:
        tag = "stochastic" if stage.is_stochastic else "decision"
        yield f"  <{tag}> {' '.join(f'v{var}' for var in stage.vars)} </{tag}>"
    # What is derived follows from all the rest.
    derived = [name for loop in loops_of(network) for name in loop.names()]
    if derived:
        yield f"  <decision> {' '.join(derived)} </decision>"
    yield "</stages>"
