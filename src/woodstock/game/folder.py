"""Game folders: a rule sheet with its metadata, and the versions of it.

Two kinds are known. A folder of the ggp.org repositories has a JSON file `METADATA`, whose `rulesheet` names the sheet;
its files are version 0, and sub-folders `v1`, `v2`, … hold the files that changed since, so that a file of version N is
looked up in vN, …, v1 and at last in the folder itself. A folder of the kind that Woodstock bundles has `rules.kif` and
`metadata.json`, and no versions.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from woodstock.common.errors import UsageError
from woodstock.games import METADATA_FILE, RULES_FILE

REPOSITORY_METADATA = "METADATA"
NEWEST = -1
"""The version to ask for when any will do."""

_VERSION_FOLDER = re.compile(r"v(\d{1,6})")
_VERSION_SUFFIX = re.compile(r"(.+)@v?(\d{1,6})")


@dataclass(frozen=True, slots=True)
class GameFolder:
    """A rule sheet found in a folder.

    Attributes:
        name: The game's name, that of the folder.
        title: What people call the game.
        description: What its author says of it, perhaps nothing.
        sheet: The file with the rules.
        version: Version of the sheet.
    """

    name: str
    title: str
    description: str
    sheet: Path
    version: int = 0


def is_game_folder(path: Path) -> bool:
    """Tell whether a folder holds one game."""
    return path.is_dir() and ((path / RULES_FILE).is_file() or _is_repository_folder(path))


def split_version(name: str) -> tuple[Path, int] | None:
    """Return folder and version if a name is `folder`, `folder/v1` or `folder@1` and the folder is a game's."""
    path = Path(name)
    if is_game_folder(path):
        return path, NEWEST
    if (match := _VERSION_FOLDER.fullmatch(path.name)) and _is_repository_folder(path.parent):
        return path.parent, int(match[1])
    if (match := _VERSION_SUFFIX.fullmatch(name)) and is_game_folder(Path(match[1])):
        return Path(match[1]), int(match[2])
    return None


def open_folder(path: Path, version: int = NEWEST) -> GameFolder:
    """Find the rule sheet of a game folder.

    Raises:
        UsageError: There is no such version, or the metadata or the sheet are missing or broken.
    """
    if _is_repository_folder(path):
        return _open_repository_folder(path, version)
    if version > 0:
        raise UsageError(f"{path} has no versions: there is no {REPOSITORY_METADATA} in it")
    metadata_path = path / METADATA_FILE
    metadata = _read_metadata(metadata_path) if metadata_path.is_file() else {}
    name = path.resolve().name
    return GameFolder(name, _text(metadata, "title") or name, _text(metadata, "description"), path / RULES_FILE)


def versions(path: Path) -> tuple[int, ...]:
    """Return the versions of a ggp.org folder, oldest first; version 0 is the folder itself."""
    numbers = (_VERSION_FOLDER.fullmatch(entry.name) for entry in path.iterdir() if entry.is_dir())
    return tuple(sorted({0, *(int(match[1]) for match in numbers if match)}))


def _is_repository_folder(path: Path) -> bool:
    return path.is_dir() and any(
        _version_folder(path, version).joinpath(REPOSITORY_METADATA).is_file() for version in versions(path)
    )


def _open_repository_folder(path: Path, version: int) -> GameFolder:
    known = versions(path)
    if version == NEWEST:
        version = known[-1]
    elif version not in known:
        raise UsageError(f"{path} has no version {version}; it has {', '.join(map(str, known))}")
    metadata_path = _find(path, REPOSITORY_METADATA, version)
    metadata = _read_metadata(metadata_path)
    sheet_name = _text(metadata, "rulesheet")
    if not sheet_name:
        raise UsageError(f"{metadata_path}: expected a key 'rulesheet' with the name of the rule sheet")
    if Path(sheet_name).name != sheet_name:
        raise UsageError(f"{metadata_path}: expected 'rulesheet' to name a file of the folder, found {sheet_name!r}")
    name = path.resolve().name
    title = _text(metadata, "gameName") or name
    return GameFolder(name, title, _description(path, metadata, version), _find(path, sheet_name, version), version)


def _find(path: Path, file: str, version: int) -> Path:
    """Return the newest version of a file that is not newer than `version`."""
    for number in reversed(versions(path)):
        candidate = _version_folder(path, number) / file
        if number <= version and candidate.is_file():
            return candidate
    raise UsageError(f"{path}: there is no file {file!r} in version {version} or older")


def _version_folder(path: Path, version: int) -> Path:
    return path / f"v{version}" if version else path


def _description(path: Path, metadata: dict[str, Any], version: int) -> str:
    """Return the description, which ggp.org keeps in a file of its own."""
    file = _text(metadata, "description")
    if not file or Path(file).name != file:
        return ""
    try:
        return _find(path, file, version).read_text(encoding="utf-8", errors="replace").strip()
    except (UsageError, OSError):
        return ""


def _read_metadata(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: expected game metadata in JSON: {error}") from None
    if not isinstance(data, dict):
        raise UsageError(f"{path}: expected a JSON object with the game's metadata, found {type(data).__name__}")
    return data


def _text(metadata: dict[str, Any], key: str) -> str:
    value = metadata.get(key)
    return value if isinstance(value, str) else ""
