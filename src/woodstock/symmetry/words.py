"""Symmetries in the game's own words: "columns 1 2 3 reversed", "columns and rows exchanged", "x and o exchanged".

A symmetry is told argument by argument where it treats the arguments of a name one by one: every argument of an image
is then made from one argument of what it is the image of. Otherwise some examples have to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from woodstock.gdl.printer import to_kif
from woodstock.gdl.terms import GroundTerm
from woodstock.ground.program import GroundProgram
from woodstock.symmetry.symmetry import Symmetry

MAX_EXAMPLES: Final = 3
MAX_VALUES: Final = 12
"""Longer lists of values are cut."""
COLUMNS, ROWS = "columns", "rows"
_COORDINATE = re.compile(r"[a-z_]*\d+|[a-z]")

Terms = Mapping[GroundTerm, GroundTerm]
"""Terms of one name, each with its image."""


def describe(program: GroundProgram, symmetry: Symmetry) -> list[str]:
    """Return a symmetry in words, a phrase for everything that it does; nothing if it moves nothing."""
    found: dict[str, str] = {}  # phrases with their titles
    if not symmetry.keeps_roles:
        pairs = zip(program.roles, symmetry.roles.tolist(), strict=True)
        images: dict[GroundTerm, GroundTerm] = {role: program.roles[image] for role, image in pairs}
        phrase = _permutation(list(program.roles), images)
        found[f"roles {phrase}"] = phrase
    for terms in (fluent_images(program, symmetry), move_images(program, symmetry)):
        for name, group in sorted(_by_name(terms).items()):
            if any(term != image for term, image in group.items()):
                for title, phrase in _describe_name(name[0], group):
                    # Most names share their values with others: what happens to these is said once.
                    if title in (COLUMNS, ROWS) or phrase not in found.values():
                        found[f"{title} {phrase}".strip()] = phrase
    return list(found)


def fluent_images(program: GroundProgram, symmetry: Symmetry) -> dict[GroundTerm, GroundTerm]:
    """Return the image of each fluent."""
    pairs = zip(program.fluents, symmetry.fluents.tolist(), strict=True)
    return {fluent: program.fluents[image] for fluent, image in pairs}


def move_images(program: GroundProgram, symmetry: Symmetry) -> dict[GroundTerm, GroundTerm]:
    """Return the image of each move that a role has; where roles differ, the last one tells."""
    moves = [move for of_role in program.moves for move in of_role]
    return {move: moves[image] for move, image in zip(moves, symmetry.moves.tolist(), strict=True)}


def _words(term: GroundTerm) -> tuple[GroundTerm, ...]:
    return term if isinstance(term, tuple) else (term,)


def _by_name(terms: Terms) -> dict[tuple[str, int], dict[GroundTerm, GroundTerm]]:
    found: dict[tuple[str, int], dict[GroundTerm, GroundTerm]] = {}
    for term, image in terms.items():
        words = _words(term)
        found.setdefault((str(words[0]), len(words)), {})[term] = image
    return found


def _describe_name(name: str, terms: Terms) -> list[tuple[str, str]]:
    """Tell what happens to the terms of one name: titles, which may be empty, and phrases."""
    sources = _sources(terms)
    if sources is None:
        return [("", _examples(terms))]
    titles = _titles(name, terms)
    exchanged = [(place, source) for place, (source, _) in enumerate(sources, 1) if place != source]
    phrases = [
        ("", f"{titles[place]} and {titles[source]} exchanged")
        for place, source in exchanged
        if source > place and (source, place) in exchanged
    ]
    if len(phrases) * 2 < len(exchanged):
        phrases.append(("", ", ".join(f"{titles[source]} become {titles[place]}" for place, source in exchanged)))
    for place, (_, images) in enumerate(sources, 1):
        if any(value != image for value, image in images.items()):
            title = titles[place] if _is_axis(set(images)) else ""
            phrases.append((title, _permutation(list(images), images)))
    return phrases


def _sources(terms: Terms) -> list[tuple[int, dict[GroundTerm, GroundTerm]]] | None:
    """Return for each argument of the images which argument it is made from, and how; None if there is no such."""
    pairs = [(_words(term), _words(image)) for term, image in terms.items()]
    length = len(pairs[0][0])
    if any(len(image) != length or image[0] != term[0] for term, image in pairs):
        return None
    found: list[tuple[int, dict[GroundTerm, GroundTerm]]] = []
    free = set(range(1, length))
    for place in range(1, length):
        for source in sorted(free, key=lambda each: (each != place, each)):
            images = _function((term[source], image[place]) for term, image in pairs)
            if images is not None:
                found.append((source, images))
                free.discard(source)
                break
        else:
            return None
    return found


def _function(pairs: Iterable[tuple[GroundTerm, GroundTerm]]) -> dict[GroundTerm, GroundTerm] | None:
    """Return pairs as a one-to-one map of some values, or None if they are not one."""
    images: dict[GroundTerm, GroundTerm] = {}
    for value, image in pairs:
        if images.setdefault(value, image) != image:
            return None
    return images if len(set(images.values())) == len(images) else None


def _titles(name: str, terms: Terms) -> dict[int, str]:
    """Name the arguments: the first two neighbours that count, or are letters, are columns and rows."""
    words = [_words(term) for term in terms]
    titles = {place: f"argument {place} of {name}" for place in range(1, len(words[0]))}
    for place in range(1, len(words[0]) - 1):
        if _is_axis({each[place] for each in words}) and _is_axis({each[place + 1] for each in words}):
            titles[place], titles[place + 1] = COLUMNS, ROWS
            break
    return titles


def _is_axis(values: set[GroundTerm]) -> bool:
    return len(values) > 1 and all(isinstance(value, str) and _COORDINATE.fullmatch(value) for value in values)


def _permutation(values: Sequence[GroundTerm], images: Mapping[GroundTerm, GroundTerm]) -> str:
    """Tell where values go: reversed, shifted, or in circles."""
    ordered = sorted(values, key=_natural)
    moved = [images[value] for value in ordered]
    if _is_axis(set(ordered)) and len(ordered) > 2:
        if moved == ordered[::-1]:
            return f"{_list(ordered)} reversed"
        for shift in range(1, len(ordered)):
            if moved == ordered[shift:] + ordered[:shift]:
                return f"{_list(ordered)} shifted by {shift}"
    return _some(_circles(ordered, images), ", ")


def _some(phrases: list[str], separator: str) -> str:
    """Join the first phrases, and tell how many there are besides."""
    more = len(phrases) - MAX_EXAMPLES
    return separator.join([*phrases[:MAX_EXAMPLES], *([f"and {more} more"] if more > 0 else [])])


def _circles(values: Sequence[GroundTerm], images: Mapping[GroundTerm, GroundTerm]) -> list[str]:
    phrases = []
    seen: set[GroundTerm] = set()
    for value in values:
        circle = [value]
        while (image := images.get(circle[-1], value)) != value and image not in circle:
            circle.append(image)
        if len(circle) > 1 and not seen & set(circle):
            names = [to_kif(each) for each in circle]
            phrases.append(
                f"{names[0]} and {names[1]} exchanged" if len(names) == 2 else " → ".join([*names, names[0]])
            )
        seen |= set(circle)
    return phrases


def _examples(terms: Terms) -> str:
    return _some(_circles(sorted(terms, key=_natural), terms), "; ")


def _list(values: Sequence[GroundTerm]) -> str:
    shown = [to_kif(value) for value in values]
    return " ".join(shown if len(shown) <= MAX_VALUES else [*shown[:3], "…", shown[-1]])


def _natural(term: GroundTerm) -> list[tuple[int, str]]:
    """Sort numbers within words by their size."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", to_kif(term))]
