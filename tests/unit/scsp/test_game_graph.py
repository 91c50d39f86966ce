"""Graphs of networks in DOT."""

from __future__ import annotations

import io
import re

import pytest

from woodstock.common.errors import UsageError
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.scsp import game_graph
from woodstock.scsp.game_graph import write_dot
from woodstock.scsp.game_network import GameNetwork
from woodstock.scsp.scopes import count_rows, mentions


def test_vertices_and_edges() -> None:
    game = GameNetwork(ground(load_rules("matching_pennies")))
    out = io.StringIO()
    write_dot(game, out)
    text = out.getvalue()
    assert text.startswith("graph network {\n")
    assert text.endswith("}\n")
    entries = [*game.network.constraints, *game.network.utilities]
    assert len(re.findall(r"^  v\d+ \[", text, re.M)) == game.network.num_vars
    assert len(re.findall(r"^  c\d+ \[", text, re.M)) == sum(map(count_rows, entries))
    expected = {
        (entry, int(row), int(var))
        for entry, part in enumerate(entries)
        for row, var in zip(*mentions(game.network, part), strict=True)
    }
    assert len(re.findall(r"^  c\d+ -- v\d+;$", text, re.M)) == len(expected)
    assert text.count("dashed") == len(game.network.utilities) == 2
    assert f'v{game.stages[0].chance} [label="action random @ 1", fillcolor=salmon]' in text


def test_large_graphs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    game = GameNetwork(ground(load_rules("matching_pennies")))
    monkeypatch.setattr(game_graph, "MAX_VERTICES", 20)
    out = io.StringIO()
    with pytest.raises(UsageError, match=r"expected at most 20 variables and constraints to draw, found \d+"):
        write_dot(game, out)
    assert out.getvalue() == ""
