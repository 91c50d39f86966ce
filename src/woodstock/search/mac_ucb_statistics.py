"""What a MAC-UCB search did, part by part."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class MacUcbStatistics:
    """What a search did since it was asked about a position.

    Attributes:
        resolver: What solves the µSCSPs.
        seconds: How long it took.
        solving: Of that, solving µSCSPs.
        sampling: Of that, playouts.
        symmetry: Of that, symmetric positions and moves.
        descents: Descents through the tree.
        solved: µSCSPs that were solved.
        fallbacks: Of these, on the circuit, because the resolver did not come to an end in its time.
        solutions: Their solutions.
        playouts: Playouts.
        cache_hits: Successors that were in the hash table, and needed no stage and no samples of their own.
        threshold: θ, as a goal.
        exact_prunings: Solutions removed because their exact value was below θ.
        probable_prunings: Solutions removed from c_s because their confidence bounds were.
        nogoods: Q-value nogoods in microstructure complements.
        structures: Microstructure complements.
        automorphisms: Moves that were in an orbit with another one.
        stages: Stages of the tree.
        stages_without: Stages that it would have without symmetry.
        collections: How often memory was full.
    """

    resolver: str = ""
    seconds: float = 0.0
    solving: float = 0.0
    sampling: float = 0.0
    symmetry: float = 0.0
    descents: int = 0
    solved: int = 0
    fallbacks: int = 0
    solutions: int = 0
    playouts: int = 0
    cache_hits: int = 0
    threshold: float = 0.0
    exact_prunings: int = 0
    probable_prunings: int = 0
    nogoods: int = 0
    structures: int = 0
    automorphisms: int = 0
    stages: int = 0
    stages_without: int = 0
    collections: int = 0

    def facts(self) -> dict[str, float | int | str]:
        """Return what there is to tell, by name."""
        found: dict[str, float | int | str] = {
            "resolver": self.resolver,
            "seconds": self.seconds,
            "solving s": self.solving,
            "sampling s": self.sampling,
            "µSCSPs": self.solved,
            "solutions": self.solutions,
            "playouts": self.playouts,
            "stages": self.stages,
            "cache hits": self.cache_hits,
            "θ": self.threshold,
            "pruned exactly": self.exact_prunings,
            "pruned probably": self.probable_prunings,
        }
        if self.fallbacks:
            found["solved on the circuit instead"] = self.fallbacks
        if self.structures or self.symmetry:
            found |= {
                "symmetry s": self.symmetry,
                "microstructures": self.structures,
                "nogoods": self.nogoods,
                "automorphisms": self.automorphisms,
                "stages without symmetry": self.stages_without,
            }
        return found
