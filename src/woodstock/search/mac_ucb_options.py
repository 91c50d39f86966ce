"""What a MAC-UCB search does: the papers' parameters, with their values there."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt

from woodstock.circuit.runner import HORIZON
from woodstock.common.errors import UsageError


@dataclass(frozen=True)
class Shares:
    """How the time of a move is divided.

    Attributes:
        solving: For solving µSCSPs.
        sampling: For playouts.
        symmetry: For symmetric positions and moves.
    """

    solving: float = 0.9
    sampling: float = 0.1
    symmetry: float = 0.0

    @classmethod
    def read(cls, text: str) -> Shares:
        """Return shares given as text, `90:10` or `45:30:25`.

        Raises:
            UsageError: The text is none of these.
        """
        try:
            parts = [float(part) for part in text.split(":")]
        except ValueError:
            parts = []
        if len(parts) not in (2, 3) or min(parts, default=0) < 0 or parts[0] <= 0 or parts[1] <= 0:
            raise UsageError(f"expected shares SOLVING:SAMPLING or SOLVING:SAMPLING:SYMMETRY, found {text!r}")
        total = sum(parts)
        return cls(*(part / total for part in parts))


@dataclass(frozen=True)
class MacUcbOptions:
    """What a MAC-UCB search does.

    Attributes:
        shares: How the time is divided.
        exploration: C in ū_i + C sqrt(ln n / n_i), for utilities 0 to 1; the root of 2 in the papers.
        samples: Playouts through each solution of a new µSCSP, at least.
        depth: d, the depth below the root down to which values are minimax values.
        paranoid: These take it that all others want a role's worst; else each wants its own best.
        enough: Probabilistic pruning wants so large a share of the values of y below θ; above 1 for no such pruning.
        horizon: T, most joint moves of a playout.
        memory: Megabytes that the tree may take.
    """

    shares: Shares = field(default_factory=Shares)
    exploration: float = sqrt(2)
    samples: int = 8
    depth: int = 1
    paranoid: bool = False
    enough: float = 0.9
    horizon: int = HORIZON
    memory: float = 1024.0

    def __post_init__(self) -> None:
        for name, least in (("samples", 1), ("depth", 0), ("horizon", 1), ("memory", 1), ("exploration", 0)):
            if getattr(self, name) < least:
                raise UsageError(f"{name} must be {least} or more, found {getattr(self, name)}")
