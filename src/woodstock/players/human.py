"""A person at a terminal, as a player.

The person sees the legal moves in a numbered list, and types a number, a move, or a part of one that is enough to tell
it from the others. Some words are *wishes*, such as `undo`: only whoever runs the match can grant them. A player is
told which ones will be granted, and raises `Wished` when the person has such a wish.

>>> from woodstock.players.human import MoveMenu
>>> menu = MoveMenu([("place", "2", "2"), ("place", "10", "1"), "pass"])
>>> menu.lines(width=80)
['1  place 2 2    2  place 10 1   3  pass']
>>> menu.find("10 1"), menu.find("3"), menu.find("pl")
([('place', '10', '1')], ['pass'], [('place', '2', '2'), ('place', '10', '1')])
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from enum import Enum
from math import inf
from typing import Any, Final, TextIO

from woodstock.common.limits import Deadline
from woodstock.draw import draw_position
from woodstock.game.protocol import Fluent, Move
from woodstock.gdl.printer import to_kif
from woodstock.players.protocol import Event, Player, Seat, Turn

MAX_LINES: Final = 20
"""A list of moves that is longer is cut, unless it was asked for."""

_SEPARATORS: Final = re.compile(r"[\s(),]+")
_PIECES: Final = re.compile(r"\d+|\D+")


class Wish(Enum):
    """What a person may want that is no move."""

    UNDO = "undo"
    HINT = "hint"
    RESIGN = "resign"
    QUIT = "quit"


_MEANINGS: Final = {
    "moves": "list all moves again",
    "board": "draw the position again",
    Wish.UNDO.value: "take back your last move",
    Wish.HINT.value: "ask a program what it would do",
    Wish.RESIGN.value: "give the match up",
    Wish.QUIT.value: "leave; so does Ctrl-D",
}
"""The words that are no moves, and what they are for."""

_SYNONYMS: Final = {"?": "help", "exit": "quit", "q": "quit", "takeback": "undo"}


class Wished(Exception):  # noqa: N818 (nothing is wrong: it is how a wish reaches whoever can grant it)
    """A person has a wish instead of a move."""

    def __init__(self, wish: Wish) -> None:
        super().__init__(wish.value)
        self.wish = wish


class Console:
    """Where a person reads and types.

    Args:
        source: What is typed; standard input if None.
        target: Where to write; if None standard output, or standard error if that is no terminal, so that questions do
            not mix with what a program reads.
    """

    def __init__(self, source: TextIO | None = None, target: TextIO | None = None) -> None:
        self._source = sys.stdin if source is None else source
        self._target = target if target is not None else sys.stdout if sys.stdout.isatty() else sys.stderr

    @property
    def width(self) -> int:
        """How many characters fit into a line."""
        return shutil.get_terminal_size().columns if self._target.isatty() else 80

    def say(self, text: str = "") -> None:
        """Write a line, or several."""
        print(text, file=self._target, flush=True)

    def ask(self, prompt: str) -> str | None:
        """Return the next line that is typed, without the spaces around it; None if there will be no more."""
        print(prompt, end="", file=self._target, flush=True)
        line = self._source.readline()
        if not line:
            self.say()
            return None
        return line.strip()


class MoveMenu:
    """Legal moves as a person sees and names them.

    The moves are in order, numbers by their value, and each has a label: `(drop 3)` has the label 3 if all moves are
    like that, so that nobody confuses it with the third one. Else they are counted.

    Args:
        moves: The moves.
    """

    def __init__(self, moves: Collection[Move]) -> None:
        self.moves = sorted(moves, key=_order)
        self.labels = _labels(self.moves)
        self._words = [_words_of(move) for move in self.moves]

    def lines(self, width: int, most: int | None = None, moves: Collection[Move] | None = None) -> list[str]:
        """Return the moves with their labels in as many columns as fit.

        Args:
            width: Of a line.
            most: Lines after which the list is cut; None for all of it.
            moves: Those to list; None for all.
        """
        rows = [
            (label, _plain(move))
            for label, move in zip(self.labels, self.moves, strict=True)
            if moves is None or move in moves
        ]
        margin = max(len(label) for label, _ in rows)
        cells = [f"{label.rjust(margin)}  {text}" if margin else text for label, text in rows]
        widest = max(map(len, cells))
        num_columns = max(1, (width + 3) // (widest + 3))
        num_lines = -(-len(cells) // num_columns)
        shown = num_lines if most is None else min(num_lines, most)
        lines = ["   ".join(cell.ljust(widest) for cell in cells[row::num_lines]).rstrip() for row in range(shown)]
        if shown < num_lines:
            left = sum(len(cells[row::num_lines]) for row in range(shown, num_lines))
            lines.append(f"… and {left} more: 'moves' lists all, and a part of a move those that it fits")
        return lines

    def find(self, text: str) -> list[Move]:
        """Return the moves that somebody can mean, one if it is clear.

        A label comes first, then a whole move, in any notation; then words that stand side by side in a move; then the
        beginnings of such words, where a number must be whole.
        """
        typed = _split(text)
        if not typed:
            return []
        if text in self.labels:
            return [self.moves[self.labels.index(text)]]
        for fits in (_are_all, _stand_in, _begin):
            if found := [move for move, words in zip(self.moves, self._words, strict=True) if fits(typed, words)]:
                return self._exact(text, found)
        return []

    def _exact(self, text: str, found: list[Move]) -> list[Move]:
        """Return the one move that is written just so, where parentheses alone make the difference."""
        exact = [move for move in found if to_kif(move) == " ".join(text.lower().split())]
        return exact or found


class HumanPlayer(Player):
    """A person who types moves. The clock is told, not enforced; a move without an alternative is made at once.

    Leaving is a wish that is always possible: where it will not be granted it interrupts the program, as Ctrl-C does.

    Args:
        console: Where the person reads and types; the terminal if None.
        grants: The wishes that will be granted.

    Attributes:
        known: Fluents of other positions, for drawings; see `woodstock.draw.draw_position`.
    """

    def __init__(self, console: Console | None = None, grants: Collection[Wish] = (), /) -> None:
        self.known: Collection[Fluent] = ()
        self._console = console
        self._grants = frozenset(grants)
        self._seat: Seat[Any] | None = None
        self._asked: int | None = None

    def __repr__(self) -> str:
        return "HumanPlayer()"

    @property
    def console(self) -> Console:
        """Where the person reads and types."""
        if self._console is None:
            self._console = Console()
        return self._console

    def start(self, seat: Seat[Any]) -> None:
        self._seat = seat
        self._asked = None

    def choose(self, turn: Turn[Any]) -> Move:
        """Return the move that the person types.

        Raises:
            Wished: The person has another wish, which will be granted.
            KeyboardInterrupt: The person leaves, and nobody is prepared for that.
        """
        if len(turn.legal_moves) == 1:
            return turn.legal_moves[0]
        menu = MoveMenu(turn.legal_moves)
        if turn.number != self._asked:
            self._say_lines(menu.lines(self.console.width, MAX_LINES))
        self._asked = turn.number
        while True:
            text = self.console.ask(self._prompt(turn))
            move = self._understand(f":{Wish.QUIT.value}" if text is None else text, menu, turn)
            if move is not None:
                if turn.deadline.expired:
                    self.console.say("That took longer than the clock allows.")
                return move

    def observe(self, event: Event[Any]) -> None:
        """Tell the person what the role is shown, where the rules hide the rest."""
        if event.moves is None:
            seen = ", ".join(sorted(map(to_kif, event.percepts))) or "nothing"
            self.console.say(f"\n{event.number}. {self._role}: {to_kif(event.move)}; you see: {seen}")

    def ponder(self, deadline: Deadline) -> None:
        """Do nothing: a person thinks without being asked."""

    def stop(self, goals: tuple[int | None, ...] | None) -> None:
        self._seat = None

    @property
    def _role(self) -> str:
        return "you" if self._seat is None else self._seat.game.roles[self._seat.role]

    def _prompt(self, turn: Turn[Any]) -> str:
        left = turn.deadline.seconds_left
        return f"{self._role}> " if left == inf else f"{self._role}, {left:.0f} s left> "

    def _understand(self, text: str, menu: MoveMenu, turn: Turn[Any]) -> Move | None:
        """Return the move that somebody typed; None if it was something else, which is then done."""
        word = text.lower().lstrip(":")
        word = _SYNONYMS.get(word, word)
        is_move = not text.startswith(":") and text.lower() in {*map(to_kif, menu.moves), *menu.labels}
        if not is_move and (word == "help" or word in _MEANINGS):
            self._obey(word, menu, turn)
            return None
        found = menu.find(text)
        if len(found) == 1:
            return found[0]
        if found:
            self.console.say(f"Which one? {len(found)} moves fit:")
            self._say_lines(menu.lines(self.console.width, MAX_LINES, found))
        elif text:
            self.console.say(f"You have no move like '{text}'; 'moves' lists them, 'help' tells what else there is.")
        return None

    def _obey(self, word: str, menu: MoveMenu, turn: Turn[Any]) -> None:
        if word == "help":
            self._say_lines(self._help())
        elif word == "moves":
            self._say_lines(menu.lines(self.console.width))
        elif word == "board":
            self.console.say(self._board(turn))
        else:
            self._wish_for(Wish(word))

    def _wish_for(self, wish: Wish) -> None:
        if wish in self._grants:
            raise Wished(wish)
        if wish is Wish.QUIT:
            raise KeyboardInterrupt
        self.console.say(f"There is no '{wish.value}' in this match.")

    def _help(self) -> Iterator[str]:
        yield "Type the number of a move, the move itself, or a part that is enough to tell it from the others. Also:"
        for word, meaning in _MEANINGS.items():
            if word in ("moves", "board") or Wish(word) in self._grants or word == Wish.QUIT.value:
                yield f"  {word:<7} {meaning}"
        yield "Where a move is called like one of these words, write :word for the word."

    def _board(self, turn: Turn[Any]) -> str:
        if turn.position is None or self._seat is None:
            return "The rules hide the position."
        return draw_position(self._seat.game.fluents(turn.position), self.known)

    def _say_lines(self, lines: Sequence[str] | Iterator[str]) -> None:
        for line in lines:
            self.console.say(line)


def _labels(moves: Sequence[Move]) -> list[str]:
    """Return what to type for each move: its own number, if all have one; else how many come before it and one more.

    Where some moves are mere numbers, these are their labels, and the others have none.
    """
    own = [_number_of(move) for move in moves]
    if all(own) and len(set(own)) == len(own) and len({_words_of(move)[:-1] for move in moves}) == 1:
        return own
    mere = [move if isinstance(move, str) and move.isdecimal() else "" for move in moves]
    return mere if any(mere) else [str(place) for place in range(1, len(moves) + 1)]


def _number_of(move: Move) -> str:
    """Return the number in a move such as `(drop 3)` or `3`, or nothing."""
    words = _words_of(move)
    return words[-1] if len(words) <= 2 and words[-1].isdecimal() else ""


def _plain(move: Move) -> str:
    """Return a move in KIF, without the outermost parentheses."""
    return move if isinstance(move, str) else " ".join(map(to_kif, move))


def _words_of(move: Move) -> tuple[str, ...]:
    return _split(to_kif(move))


def _split(text: str) -> tuple[str, ...]:
    """Return the words of a text, whatever stands between them."""
    return tuple(filter(None, _SEPARATORS.split(text.lower())))


def _order(move: Move) -> tuple[bool, list[list[tuple[int, int, str]]]]:
    """Return a key by which moves with arguments come before mere words, and numbers are in order."""
    return isinstance(move, str), [list(map(_piece_order, _PIECES.findall(word))) for word in _words_of(move)]


def _piece_order(piece: str) -> tuple[int, int, str]:
    digits = piece.lstrip("0")
    # By length, then by digits: that is by value, however long a number is.
    return (0, len(digits), digits) if piece.isdecimal() else (1, 0, piece)


def _are_all(typed: tuple[str, ...], words: tuple[str, ...]) -> bool:
    return typed == words


def _stand_in(typed: tuple[str, ...], words: tuple[str, ...]) -> bool:
    return _occurs(typed, words, lambda mine, theirs: mine == theirs)


def _begin(typed: tuple[str, ...], words: tuple[str, ...]) -> bool:
    return _occurs(
        typed, words, lambda mine, theirs: mine == theirs or (not mine.isdecimal() and theirs.startswith(mine))
    )


def _occurs(typed: tuple[str, ...], words: tuple[str, ...], fits: Callable[[str, str], bool]) -> bool:
    """Tell whether what was typed stands somewhere in the words, one beside the other."""
    starts = range(len(words) - len(typed) + 1)
    return any(all(map(fits, typed, words[start:])) for start in starts)
