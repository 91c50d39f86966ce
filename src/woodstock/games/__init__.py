"""The bundled games: one folder a game, with `rules.kif` and `metadata.json`, and the catalogue that reads them.

>>> from woodstock.games import bundled_game, game_names
>>> all(bundled_game(name).title for name in game_names())
True
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

RULES_FILE = "rules.kif"
METADATA_FILE = "metadata.json"


@dataclass(frozen=True, slots=True)
class BundledGame:
    """What the catalogue knows of a bundled game.

    Attributes:
        name: What commands call it, the name of its folder.
        title: What people call it.
        year: When the game, not the sheet, was first published, if known.
        players: Number of players; `random` is none.
        paper: What the papers on WoodStock call it; None if they do not use it.
        description: What it is about, in a sentence or two.
        sources: Where its rules are described.
        traits: What its author says of it: trait to value.
        tags: Words to find it by.
    """

    name: str
    title: str
    year: int | None
    players: int
    paper: str | None
    description: str
    sources: tuple[str, ...]
    traits: Mapping[str, Any]
    tags: tuple[str, ...]

    def read_rules(self) -> bytes:
        """Return the rule sheet."""
        return _folder().joinpath(self.name, RULES_FILE).read_bytes()


def game_names() -> tuple[str, ...]:
    """Return the names of all bundled games, sorted."""
    return tuple(sorted(folder.name for folder in _folder().iterdir() if _is_game(folder)))


def is_bundled(name: str) -> bool:
    """Tell whether there is a bundled game of this name."""
    return name in game_names()


def bundled_game(name: str) -> BundledGame:
    """Return the catalogue's entry of a game.

    Raises:
        KeyError: There is no such game.
    """
    if not is_bundled(name):
        raise KeyError(name)
    data = json.loads(_folder().joinpath(name, METADATA_FILE).read_text(encoding="utf-8"))
    return BundledGame(
        name=name,
        title=data["title"],
        year=data.get("year"),
        players=data["players"],
        paper=data["paper"],
        description=data["description"],
        sources=tuple(data.get("sources", ())),
        traits=data.get("traits", {}),
        tags=tuple(data.get("tags", ())),
    )


def catalogue() -> tuple[BundledGame, ...]:
    """Return all bundled games, sorted by name."""
    return tuple(bundled_game(name) for name in game_names())


def _folder() -> Traversable:
    return files(__name__)


def _is_game(folder: Traversable) -> bool:
    return folder.is_dir() and all(folder.joinpath(file).is_file() for file in (RULES_FILE, METADATA_FILE))
