from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from woodstock.common.errors import UsageError
from woodstock.game import load
from woodstock.game.load import find_game, find_games, load_rules, load_sheet
from woodstock.games import catalogue, game_names
from woodstock.gdl.diagnostics import GdlError
from woodstock.gdl.rules import Literal
from woodstock.gdl.terms import LogicVar

SHEET = "(role {0}) (init p) (legal {0} a) (<= (next p) (true p)) (<= terminal (true p)) (goal {0} 100)"


def write(path: Path, role: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SHEET.format(role))
    return path


@pytest.fixture
def repository_folder(tmp_path: Path) -> Path:
    """A ggp.org folder: v1 changes the sheet alone, v2 the metadata, to another sheet, v10 nothing but a picture."""
    folder = tmp_path / "mygame"
    write(folder / "rules.txt", "zero")
    (folder / "METADATA").write_text('{"gameName": "My Game", "rulesheet": "rules.txt", "description": "about.txt"}')
    (folder / "about.txt").write_text("A game of mine.\n")
    write(folder / "v1" / "rules.txt", "one")
    write(folder / "v2" / "other.kif", "two")
    (folder / "v2" / "METADATA").write_text('\ufeff{"rulesheet": "other.kif"}', encoding="utf-8")
    (folder / "v10").mkdir()
    (folder / "v10" / "icon.png").write_bytes(b"")
    return folder


def role_of(name: str | Path) -> str:
    return load_rules(str(name)).roles[0]


@pytest.mark.parametrize("name", game_names())
def test_every_bundled_game_loads(name: str) -> None:
    assert load_rules(name).roles


def test_bundled_game_has_the_title_and_the_file_of_the_catalogue() -> None:
    entry = catalogue()[0]
    found = find_game(entry.name)
    assert (found.name, found.title) == (entry.name, entry.title)
    assert found.source.name == f"{entry.name}/rules.kif"


def test_path_of_a_sheet(tmp_path: Path) -> None:
    path = write(tmp_path / "some.kif", "me")
    assert role_of(path) == "me"
    assert find_game(str(path)).name == "some"
    assert load_sheet(str(path)).source.name == str(path)


def test_bundled_name_comes_before_a_file_of_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = game_names()[0]
    write(tmp_path / name, "mine")
    monkeypatch.chdir(tmp_path)
    assert role_of(name) != "mine"
    assert role_of(f"./{name}") == "mine"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(SHEET.format("typed").encode())))
    assert role_of("-") == "typed"


@pytest.mark.parametrize(
    ("suffix", "role"),
    [("", "two"), ("@0", "zero"), ("@1", "one"), ("@v1", "one"), ("/v0", "zero"), ("/v1", "one"), ("/v10", "two")],
)
def test_repository_folder_and_its_versions(repository_folder: Path, suffix: str, role: str) -> None:
    assert role_of(f"{repository_folder}{suffix}") == role


def test_repository_folder_tells_title_and_description(repository_folder: Path) -> None:
    found = find_game(f"{repository_folder}@1")
    assert (found.name, found.title, found.description) == ("mygame", "My Game", "A game of mine.")
    assert found.source.name == str(repository_folder / "v1" / "rules.txt")


@pytest.mark.parametrize("suffix", ["@3", "/v3"])
def test_version_that_is_not_there(repository_folder: Path, suffix: str) -> None:
    with pytest.raises(UsageError, match=r"has no version 3; it has 0, 1, 2, 10"):
        load_rules(f"{repository_folder}{suffix}")


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ("{", "expected game metadata in JSON"),
        ("[]", "expected a JSON object with the game's metadata, found list"),
        ("{}", "expected a key 'rulesheet'"),
        ('{"rulesheet": 7}', "expected a key 'rulesheet'"),
        ('{"rulesheet": "../secret.kif"}', "expected 'rulesheet' to name a file of the folder, found '../secret.kif'"),
        ('{"rulesheet": "gone.kif"}', "there is no file 'gone.kif' in version 0 or older"),
        ("[" * 100_000, "expected game metadata in JSON"),
    ],
)
def test_broken_metadata(tmp_path: Path, metadata: str, message: str) -> None:
    write(tmp_path / "secret.kif", "x")
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "METADATA").write_text(metadata)
    with pytest.raises(UsageError, match=message.replace("[", r"\[").replace(".", r"\.")):
        load_rules(str(folder))


def test_folder_of_the_bundled_kind(tmp_path: Path) -> None:
    folder = write(tmp_path / "solo" / "rules.kif", "alone").parent
    assert role_of(folder) == "alone"
    assert find_game(str(folder)).title == "solo"
    (folder / "metadata.json").write_text(json.dumps({"title": "All Alone", "description": "Wait."}))
    assert find_game(str(folder)).title == "All Alone"
    with pytest.raises(UsageError, match="has no versions"):
        load_rules(f"{folder}@1")


def test_folder_without_a_game(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is a folder without a game: expected rules\.kif or METADATA"):
        load_rules(str(tmp_path))


def test_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(UsageError, match="there is no game or file 'TicTacTo'; did you mean tic_tac_toe"):
        load_rules("TicTacTo")
    with pytest.raises(UsageError, match="'woodstock games' lists the bundled ones"):
        load_rules("qqqqqqqq")


@pytest.mark.parametrize("name", ["", "no/such/file.kif", "a\0b", "x" * 5000, "game@9", "../v1"])
def test_names_that_lead_nowhere_are_usage_errors(name: str) -> None:
    with pytest.raises(UsageError):
        load_rules(name)


def test_file_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "MAX_SHEET_BYTES", 10)
    with pytest.raises(UsageError, match="expected a rule sheet, found more than"):
        load_rules(str(write(tmp_path / "large.kif", "x")))


def test_a_plain_folder_stands_for_all_its_games(tmp_path: Path) -> None:
    games = tmp_path / "games"
    for name in ("two", "one"):
        write(games / name / "sheet.txt", name)
        (games / name / "METADATA").write_text('{"rulesheet": "sheet.txt"}')
    for name in ("three.kif", "four.GDL", "README.txt"):
        write(games / name, "x")
    (games / "pictures").mkdir()
    names = [str(games), str(games / "two"), "nim", str(games / "README.txt")]
    found = [game.name for game in find_games(names)]
    assert found == ["four", "one", "three", "two", "two", "nim", "README"]


def test_a_folder_without_games_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no rule sheet in the folder .*: expected files \*\.kif or \*\.gdl"):
        list(find_games([str(tmp_path)]))


def test_a_folder_that_may_not_be_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    list_folder = Path.iterdir

    def refuse(path: Path) -> Iterator[Path]:
        if path == tmp_path:
            raise PermissionError(13, "Permission denied", str(path))
        return list_folder(path)

    monkeypatch.setattr(Path, "iterdir", refuse)  # root may read every folder
    for read in (lambda name: list(find_games([name])), load_rules):
        with pytest.raises(UsageError, match=r"^cannot read .*: Permission denied$"):
            read(str(tmp_path))


def test_role_variables_are_bound_on_demand(tmp_path: Path) -> None:
    path = tmp_path / "unsafe.kif"
    path.write_text("(role x) (init p) (<= (legal ?r a) (true p)) (<= (next p) (true p)) (<= terminal (true p))")
    with pytest.raises(GdlError, match="unsafe"):
        load_rules(str(path))
    notes: list[str] = []
    rules = load_rules(str(path), repair=True, report=notes.append)
    assert rules.rules[2].body[-1] == Literal(("role", LogicVar("?r")))
    assert notes == [f"{path}:1:19: warning: repaired: the condition (role ?r) was added to this rule [repaired]"]


def test_rules_without_meaning_are_refused_with_all_errors(tmp_path: Path) -> None:
    path = tmp_path / "bad.kif"
    path.write_text(
        "(role x) (legal x a) (goal x 100)\n(<= (next ?f) (true p))\n(<= terminal (not terminal))\n(init ()"
    )
    with pytest.raises(GdlError) as caught:
        load_rules(str(path))
    codes = {problem.code for problem in caught.value.diagnostics}
    assert {"unsafe", "unstratified", "parentheses"} <= codes
    assert load_sheet(str(path)).rules.roles == ("x",)


def test_rules_that_only_break_a_convention_are_loaded(tmp_path: Path) -> None:
    path = tmp_path / "odd.kif"
    path.write_text("(role x) (init p) (legal x a) (<= (next p) (true p)) (goal x 100)")  # nothing is terminal
    assert load_rules(str(path)).roles == ("x",)
