"""Files: what is written is read again with the same meaning; what is malformed gets a message."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from naive.qcsp import is_true, random_any, random_binary
from woodstock.common.errors import UsageError
from woodstock.qcsp.bin_packing import BinPacking, bin_packing
from woodstock.qcsp.files import FORMS, load_network, save_network
from woodstock.qcsp.json_form import read_json, write_json
from woodstock.qcsp.network import QuantifiedNetwork
from woodstock.qcsp.qdimacs import read_qdimacs, write_qdimacs
from woodstock.qcsp.situation import Compiled
from woodstock.qcsp.solver import Solver
from woodstock.qcsp.xcsp3_form import read_quantified_xcsp3, write_quantified_xcsp3

DIFFERENT = {
    "name": "different",
    "variables": [
        {"name": "x", "quantifier": "forall", "domain": ["red", "green"]},
        {"name": "y", "quantifier": "exists", "domain": 2},
    ],
    "constraints": [{"scope": ["y", "x"], "forbidden": [[0, "red"], [1, "green"]]}],
}


def networks() -> list[QuantifiedNetwork]:
    return [random_binary(f"form {number}") for number in range(25)] + [random_any(f"form {n}") for n in range(25)]


def plain(quantified: QuantifiedNetwork) -> QuantifiedNetwork:
    """Return a network with numbers as values, which every form can write."""
    domains = [tuple(range(len(domain))) for domain in quantified.network.domains]
    network = type(quantified.network)(
        quantified.network.names,
        domains,
        quantified.network.first_choices,
        [entry for entry in quantified.network.constraints if not hasattr(entry, "holds")],
    )
    return QuantifiedNetwork(network, quantified.blocks, quantified.name)


@pytest.mark.parametrize("form", FORMS)
def test_what_is_written_means_the_same(form: str) -> None:
    for quantified in map(plain, networks()):
        again = FORMS[form].read(FORMS[form].write(quantified), "again")
        assert Solver(Compiled(again)).solve().is_true == is_true(quantified)
        if form != "qdimacs":
            assert again.is_universal == quantified.is_universal
            assert again.domains == quantified.domains


def test_json_keeps_names_and_values() -> None:
    quantified = read_json(json.dumps(DIFFERENT))
    assert (quantified.name, quantified.names, quantified.domains) == (
        "different",
        ("x", "y"),
        (("red", "green"), (0, 1)),
    )
    assert quantified.is_solution((0, 1))
    assert not quantified.is_solution((0, 0))
    assert json.loads(write_json(quantified))["constraints"] == [
        {"scope": ["x", "y"], "forbidden": [["red", 0], ["green", 1]]}
    ]


def test_json_without_tuples() -> None:
    data = json.loads(json.dumps(DIFFERENT))
    data["constraints"] = [
        {"clause": [["x", "red", True], ["y", 1, False]]},
        {"sum": [["x", "red", 2], ["y", 0, 3]], "low": 2, "high": 3},
    ]
    quantified = read_json(json.dumps(data))
    expected = [(0, 1), (1, 0)]
    assert [(x, y) for x in range(2) for y in range(2) if quantified.is_solution((x, y))] == expected
    again = read_json(write_json(quantified))
    assert [(x, y) for x in range(2) for y in range(2) if again.is_solution((x, y))] == expected
    assert json.loads(write_json(quantified))["constraints"] == data["constraints"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.pop("variables"), 'a list of "variables"'),
        (lambda data: data.update(constraints=3), 'a list of "constraints"'),
        (lambda data: data["variables"].append(3), 'variable 3: expected an object with a text "name", found 3'),
        (lambda data: data["variables"][0].update(quantifier="most"), '"exists" or "forall", found "most"'),
        (lambda data: data["variables"][1].update(name="x"), "variable 2, 'x': expected a new name"),
        (lambda data: data["variables"][1].update(domain=[]), "different values, at least one, found"),
        (lambda data: data["variables"][1].update(domain=[1, 1]), "different values, at least one, found"),
        (lambda data: data["variables"][1].update(domain=[None]), "different values, at least one, found"),
        (lambda data: data["constraints"].append({"clause": [["x", "red", 1]]}), "its value and true or false, found"),
        (lambda data: data["constraints"].append({"clause": [["x", 9, True]]}), "its value and true or false, found"),
        (lambda data: data["constraints"].append({"sum": 5, "low": 0, "high": 1}), "its value and a weight, found 5"),
        (lambda data: data["constraints"].append({"sum": [["y", 0, 1]], "low": 0}), '"low" and "high", found'),
        (lambda data: data["constraints"][0].pop("forbidden"), "constraint 1: expected an object with"),
        (lambda data: data["constraints"][0].update(allowed=[]), "constraint 1: expected an object with"),
        (lambda data: data["constraints"][0].update(scope=["x", "q"]), "a scope of variables, found"),
        (lambda data: data["constraints"][0].update(scope=["x", "x"]), "a scope of different variables"),
        (lambda data: data["constraints"][0].update(forbidden=[[0]]), r"tuples of values of y x, found \[0\]"),
        (lambda data: data["constraints"][0].update(forbidden=[[0, "blue"]]), "tuples of values of y x, found"),
        (lambda data: data["constraints"][0].update(forbidden=[[[0], "red"]]), "tuples of values of y x, found"),
        (lambda data: data["constraints"][0].update(forbidden=7), "tuples of values of y x, found 7"),
    ],
)
def test_malformed_json_gets_a_message(change, message: str) -> None:
    data = json.loads(json.dumps(DIFFERENT))
    change(data)
    with pytest.raises(UsageError, match=message):
        read_json(json.dumps(data))


def test_all_problems_are_told_at_once() -> None:
    data = {"variables": [{"name": "x", "quantifier": "some", "domain": 0}, 5]}
    with pytest.raises(UsageError) as caught:
        read_json(json.dumps(data))
    assert len(str(caught.value).splitlines()) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "with a line 'p cnf VARIABLES CLAUSES', found none"),
        ("1 2 0", "line 1: expected 'p cnf VARIABLES CLAUSES' first"),
        ("p cnf x 1", "line 1: expected whole numbers"),
        ("p dnf 1 1", "line 1: expected one line"),
        ("p cnf 0 0", "1 to 1000000 variables, found 0"),
        ("p cnf 2 1\n1 3 0", "line 2: expected variables from 1 to 2, found 3"),
        ("p cnf 2 1\n1 2", "line 2: expected a 0 at the end"),
        ("p cnf 2 1\na 1 0\ne 1 0\n1 0", "line 3: expected each variable once"),
        ("p cnf 2 2\n1 0\na 2 0", "line 3: expected clauses, found a quantifier"),
        ("p cnf 2 2\n1 0\n", "expected 2 clauses, as the first line says, found 1"),
        ("p cnf 2 1\nc note\n1 x 0", "line 3: expected whole numbers"),
    ],
)
def test_malformed_formulas_get_a_message(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_qdimacs(text)


def test_formulas() -> None:
    formula = read_qdimacs("c xor, then a free variable\np cnf 3 3\na 1 0\ne 2 0\n1 2 0\n-1 -2 0\n3 0\n")
    assert formula.names == ("3", "1", "2")
    assert formula.is_universal == (False, True, False)
    assert Solver(Compiled(formula)).solve().is_true
    swapped = read_qdimacs("p cnf 2 2\ne 2 0\na 1 0\n1 2 0\n-1 -2 0\n")
    assert not Solver(Compiled(swapped)).solve().is_true
    assert not Solver(Compiled(read_qdimacs("p cnf 1 2\ne 1 0\n1 0\n0\n"))).solve().is_true


def test_a_formula_of_many_values_has_codes_for_them() -> None:
    text = write_qdimacs(bin_packing(BinPacking(1, 1, 3, (1, 2, 3))))
    lines = text.splitlines()
    assert lines[1].startswith("a 1 2 0")
    assert Solver(Compiled(read_qdimacs(text))).solve().is_true


XML = """<instance format="XCSP3" type="QCSP">
  <variables> <array id="x" size="[2]"> 0..2 </array> <var id="y"> 0..2 </var> </variables>
  <constraints> <intension> ne(x[0],y) </intension> <intension> ne(x[1],y) </intension> </constraints>
  <quantification> <forall> x[] </forall> <exists> y </exists> </quantification>
</instance>"""


def test_xcsp3() -> None:
    quantified = read_quantified_xcsp3(XML)
    assert str(quantified) == "∀x[0] x[1] ∃y, 2 constraints"
    assert Solver(Compiled(quantified)).solve().is_true
    written = write_quantified_xcsp3(quantified)
    assert 'type="QCSP"' in written
    assert "<forall> v0 v1 </forall>" in written


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<instance", "<instance <", "found what is no XML"),
        ('"QCSP"', '"CSP"', "of type QCSP, found <instance> of type CSP"),
        ("<quantification>", "<quantification/><quantification>", "one <quantification>, found 2"),
        ("<exists> y </exists>", "", "without: y"),
        ("<exists> y </exists>", "<exists> q </exists>", "the name of a variable, found 'q'"),
        ("<exists> y </exists>", "<some> y </some>", "<exists> and <forall> in <quantification>, found <some>"),
        ("ne(x[1],y)", "ne(x[1],q)", "constraint 2, <intension>"),
    ],
)
def test_malformed_xcsp3_gets_a_message(old: str, new: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_quantified_xcsp3(XML.replace(old, new, 1))


@pytest.mark.parametrize("name", ["a.json", "a.xml", "a.qdimacs", "a"])
def test_the_name_of_a_file_tells_its_form(tmp_path: Path, name: str) -> None:
    quantified = plain(random_binary("file"))
    save_network(quantified, str(tmp_path / name))
    again = load_network(str(tmp_path / name))
    assert Solver(Compiled(again)).solve().is_true == is_true(quantified)


def test_messages_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text("{")
    with pytest.raises(UsageError, match=r"bad.json: expected a network in JSON"):
        load_network(str(path))
    with pytest.raises(UsageError, match="No such file"):
        load_network(str(tmp_path / "none.json"))
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="UTF-8"):
        load_network(str(path))
    with pytest.raises(UsageError, match="can be written"):
        save_network(random_binary("x"), str(tmp_path / "no" / "folder.json"))
