"""The players by name, and the specs that name one with its options.

A *spec* is a name, or a name, a colon and options: `uct:exploration=0.7,threads=2`. The options of a player are the
keyword arguments of its class, and what may be given for each follows from its annotation.

Another package adds players by entry points of the group `woodstock.players`: the name of the entry point is that of
the player, and its object a class (or a function) that makes one.

>>> from woodstock.players.registry import split_spec
>>> split_spec("uct:exploration=0.7,threads=2")
('uct', {'exploration': '0.7', 'threads': '2'})
"""

from __future__ import annotations

import difflib
import importlib
import inspect
from collections.abc import Callable, Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, get_type_hints

from woodstock.common.errors import UsageError
from woodstock.players.protocol import Player

GROUP: Final = "woodstock.players"
"""The group of entry points by which other packages add players."""

BUILT_IN: Final[dict[str, str]] = {
    "random": "woodstock.players.simple:RandomPlayer",
    "legal": "woodstock.players.simple:LegalPlayer",
    "human": "woodstock.players.human:HumanPlayer",
    "greedy": "woodstock.players.greedy:GreedyPlayer",
    "flat": "woodstock.players.searching:FlatPlayer",
    "uct": "woodstock.players.searching:UctPlayer",
    "grave": "woodstock.players.searching:GravePlayer",
    "uct-sym": "woodstock.players.symmetric:UctSymPlayer",
    "grave-sym": "woodstock.players.symmetric:GraveSymPlayer",
    "mac-ucb": "woodstock.players.mac_ucb:MacUcbPlayer",
    "fc-ucb": "woodstock.players.mac_ucb:FcUcbPlayer",
    "mac-ucb-sym": "woodstock.players.mac_ucb:MacUcbSymPlayer",
    "woodstock": "woodstock.players.woodstock:WoodstockPlayer",
}
"""Where the class of each player stands; this is the only place where a player of ours is named."""

THOUGHTLESS: Final = frozenset({"random", "legal", "human", "greedy"})
"""Players that do not search: they need no circuit, and whoever waits for them no compiled kernels."""

_TRUTH: Final = dict.fromkeys(("yes", "true", "on", "1"), True) | dict.fromkeys(("no", "false", "off", "0"), False)


def player_names() -> list[str]:
    """Return the names of all players, ours first."""
    return [*BUILT_IN, *sorted(set(_outside()) - BUILT_IN.keys())]


def make_player(spec: str) -> Player:
    """Return a new player.

    Args:
        spec: Its name, perhaps with options.

    Raises:
        UsageError: There is no player of that name, or it has no such option, or the option takes no such value.
    """
    name, options = split_spec(spec)
    make = find_player(name)
    return make(**_read_options(name, make, options))


def any_searches(specs: Iterable[str]) -> bool:
    """Tell whether one of some players may search, for which a circuit is made and kernels are compiled.

    >>> any_searches(["greedy", "random"]), any_searches(["uct:threads=2", "random"])
    (False, True)
    """
    return any(split_spec(spec)[0] not in THOUGHTLESS for spec in specs)


def find_player(name: str) -> Callable[..., Player]:
    """Return the class of a player.

    Raises:
        UsageError: There is no player of that name, or its package does not load.
    """
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        make: Callable[..., Player] = getattr(importlib.import_module(module), attribute)
        return make
    outside = _outside()
    if name in outside:
        try:
            loaded: Callable[..., Player] = outside[name].load()
        except Exception as error:
            raise UsageError(f"the player {name!r} of {outside[name].value} does not load: {error}") from error
        return loaded
    names = player_names()
    near = difflib.get_close_matches(name, names, n=1)
    guess = f"; did you mean {near[0]!r}?" if near else ""
    raise UsageError(f"no player is called {name!r}{guess} (players: {', '.join(names)})")


def split_spec(spec: str) -> tuple[str, dict[str, str]]:
    """Return the name and the options of a spec, as text.

    Raises:
        UsageError: It is no spec.
    """
    name, colon, rest = spec.strip().partition(":")
    options: dict[str, str] = {}
    for part in rest.split(",") if colon else ():
        key, equals, value = (word.strip() for word in part.partition("="))
        if not key or not equals or not value:
            raise UsageError(f"expected NAME:OPTION=VALUE,… for a player, found {spec!r}")
        if key in options:
            raise UsageError(f"the option {key!r} stands twice in {spec!r}")
        options[key] = value
    return name, options


def describe_options(name: str) -> dict[str, str]:
    """Return the options of a player, each with its default as text."""
    return {key: str(parameter.default) for key, parameter in _parameters(find_player(name)).items()}


def _outside() -> dict[str, EntryPoint]:
    """Return the players of other packages."""
    return {point.name: point for point in entry_points(group=GROUP)}


def _parameters(make: Callable[..., Player]) -> dict[str, inspect.Parameter]:
    found = inspect.signature(make).parameters.values()
    return {each.name: each for each in found if each.kind in (each.KEYWORD_ONLY, each.POSITIONAL_OR_KEYWORD)}


def _read_options(name: str, make: Callable[..., Player], options: dict[str, str]) -> dict[str, Any]:
    """Return options as the values that the player's class expects."""
    known = _parameters(make)
    types = _annotations(make)
    values: dict[str, Any] = {}
    for key, text in options.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            guess = f"; did you mean {near[0]!r}?" if near else ""
            listed = ", ".join(known) or "none"
            raise UsageError(f"the player {name!r} has no option {key!r}{guess} (options: {listed})")
        values[key] = _read_value(f"{name}:{key}", text, types.get(key, str))
    return values


def _annotations(make: Callable[..., Player]) -> dict[str, Any]:
    """Return the types of a player's options; nothing if its annotations mean nothing here."""
    try:
        return get_type_hints(make.__init__ if inspect.isclass(make) else make)
    except NameError:
        return {}


def _read_value(place: str, text: str, kind: Any) -> Any:
    """Return the value that a text stands for; `kind` is the annotation of the argument."""
    kinds = getattr(kind, "__args__", None) or (kind,)
    if type(None) in kinds and text.lower() == "none":
        return None
    if bool in kinds and text.lower() in _TRUTH:
        return _TRUTH[text.lower()]
    for number in (int, float):
        if number in kinds:
            try:
                return number(text)
            except ValueError:
                continue
    if str in kinds:
        return text
    expected = " or ".join({bool: "yes or no", int: "a whole number", float: "a number"}.get(k, "none") for k in kinds)
    raise UsageError(f"{place} takes {expected}, found {text!r}")
