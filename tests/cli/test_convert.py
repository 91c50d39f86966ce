"""`woodstock convert`: from one notation to the other."""

from __future__ import annotations

from woodstock.gdl.sheet import parse_rules

KIF = "; A note.\n(role x)\n(<= (legal x ?m) (move ?m))\n"
INFIX = "% A note.\nrole(x)\nlegal(x, M) :- move(M)\n"


def test_to_infix_and_back(woodstock, tmp_path):
    path = tmp_path / "game.kif"
    path.write_text(KIF)
    outcome = woodstock("convert", str(path), "--to", "infix")
    assert (outcome.code, outcome.out, outcome.err) == (0, INFIX, "")
    back = woodstock("convert", "-", "--to", "kif", stdin=outcome.out)
    assert (back.code, back.out) == (0, KIF)


def test_same_notation_is_formatted(woodstock):
    assert woodstock("convert", "-", "--to", "kif", stdin="(role   x)").out == "(role x)\n"


def test_bundled_game(woodstock):
    outcome = woodstock("convert", "tic_tac_toe", "--to", "infix")
    original = woodstock("convert", "tic_tac_toe", "--to", "kif")
    assert outcome.out.startswith("% Tic-tac-toe")
    assert parse_rules(outcome.out) == parse_rules(original.out)


def test_output_file(woodstock, tmp_path):
    target = tmp_path / "out.hrf"
    outcome = woodstock("convert", "-", "--to", "infix", "-o", str(target), stdin=KIF)
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    assert target.read_text() == INFIX


def test_output_that_cannot_be_written(woodstock, tmp_path):
    outcome = woodstock("convert", "-", "--to", "infix", "-o", str(tmp_path / "no" / "out"), stdin=KIF)
    assert outcome.code == 2
    assert "cannot write" in outcome.err


def test_errors_are_listed_and_nothing_is_written(woodstock, tmp_path):
    target = tmp_path / "out.hrf"
    outcome = woodstock("convert", "-", "--to", "infix", "-o", str(target), stdin="(role x\n(init p)")
    assert outcome.code == 2
    assert "<stdin>:1:1: error: opening parenthesis is never closed" in outcome.err
    assert not target.exists()


def test_notation_must_be_known(woodstock):
    assert woodstock("convert", "tic_tac_toe", "--to", "prolog").code == 2
    assert woodstock("convert", "tic_tac_toe").code == 2
