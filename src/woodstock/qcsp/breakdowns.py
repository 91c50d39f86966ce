"""A roster with breakdowns: each day an adversary stops a machine, and the jobs of the day go to the others.

A job can be done by some of the machines alone. On a day no machine does two jobs, and none does more jobs in all than
it can before it wears out. First the machine of the day that breaks down is told (or none does), then each job gets its
machine.

>>> print(breakdowns(Breakdowns(num_days=2, num_jobs=1, num_machines=2), seed=1))
∀broken1 ∃job1_1 ∀broken2 ∃job1_2, 6 constraints
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from random import Random

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Linear, Table
from woodstock.cp.network import Network
from woodstock.qcsp.network import QuantifiedNetwork, blocks_of


@dataclass(frozen=True, slots=True)
class Breakdowns:
    """Of a roster.

    Attributes:
        num_days: How many days there are.
        num_jobs: Jobs of each day.
        num_machines: Machines.
        skill: The share of the machines that can do a job.
        wear: The most jobs that a machine does in all.
    """

    num_days: int = 5
    num_jobs: int = 2
    num_machines: int = 6
    skill: float = 0.6
    wear: int = 2

    def __post_init__(self) -> None:
        if min(self.num_days, self.num_jobs, self.num_machines, self.wear) < 1 or self.num_machines > 61:
            raise UsageError(f"expected at least one day, job and use, and 1 to 61 machines, found {self}")
        if not 0 <= self.skill <= 1:
            raise UsageError(f"expected a share from 0 to 1, found {self.skill}")


def breakdowns(game: Breakdowns, seed: int = 0) -> QuantifiedNetwork:
    """Return a roster as a network; the seed makes who can do what."""
    random = Random("breakdowns " + " ".join(map(str, asdict(game).values())) + f" {seed}")
    network = Network()
    universal: list[bool] = []
    machines = range(game.num_machines)
    count = max(1, round(game.skill * game.num_machines))
    jobs_of_day = []
    for day in range(1, game.num_days + 1):
        broken = network.add_var(f"broken{day}", ["none", *(f"m{machine + 1}" for machine in machines)])
        jobs = network.add_vars(
            [f"job{job + 1}_{day}" for job in range(game.num_jobs)], [f"m{m + 1}" for m in machines]
        )
        universal += [True] + [False] * game.num_jobs
        jobs_of_day.append(jobs)
        for number, job in enumerate(jobs):
            network.add(Table((job,), [(machine,) for machine in sorted(random.sample(machines, count))]))
            network.add(Table((broken, job), [(machine + 1, machine) for machine in machines], is_allowed=False))
            for other in jobs[:number]:
                network.add(Table((other, job), [(machine, machine) for machine in machines], is_allowed=False))
    for machine in machines:
        literals = tuple(2 * (network.first_choices[job] + machine) for jobs in jobs_of_day for job in jobs)
        network.add(Linear(literals, (1,) * len(literals), 0, game.wear))
    return QuantifiedNetwork(network, blocks_of(universal), f"breakdowns-{seed}")
