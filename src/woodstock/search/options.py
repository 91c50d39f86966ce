"""What a tree search is asked to do, on circuits and on any game, and what it did."""

from __future__ import annotations

from dataclasses import dataclass

from woodstock.circuit.runner import HORIZON
from woodstock.common.errors import UsageError


@dataclass(frozen=True)
class SearchOptions:
    """What a tree search does.

    Attributes:
        exploration: Weight of the confidence in UCB1, for utilities 0 to 1.
        samples: Playouts for each new node; none only if there is an evaluation.
        minimax: Nodes are worth what the best of their children is, not the mean of their visits.
        spread: How many children of a node are sampled when it is expanded.
        doubt: How much less an action is thought to be worth while the results of descents are awaited.
        descents: Most descents in a batch; None to measure what takes a few milliseconds.
        grave: Choose actions by GRAVE.
        bias: How quickly GRAVE forgets what is known of a move elsewhere.
        enough: With so many playouts GRAVE believes a node's own table of moves.
        hearing: How much an evaluation counts beside playouts, 0 to 1: playouts are averaged, what it says is carried
            up by minimax (implicit minimax: Lanctot et al. 2014).
        favourites: How many children of a node are sampled when it is expanded, those that the evaluation likes best;
            the others when a descent comes to them. 0 for all.
        trust: How many visits what is known of a move elsewhere is worth (`woodstock.search.history`); 0 to ignore it.
        mast: Playouts prefer moves that did well (move-average sampling).
        temperature: How much MAST prefers them: small is more.
        foresight: In playouts roles foresee so many moves, 0 to 2, if the game allows it; see
            `woodstock.circuit.foresight`.
        mixing: Where roles move at once they choose by regret matching, and try anything that often; negative for
            UCB1.
        horizon: Most joint moves of a playout.
        threads: How many threads make cycles.
        memory: Megabytes that the tree may take.
    """

    exploration: float = 0.15
    samples: int = 16
    minimax: bool = False
    spread: int = 64
    doubt: float = 0.3
    descents: int | None = None
    grave: bool = False
    bias: float = 0.1
    enough: float = 100.0
    hearing: float = 0.0
    favourites: int = 0
    trust: float = 0.0
    mast: bool = False
    temperature: float = 0.2
    foresight: int = 0
    mixing: float = 0.1
    horizon: int = HORIZON
    threads: int = 1
    memory: float = 1024.0

    def __post_init__(self) -> None:
        leasts = {"samples": 0, "favourites": 0, "spread": 1, "horizon": 1, "threads": 1, "memory": 1}
        for name, least in leasts.items():
            if getattr(self, name) < least:
                raise UsageError(f"{name} must be {least} or more, found {getattr(self, name)}")
        if min(self.exploration, self.bias, self.trust) < 0 or self.temperature <= 0:
            raise UsageError("exploration, bias and trust must not be negative, temperature must be greater than zero")
        if not 0 <= self.hearing <= 1:
            raise UsageError(f"hearing must be between 0 and 1, found {self.hearing}")
        if self.favourites > 0 and self.hearing == 0:
            raise UsageError(f"favourites must be 0, found {self.favourites}: no evaluation is heard (hearing is 0)")
        if self.foresight not in (0, 1, 2):
            raise UsageError(f"foresight must be 0, 1 or 2, found {self.foresight}")


@dataclass
class SearchStatistics:
    """What a search did since it was asked.

    Attributes:
        seconds: How long it took.
        descents: Descents that were carried up.
        visits: Nodes that were sampled.
        playouts: Playouts.
        collections: How often memory was full and what was hardly visited was forgotten.
        symmetry_seconds: How long keys were looked for that symmetric positions share.
        merged: Children for which a node of a symmetric position stands.
        linked: Children that this was tried for.
    """

    seconds: float = 0.0
    descents: int = 0
    visits: int = 0
    playouts: int = 0
    collections: int = 0
    symmetry_seconds: float = 0.0
    merged: int = 0
    linked: int = 0
