"""Keys for search trees that positions share if they are symmetric to each other.

They rest on the symmetries of the rules that keep every role (`woodstock.symmetry`): what such a symmetry makes of a
position is worth the same to everyone.
"""

from __future__ import annotations

from woodstock.circuit.game import CircuitGame
from woodstock.common.errors import LimitError
from woodstock.common.limits import Deadline
from woodstock.search.tree_search import KeysOf
from woodstock.symmetry._automorphism import available
from woodstock.symmetry.canonical_chain import ChainKeys
from woodstock.symmetry.canonical_choice import is_trivial, make_canonical_keys
from woodstock.symmetry.detection import DetectionOptions, find_symmetries
from woodstock.symmetry.group import SymmetryGroup


def can_find_symmetries() -> bool:
    """Tell whether the libraries for that are installed."""
    return available()


def find_symmetric_keys(game: CircuitGame, deadline: Deadline) -> KeysOf | None:
    """Return what finds such keys, or None if the game has no symmetry, or none that is found in time."""
    return keys_of_group(game, find_group(game, deadline, permute_roles=False))


def find_group(game: CircuitGame, deadline: Deadline, permute_roles: bool) -> SymmetryGroup:
    """Return the symmetries of a game; questions about them have as much time again as there is for finding them."""
    seconds = deadline.seconds_left
    found = find_symmetries(game.program, DetectionOptions(deadline, permute_roles=permute_roles))
    return found.group.within(Deadline(seconds))


def keys_of_group(game: CircuitGame, group: SymmetryGroup) -> KeysOf | None:
    """Return what finds keys that positions share if some symmetry that keeps every role takes one to the other.

    There are none if no symmetry keeps them, or the group is too large for its deadline; nor if it takes a stabiliser
    chain to find a key: that takes milliseconds, in which a search makes a hundred nodes, and makes moves late.
    """
    try:
        keys = make_canonical_keys(group, game.keys)
    except LimitError:
        return None
    if is_trivial(keys) or isinstance(keys, ChainKeys):
        return None
    keys.keys(game.initial_position().row[None])  # so that the kernels are there when a clock runs
    return keys.keys
