"""The messages of the GGP protocol, from text and to text; there are no sockets here.

A host sends a player *messages*, one of the classes below, and gets *replies* (see `woodstock.match.replies`). Words
are read in upper and lower case, and written as ggp-base writes them.

>>> from woodstock.match.messages import Play, read_message, write_message
>>> read_message("(PLAY m1 ((MARK 2 2) NOOP))")
Play(match_id='m1', terms=(('mark', '2', '2'), 'noop'), turn=None, move=None)
>>> write_message(Play("m1", (("mark", "2", "2"), "noop")))
'( PLAY m1 (( mark 2 2 ) noop ) )'

In games that hide something PLAY and STOP have two forms: the *old* one carries what the player was shown, in place of
the joint move; the *new* one the number of the turn, the player's own move as it was executed, and what it was shown.

>>> read_message("(PLAY m7 1 (CHOOSE 2) ((DOOR_OPENED 3)))")
Play(match_id='m7', terms=(('door_opened', '3'),), turn=1, move=('choose', '2'))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from woodstock.game.protocol import Move
from woodstock.gdl.printer import rules_to_kif
from woodstock.gdl.rules import Rule
from woodstock.gdl.sheet import Sheet, read_sheet
from woodstock.gdl.source import SourceText, Span
from woodstock.gdl.terms import GroundTerm
from woodstock.match.expressions import ProtocolError, excerpt, inside, is_list, read_terms, split_items
from woodstock.match.symbols import write_symbols

MAX_CHARACTERS: Final = 5 * 2**20
"""Longer messages are refused unread: no rule sheet is as large as this."""

NIL: Final = "nil"
MAX_CLOCK: Final = 1e9
_CLOCK: Final = re.compile(r"[0-9]+(\.[0-9]+)?")
_TURN: Final = re.compile(r"[0-9]{1,9}")
_NAMED: Final = re.compile(r"[\s\ufeff]*(?:\(\s*)?([A-Za-z]+)")


@dataclass(frozen=True, slots=True)
class RulesText:
    """The rules in a message, unread.

    Attributes:
        text: The rules, in prefix notation.
        line: Line of the message in which they begin.
        column: Column of that line.
    """

    text: str
    line: int = field(default=1, compare=False, repr=False)
    column: int = field(default=1, compare=False, repr=False)

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> RulesText:
        """Return rules as text, without line breaks."""
        return cls(rules_to_kif(rules).replace("\n", " "))

    def read(self, name: str = "message") -> Sheet:
        """Return the rule sheet; what is wrong with it is told with its place in the message."""
        before = "\n" * (self.line - 1) + " " * (self.column - 1)
        return read_sheet(SourceText(before + self.text, name), "kif")


@dataclass(frozen=True, slots=True)
class Info:
    """Asks a player whether it is there and free."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Shows rules to a player before there is a match of them.

    Attributes:
        rules: The rules.
        clock: Seconds to look at them.
    """

    rules: RulesText
    clock: float


@dataclass(frozen=True, slots=True)
class Start:
    """Begins a match.

    Attributes:
        match_id: The name of the match, as written.
        role: The role that the player has, in lower case.
        rules: The rules.
        start_clock: Seconds before the first move.
        play_clock: Seconds for each move.
    """

    match_id: str
    role: str
    rules: RulesText
    start_clock: float
    play_clock: float


@dataclass(frozen=True, slots=True)
class Play:
    """Asks for a move.

    Attributes:
        match_id: The name of the match, as written.
        terms: What happened since the last message: in a game that hides nothing the joint move, else what the player
            was shown; None for NIL, if nothing has happened yet.
        turn: How many joint moves have been made; only the new form tells it.
        move: The player's own move as it was executed; only the new form tells it, and not before the first move.
    """

    match_id: str
    terms: tuple[GroundTerm, ...] | None
    turn: int | None = None
    move: Move | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """Tells that the match is over; the attributes are those of `Play`."""

    match_id: str
    terms: tuple[GroundTerm, ...] | None
    turn: int | None = None
    move: Move | None = None


@dataclass(frozen=True, slots=True)
class Abort:
    """Breaks a match off."""

    match_id: str


Message: TypeAlias = Info | Preview | Start | Play | Stop | Abort


def read_message(text: str) -> Message:
    """Return the message that a text is.

    Line breaks and comments may stand anywhere, superfluous arguments at the end.

    Raises:
        ProtocolError: It is none.
    """
    if len(text) > MAX_CHARACTERS:
        raise ProtocolError(f"expected a message, found more than {MAX_CHARACTERS // 2**20} million characters")
    named = _NAMED.match(text)
    # Words that cannot begin a message are found here, before a long text of nonsense is read.
    if ";" not in text[:1000] and (named is None or named[1].lower() not in _READERS):
        raise ProtocolError(_expected(text))
    items = list(split_items(text, Span(0, len(text))))
    if len(items) != 1:
        raise ProtocolError(_expected(text) if not items else f"expected one message, found more: {excerpt(text)}")
    words = list(split_items(text, inside(items[0]))) if is_list(text, items[0]) else items
    name = _text(text, words[0]).lower() if words else ""
    if name not in _READERS:
        raise ProtocolError(_expected(text))
    reader, least, form = _READERS[name]
    if len(words) <= least:
        raise ProtocolError(f"expected {form}, found {excerpt(text)}")
    return reader(text, words[1:])


def write_message(message: Message) -> str:
    """Return the text of a message, with the spaces that ggp-base puts there."""
    match message:
        case Info():
            return "( INFO )"
        case Preview(rules, clock):
            return f"( PREVIEW ({rules.text}) {write_clock(clock)} )"
        case Start():
            clocks = f"{write_clock(message.start_clock)} {write_clock(message.play_clock)}"
            return f"( START {message.match_id} {message.role} ({message.rules.text}) {clocks})"
        case Abort(match_id):
            return f"( ABORT {match_id} )"
        case Play(match_id, terms, None):
            return f"( PLAY {match_id} {_list(terms)} )"
        case Stop(match_id, terms, None):
            return f"( STOP {match_id} {_list(terms)} )"
    word = "PLAY" if isinstance(message, Play) else "STOP"
    move = "NIL" if message.move is None else write_symbols(message.move)
    return f"( {word} {message.match_id} {message.turn} {move} {_list(message.terms)} )"


def write_clock(seconds: float) -> str:
    """Return a clock, a whole number wherever it is one.

    >>> write_clock(15.0), write_clock(0.3)
    ('15', '0.3')
    """
    return str(int(seconds)) if seconds == int(seconds) else f"{seconds:.6f}".rstrip("0").rstrip(".")


def _list(terms: Sequence[GroundTerm] | None) -> str:
    return "NIL" if terms is None else "(" + "".join(write_symbols(term) + " " for term in terms) + ")"


def _text(text: str, item: Span) -> str:
    return text[item.start : item.end]


def _expected(text: str) -> str:
    names = ", ".join(name.upper() for name in _READERS)
    return f"expected a message ({names}), found {excerpt(text) if text.strip() else 'nothing'}"


def _word(text: str, item: Span, what: str) -> str:
    if is_list(text, item):
        raise ProtocolError(f"expected {what}, found the list {excerpt(_text(text, item))}")
    return _text(text, item)


def _rules(text: str, item: Span) -> RulesText:
    if not is_list(text, item):
        raise ProtocolError(f"expected a list of rules, found {excerpt(_text(text, item))}")
    part = inside(item)
    line, column = SourceText(text).position(part.start)
    return RulesText(_text(text, part), line, column)


def _clock(text: str, item: Span) -> float:
    word = _word(text, item, "a number of seconds")
    if not _CLOCK.fullmatch(word) or not float(word) <= MAX_CLOCK:
        raise ProtocolError(f"expected a number of seconds, found {excerpt(word)}")
    return float(word)


def _terms(text: str, item: Span) -> tuple[GroundTerm, ...] | None:
    """Return the terms of a list, or None for NIL."""
    if is_list(text, item):
        return read_terms(text, inside(item))
    word = _text(text, item).lower()
    return None if word == NIL else (word,)


def _read_preview(text: str, items: list[Span]) -> Preview:
    return Preview(_rules(text, items[0]), _clock(text, items[1]))


def _read_start(text: str, items: list[Span]) -> Start:
    match_id = _word(text, items[0], "the name of a match")
    role = _word(text, items[1], "a role").lower()
    play_clock = _clock(text, items[4])
    if play_clock == 0:
        raise ProtocolError("expected seconds for each move, found 0")
    return Start(match_id, role, _rules(text, items[2]), _clock(text, items[3]), play_clock)


def _read_turn(text: str, items: list[Span]) -> tuple[str, tuple[GroundTerm, ...] | None, int | None, Move | None]:
    """Return the arguments of PLAY and STOP, whichever form they have."""
    match_id = _word(text, items[0], "the name of a match")
    if len(items) < 4 or is_list(text, items[1]):
        return match_id, _terms(text, items[1]) if len(items) > 1 else None, None, None
    turn = _word(text, items[1], "the number of a turn")
    if not _TURN.fullmatch(turn):
        raise ProtocolError(f"expected the number of a turn, found {excerpt(turn)}")
    (move,) = read_terms(text, items[2])
    return match_id, _terms(text, items[3]), int(turn), None if move == NIL else move


def _read_info(_text: str, _items: list[Span]) -> Info:
    return Info()


def _read_play(text: str, items: list[Span]) -> Play:
    return Play(*_read_turn(text, items))


def _read_stop(text: str, items: list[Span]) -> Stop:
    return Stop(*_read_turn(text, items))


def _read_abort(text: str, items: list[Span]) -> Abort:
    return Abort(_word(text, items[0], "the name of a match"))


_READERS: Final[dict[str, tuple[Callable[[str, list[Span]], Message], int, str]]] = {
    "info": (_read_info, 0, "( INFO )"),
    "preview": (_read_preview, 2, "( PREVIEW (rules) clock )"),
    "start": (_read_start, 5, "( START id role (rules) startclock playclock )"),
    "play": (_read_play, 1, "( PLAY id moves )"),
    "stop": (_read_stop, 1, "( STOP id moves )"),
    "abort": (_read_abort, 1, "( ABORT id )"),
}
"""How each message is read, how many arguments it has at least, and what it looks like."""
