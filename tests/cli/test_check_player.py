from __future__ import annotations

import json

import pytest

from scripted.network import serving
from scripted.thinkers import ScriptedThinker
from woodstock.players.process import Choice


def test_a_player_that_passes(woodstock) -> None:
    with serving(ScriptedThinker()) as port:
        code, out, err = woodstock("check-player", f"http://127.0.0.1:{port}", "--play", "2")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "holds           INFO is answered with a status"
    assert all(line.startswith("holds ") for line in lines[:-1])
    assert lines[-1].startswith(f"http://127.0.0.1:{port}: {len(lines) - 1} checks, ")
    assert lines[-1].endswith(" required, 0 of them broken")


def test_a_player_that_does_not(woodstock) -> None:
    with serving(ScriptedThinker(lambda moves: Choice(("castle", "1")))) as port:
        code, out, err = woodstock("check-player", f"http://127.0.0.1:{port}", "--json", "--play", "2")
    assert (code, err) == (1, "")
    document = json.loads(out)
    assert document["conforms"] is False
    broken = [check for check in document["checks"] if check["verdict"] == "does not hold"]
    assert any(check["detail"] == "(castle 1) is not legal in turn 0; (place 1 1) would be" for check in broken)
    assert {"name", "verdict", "required", "detail", "seconds"} == set(broken[0])


def test_nobody_is_there(woodstock) -> None:
    code, out, err = woodstock("check-player", "http://127.0.0.1:1")
    assert (code, out) == (2, "")
    assert "there is no player at http://127.0.0.1:1 that can be checked: no reply to '( INFO )'" in err


@pytest.mark.parametrize("url", ["127.0.0.1:9147", "ftp://127.0.0.1", "http://", "http://host:port", ""])
def test_what_is_no_address(woodstock, url: str) -> None:
    code, out, err = woodstock("check-player", url)
    assert (code, out) == (2, "")
    assert f"expected the URL of a player, such as http://127.0.0.1:9147, found {url!r}" in err
