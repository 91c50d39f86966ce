"""A person at a network."""

from __future__ import annotations

import io

import pytest

from woodstock.cp.constraints import Table
from woodstock.cp.network import Network
from woodstock.qcsp.match import play
from woodstock.qcsp.network import QuantifiedNetwork, blocks_of
from woodstock.qcsp.players import make_player
from woodstock.qcsp.session import Narrator, Person, PersonLeftError, describe
from woodstock.qcsp.situation import Compiled


def compiled() -> Compiled:
    network = Network()
    network.add_vars("xyz", ("red", "green", "blue"))
    different = [(place, place) for place in range(3)]
    network.add(Table((0, 2), different, is_allowed=False), Table((1, 2), different, is_allowed=False))
    return Compiled(QuantifiedNetwork(network, blocks_of([True, False, False]), "colours"))


def test_a_person_sees_domains_shrink() -> None:
    made, out = compiled(), io.StringIO()
    person = Person(made, io.StringIO("pink\ngreen\n"), out)
    result = play(made, (make_player("first", made), person), 1.0, Narrator(made, out))
    assert result.is_won
    assert out.getvalue().splitlines() == [
        "∀x (red green blue; q to leave): There is no value 'pink'.",
        "∀x (red green blue; q to leave): ∀x = green",
        "    z: {red blue}  without green",
        "∃y = red",
        "    z: {blue}  without red",
        "    ∃ cannot lose any more.",
        "∃z = blue",
    ]


@pytest.mark.parametrize("text", ["q\n", "quit\n", ""])
def test_a_person_may_leave(text: str) -> None:
    made = compiled()
    with pytest.raises(PersonLeftError):
        play(made, (make_player("first", made), Person(made, io.StringIO(text), io.StringIO())), 1.0)


def test_a_network_in_words() -> None:
    assert describe(compiled())[:2] == ["colours: ∀x ∃y z, 2 constraints", "  ∀x: {red green blue}"]
