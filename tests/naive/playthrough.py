"""A match of a bundled game as text, to be kept and compared: whatever changes in a game's rules shows in it."""

from __future__ import annotations

import random

from woodstock.game.ground_game import GroundGame
from woodstock.game.load import load_rules
from woodstock.gdl.printer import to_kif
from woodstock.ground import ground

MOST_STEPS = 40


def play_through(name: str) -> str:
    """Return a random match of a bundled game, or its beginning, step by step."""
    game = GroundGame(ground(load_rules(name)))
    rng = random.Random(name)
    roles = range(len(game.roles))
    position = game.initial_position()
    lines = [f"roles: {' '.join(game.roles)}"]
    lines += [f"  + {fluent}" for fluent in sorted(map(to_kif, game.fluents(position)))]
    for step in range(1, MOST_STEPS + 1):
        if game.is_terminal(position):
            break
        legal = [sorted(game.legal_moves(position, role), key=to_kif) for role in roles]
        moves = [rng.choice(choices) for choices in legal]
        lines.append("")
        lines.append(
            f"{step}. "
            + ", ".join(f"{game.roles[role]}: {to_kif(moves[role])} of {len(legal[role])}" for role in roles)
        )
        for role in roles:
            seen = sorted(map(to_kif, game.percepts(position, moves, role)))
            if game.program.percepts is not None and seen:
                lines.append(f"  {game.roles[role]} sees {' '.join(seen)}")
        after = game.next_position(position, moves)
        old, new = (set(map(to_kif, game.fluents(each))) for each in (position, after))
        lines += [f"  - {fluent}" for fluent in sorted(old - new)]
        lines += [f"  + {fluent}" for fluent in sorted(new - old)]
        position = after
    goals = [
        f"{game.roles[role]} {' or '.join(map(to_kif, game.goal_values(position, role))) or 'none'}" for role in roles
    ]
    lines += ["", f"{'end' if game.is_terminal(position) else 'not the end'}, goals: {', '.join(goals)}"]
    return "\n".join(lines) + "\n"
