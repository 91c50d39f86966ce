"""Write the playthroughs of all bundled games anew: `python tests/playthroughs/regenerate.py [GAME ...]`.

Look at the difference before it is committed: it is what changed in the games.
"""

from __future__ import annotations

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

from naive.playthrough import play_through  # noqa: E402 (the folder of the tests has to be known first)
from woodstock.games import game_names  # noqa: E402


def main() -> None:
    """Write the files; remove those of games that are no more."""
    names = sys.argv[1:] or game_names()
    for name in names:
        (FOLDER / f"{name}.txt").write_text(play_through(name), encoding="utf-8")
    for file in FOLDER.glob("*.txt"):
        if file.stem not in game_names():
            file.unlink()


if __name__ == "__main__":
    main()
