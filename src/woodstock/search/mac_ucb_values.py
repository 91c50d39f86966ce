"""Values of stages, and the prunings: what is learnt below reaches the stages above.

Down to a depth d below the root the value of a stage is V_i(s) = max over a_i, min over a_-i of the sum over a_0 of
P(a_0 | s) V_i(s') (IJCAI 2017, equation 2), or, as max^n, what the arm that is best for its chooser is worth to each
role; below that depth it is the mean over the pulls of the arms, which is the estimate of UCB. Where several roles
choose they play the average strategy of regret matching (RM+, Tammelin 2014), unless everyone is paranoid.

Values become exact as the exact pruning of the papers says: the tree is the cache of leaves, and the solutions of a
stage are its legal moves, so that a subtree is explored entirely if all its arms are.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from woodstock.circuit.network import Int64Array
from woodstock.common.jit import inner_kernel, jit
from woodstock.search.mac_ucb_bandit import COLLIDED, STAY, Descents, Rule, confidence, count_pulls
from woodstock.search.mac_ucb_stages import (
    ARM_CLOSED,
    ARM_EXACT,
    CHOOSER,
    CLOSED,
    DISTANCE,
    DOUBTED,
    EXACT,
    FIRST_ARM,
    FIRST_OPTION,
    FIRST_OUTCOME,
    FLAGS,
    INDEX,
    LEARNT,
    NOBODY,
    NOTHING,
    NUM_ARMS,
    NUM_DOUBTED,
    NUM_OPTIONS,
    NUM_OUTCOMES,
    NUM_REMOVED,
    OPTION_VALUE,
    PARTIAL,
    PENDING,
    PLAN,
    REGRET,
    REMOVED,
    SEVERAL,
    STATE,
    TWIN,
    Stages,
)
from woodstock.search.tree import Float64Array

CLOSE: Final = 1e-9
"""Utilities that differ by less are equal."""
FEW_STEPS: Final = 2
MANY_STEPS: Final = 500
"""Steps of regret matching when something has changed, and when nothing will any more."""
LEAST_PULLS: Final = 16.0
"""A value of y that was sampled less often says nothing about a solution."""


class News(NamedTuple):
    """What there is to learn: new stages get their values first, then what was learnt at the ends of descents rises.

    Attributes:
        stages: Stages that were just solved, shape (n,), int64.
        depths: How far each is below the root, shape (n,), int64.
        gained: How many pulls were made at the end of each descent, shape (num_descents,), float64.
        expected: How many pulls were counted for each descent when it was made.
    """

    stages: Int64Array
    depths: Int64Array
    gained: Float64Array
    expected: float


@jit
def learn(tree: Stages, rule: Rule, descents: Descents, news: News, space: Float64Array) -> None:
    """Give new stages their values, and carry what was learnt at the ends of descents up to the root.

    Args:
        tree: The tree.
        rule: What guides the search.
        descents: The descents.
        news: What is new.
        space: Space to work in, shape (num_roles,), float64.
    """
    num_stages, num_descents = len(news.stages), len(news.gained)
    for number in range(num_stages + num_descents):
        # One loop for both, because the code that values a stage is large, and is compiled wherever it is called.
        descent = number - num_stages
        steps = 1 if descent < 0 else descents.lengths[descent]
        for back in range(steps):
            depth = int(news.depths[number]) if descent < 0 else int(steps - 1 - back)
            stage = int(news.stages[number]) if descent < 0 else int(descents.stages[descent, depth])
            if descent < 0:
                tree.stages[stage, FLAGS] &= ~PENDING
                first = tree.stages[stage, FIRST_ARM]
                last = first + tree.stages[stage, NUM_ARMS]
            else:
                first = descents.arms[descent, depth]
                last = first + 1
                kind = descents.kinds[descent]
                pulls = news.expected if kind == STAY else news.gained[descent]
                count_pulls(tree, stage, first, descents.outcomes[descent, depth], pulls - news.expected)
                if kind == COLLIDED:
                    continue
            for arm in range(first, last):
                _value_arm(tree, stage, arm)
            value_stage(tree, rule, stage, depth, space)


@inner_kernel
def _value_arm(tree: Stages, stage: int, arm: int) -> None:
    """Find the value of an arm: the mean of its outcomes, as likely as they are, as far as they are known."""
    first = tree.arms[arm, FIRST_OUTCOME]
    mass = 0.0
    exact, closed = True, True
    num_roles = tree.values.shape[1]
    for role in range(num_roles):
        tree.arm_values[arm, role] = 0.0
    for outcome in range(first, first + tree.arms[arm, NUM_OUTCOMES]):
        below = tree.outcome_stage[outcome]
        flags = tree.stages[below, FLAGS]
        exact &= flags & EXACT != 0
        closed &= flags & CLOSED != 0
        if flags & CLOSED != 0 or tree.pulls[below] > 0:
            mass += tree.outcome_share[outcome]
            for role in range(num_roles):
                tree.arm_values[arm, role] += tree.outcome_share[outcome] * tree.values[below, role]
    for role in range(num_roles):
        # An arm of which nothing is known is as good as its stage.
        tree.arm_values[arm, role] = tree.arm_values[arm, role] / mass if mass > 0 else tree.values[stage, role]
    if exact:
        tree.arms[arm, STATE] |= ARM_EXACT
    if closed:
        tree.arms[arm, STATE] |= ARM_CLOSED


@inner_kernel
def value_stage(tree: Stages, rule: Rule, stage: int, depth: int, space: Float64Array) -> None:
    """Find the value of a stage from those of its arms, at some depth below the root, and prune its arms."""
    if tree.stages[stage, FLAGS] & EXACT != 0:
        return
    _copy_twins(tree, stage)
    chooser = tree.stages[stage, CHOOSER]
    if chooser == SEVERAL:
        _value_matrix(tree, rule, stage, space)
        return
    role = max(chooser, 0)
    best = _best_arm(tree, stage, role)
    if best == NOTHING:
        return
    if chooser != NOBODY:
        _prune(tree, rule, stage, role, best)
    if _is_explored(tree, rule, stage, role, best):
        _close(tree, rule, stage, best, True)
    elif _have_all(tree, stage, ARM_CLOSED):
        _close(tree, rule, stage, best, False)
    elif depth < rule.depth or chooser == NOBODY:
        _take_minimax(tree, rule, stage, best)
    else:
        _take_mean(tree, stage, best, space)


@inner_kernel
def _copy_twins(tree: Stages, stage: int) -> None:
    first = tree.stages[stage, FIRST_ARM]
    for arm in range(first, first + tree.stages[stage, NUM_ARMS]):
        twin = tree.arms[arm, TWIN]
        if twin != NOTHING and tree.arms[arm, STATE] & LEARNT != 0 and tree.arms[twin, STATE] & ARM_CLOSED != 0:
            # What is exact of one move is proved of the other only if their symmetry is.
            tree.arms[arm, TWIN] = twin = NOTHING
            tree.arms[arm, STATE] &= ~LEARNT
        if twin != NOTHING:
            tree.arms[arm, STATE] |= tree.arms[twin, STATE] & (ARM_EXACT | ARM_CLOSED)
            for role in range(tree.values.shape[1]):
                tree.arm_values[arm, role] = tree.arm_values[twin, role]


@inner_kernel
def _arm_distance(tree: Stages, arm: int) -> int:
    """Return how many joint moves away the end is after an exact arm, at most."""
    arm = arm if tree.arms[arm, TWIN] == NOTHING else tree.arms[arm, TWIN]
    first = tree.arms[arm, FIRST_OUTCOME]
    longest = 0
    for outcome in range(first, first + tree.arms[arm, NUM_OUTCOMES]):
        longest = max(longest, tree.stages[tree.outcome_stage[outcome], DISTANCE])
    return 1 + longest


@inner_kernel
def _best_arm(tree: Stages, stage: int, role: int) -> int:
    """Return the arm with the greatest value for a role.

    Of equal ones an exact one is taken, and of exact ones the one that comes to its end most quickly, or most slowly if
    it is bad. Arms that probabilistic pruning has removed are taken only if there is no other.
    """
    first = tree.stages[stage, FIRST_ARM]
    best = NOTHING
    for barred in (DOUBTED, 0):
        value, rank = -1.0, 0
        for arm in range(first, first + tree.stages[stage, NUM_ARMS]):
            if tree.arms[arm, STATE] & barred != 0:
                continue
            found = tree.arm_values[arm, role]
            own = -(1 << 30)
            if tree.arms[arm, STATE] & ARM_EXACT != 0:
                own = -_arm_distance(tree, arm) if found > 0.5 else _arm_distance(tree, arm)
            if best == NOTHING or found > value + CLOSE or (found > value - CLOSE and own > rank):
                best, value, rank = arm, found, own
        if best != NOTHING:
            break
    return best


@inner_kernel
def _prune(tree: Stages, rule: Rule, stage: int, role: int, best: int) -> None:
    """Remove arms that are exactly, or in all likelihood, below the threshold (Constraints 2016, section 4.4).

    What is exact is not sampled any more in any case; below the threshold it does not count in the mean of its stage
    either. The best arm of a stage is never removed in doubt, and an arm returns when the threshold falls.
    """
    first = tree.stages[stage, FIRST_ARM]
    threshold = rule.threshold[0]
    for arm in range(first, first + tree.stages[stage, NUM_ARMS]):
        state = tree.arms[arm, STATE]
        value = tree.arm_values[arm, role]
        if state & ARM_EXACT != 0:
            state &= ~(REMOVED | DOUBTED)
            if value < threshold - CLOSE:
                state |= REMOVED
        elif tree.arms[arm, NUM_OUTCOMES] > 1:
            state &= ~DOUBTED
            margin = confidence(rule, tree.pulls[stage], tree.arm_pulls[arm])
            is_worse = arm != best and value + margin < tree.arm_values[best, role]
            if is_worse and _share_below(tree, rule, stage, arm, role) >= rule.enough:
                state |= DOUBTED
        fresh = state & ~tree.arms[arm, STATE]
        if fresh & REMOVED != 0:
            tree.sizes[NUM_REMOVED] += 1
        if fresh & DOUBTED != 0:
            tree.sizes[NUM_DOUBTED] += 1
        tree.arms[arm, STATE] = state


@inner_kernel
def _share_below(tree: Stages, rule: Rule, stage: int, arm: int, role: int) -> float:
    """Return the share of the values of y for which an arm stays below the threshold, with confidence."""
    first, count = tree.arms[arm, FIRST_OUTCOME], tree.arms[arm, NUM_OUTCOMES]
    below = 0
    for outcome in range(first, first + count):
        other = tree.outcome_stage[outcome]
        bound = tree.values[other, role]
        if tree.stages[other, FLAGS] & CLOSED == 0:
            if tree.pulls[other] < LEAST_PULLS:
                continue
            bound += confidence(rule, tree.pulls[stage], tree.pulls[other])
        if bound < rule.threshold[0]:
            below += 1
    share: float = below / count
    return share


@inner_kernel
def _is_explored(tree: Stages, rule: Rule, stage: int, role: int, best: int) -> bool:
    """Tell whether the value of a stage is exact: its best arm is, and no other can be better for its chooser."""
    if tree.arms[best, STATE] & ARM_EXACT == 0 or tree.stages[stage, FLAGS] & PARTIAL != 0:
        return False
    if tree.arm_values[best, role] >= rule.best[role] - CLOSE:
        others_lost = True
        for other in range(tree.values.shape[1]):
            if other != role and tree.arm_values[best, other] > CLOSE:
                others_lost = False
        if others_lost or not rule.paranoid:
            return True
    return _have_all(tree, stage, ARM_EXACT)


@inner_kernel
def _have_all(tree: Stages, stage: int, state: int) -> bool:
    """Tell whether all arms of a stage are exact, or closed."""
    first = tree.stages[stage, FIRST_ARM]
    found = True
    for arm in range(first, first + tree.stages[stage, NUM_ARMS]):
        found &= tree.arms[arm, STATE] & state != 0
    return found


@inner_kernel
def _close(tree: Stages, rule: Rule, stage: int, best: int, is_exact: bool) -> None:
    _take_minimax(tree, rule, stage, best)
    tree.stages[stage, FLAGS] |= (EXACT | CLOSED) if is_exact else CLOSED
    tree.stages[stage, DISTANCE] = _arm_distance(tree, best)


@inner_kernel
def _take_minimax(tree: Stages, rule: Rule, stage: int, best: int) -> None:
    """Take the best arm's values; if everyone is paranoid, those who do not choose get the worst of all arms."""
    first = tree.stages[stage, FIRST_ARM]
    chooser = tree.stages[stage, CHOOSER]
    for role in range(tree.values.shape[1]):
        value = tree.arm_values[best, role]
        if rule.paranoid and role != chooser and chooser != NOBODY:
            for arm in range(first, first + tree.stages[stage, NUM_ARMS]):
                value = min(value, tree.arm_values[arm, role])
        tree.values[stage, role] = value


@inner_kernel
def _take_mean(tree: Stages, stage: int, best: int, space: Float64Array) -> None:
    """Take the mean over the pulls of the arms that are left."""
    first = tree.stages[stage, FIRST_ARM]
    total = 0.0
    space[:] = 0.0
    for arm in range(first, first + tree.stages[stage, NUM_ARMS]):
        if tree.arms[arm, STATE] & (REMOVED | DOUBTED) == 0:
            total += tree.arm_pulls[arm]
            for role in range(len(space)):
                space[role] += tree.arm_pulls[arm] * tree.arm_values[arm, role]
    for role in range(len(space)):
        tree.values[stage, role] = space[role] / total if total > 0 else tree.arm_values[best, role]


@inner_kernel
def _value_matrix(tree: Stages, rule: Rule, stage: int, space: Float64Array) -> None:
    """Find the value of a stage at which several roles choose at once."""
    if tree.stages[stage, FLAGS] & CLOSED != 0:
        return
    closed = _have_all(tree, stage, ARM_CLOSED)
    for _ in range(MANY_STEPS if closed else FEW_STEPS):
        _match_regrets(tree, stage)
    is_saddle = _find_security(tree, stage, space) and tree.stages[stage, FLAGS] & PARTIAL == 0
    if closed:
        is_exact = is_saddle and _have_all(tree, stage, ARM_EXACT)
        tree.stages[stage, FLAGS] |= (EXACT | CLOSED) if is_exact else CLOSED
        tree.stages[stage, DISTANCE] = 1
    if rule.paranoid or (closed and is_saddle):
        for role in range(len(space)):
            tree.values[stage, role] = space[role]
    else:
        _take_expected(tree, stage)


@inner_kernel
def _find_security(tree: Stages, stage: int, space: Float64Array) -> bool:
    """Find what each role can secure by one move; tell whether no one can get more, all arms having one sum."""
    first, count = tree.stages[stage, FIRST_ARM], tree.stages[stage, NUM_ARMS]
    first_option = tree.stages[stage, FIRST_OPTION]
    num_roles = len(space)
    for role in range(num_roles):
        for option in range(first_option, first_option + tree.stages[stage, NUM_OPTIONS]):
            tree.option_facts[option, INDEX] = 2.0
        chooses = tree.arm_options[first, role] != NOTHING
        space[role] = -1.0 if chooses else 2.0
        for arm in range(first, first + count):
            if chooses:
                facts = tree.option_facts[tree.arm_options[arm, role]]
                facts[INDEX] = min(facts[INDEX], tree.arm_values[arm, role])
            else:
                space[role] = min(space[role], tree.arm_values[arm, role])
        if chooses:
            for arm in range(first, first + count):
                space[role] = max(space[role], tree.option_facts[tree.arm_options[arm, role], INDEX])
    secured = 0.0
    for role in range(num_roles):
        secured += space[role]
    for arm in range(first, first + count):
        total = 0.0
        for role in range(num_roles):
            total += tree.arm_values[arm, role]
        if abs(total - secured) > CLOSE:
            return False
    return True


@inner_kernel
def _weight(tree: Stages, arm: int, left_out: int, column: int) -> float:
    """Return how likely the options of an arm are together, but for that of one role; `column` has their weights."""
    product = 1.0
    for role in range(tree.arm_options.shape[1]):
        option = tree.arm_options[arm, role]
        if role != left_out and option != NOTHING:
            product *= tree.option_facts[option, column]
    return product


@inner_kernel
def _normalise(tree: Stages, stage: int, source: int) -> None:
    """Write the options' shares of a column, role by role, to INDEX; all alike where the column is zero."""
    first, count = tree.stages[stage, FIRST_ARM], tree.stages[stage, NUM_ARMS]
    start = tree.stages[stage, FIRST_OPTION]
    end = start + tree.stages[stage, NUM_OPTIONS]
    for role in range(tree.arm_options.shape[1]):
        if tree.arm_options[first, role] == NOTHING:
            continue
        # The options of a role stand together, from that of the first arm to that of the last.
        low, high = tree.arm_options[first, role], tree.arm_options[first + count - 1, role] + 1
        low, high = max(low, start), min(high, end)
        total = 0.0
        for option in range(low, high):
            total += tree.option_facts[option, source]
        for option in range(low, high):
            share = tree.option_facts[option, source] / total if total > 0 else 1.0 / (high - low)
            tree.option_facts[option, INDEX] = share


@inner_kernel
def _match_regrets(tree: Stages, stage: int) -> None:
    """Make one step of regret matching (RM+), all roles at once, and find what options are worth against the plans."""
    first, count = tree.stages[stage, FIRST_ARM], tree.stages[stage, NUM_ARMS]
    start = tree.stages[stage, FIRST_OPTION]
    end = start + tree.stages[stage, NUM_OPTIONS]
    _normalise(tree, stage, REGRET)
    for option in range(start, end):
        tree.option_facts[option, PLAN] = 0.99 * tree.option_facts[option, PLAN] + tree.option_facts[option, INDEX]
    _find_option_values(tree, stage)
    for role in range(tree.arm_options.shape[1]):
        if tree.arm_options[first, role] == NOTHING:
            continue
        low, high = tree.arm_options[first, role], tree.arm_options[first + count - 1, role] + 1
        own = 0.0
        for option in range(low, high):
            own += tree.option_facts[option, INDEX] * tree.option_facts[option, OPTION_VALUE]
        for option in range(low, high):
            facts = tree.option_facts[option]
            facts[REGRET] = max(0.0, facts[REGRET] + facts[OPTION_VALUE] - own)
    _normalise(tree, stage, PLAN)
    _find_option_values(tree, stage)


@inner_kernel
def _find_option_values(tree: Stages, stage: int) -> None:
    """Find what each option is worth to its role if the others choose theirs as likely as INDEX says."""
    first, count = tree.stages[stage, FIRST_ARM], tree.stages[stage, NUM_ARMS]
    start = tree.stages[stage, FIRST_OPTION]
    for option in range(start, start + tree.stages[stage, NUM_OPTIONS]):
        tree.option_facts[option, OPTION_VALUE] = 0.0
    for arm in range(first, first + count):
        for role in range(tree.arm_options.shape[1]):
            option = tree.arm_options[arm, role]
            if option != NOTHING:
                share = _weight(tree, arm, role, INDEX)
                tree.option_facts[option, OPTION_VALUE] += share * tree.arm_values[arm, role]


@inner_kernel
def _take_expected(tree: Stages, stage: int) -> None:
    """Take what the plans of all roles bring them together."""
    _normalise(tree, stage, PLAN)
    first = tree.stages[stage, FIRST_ARM]
    for role in range(tree.values.shape[1]):
        value = 0.0
        for arm in range(first, first + tree.stages[stage, NUM_ARMS]):
            value += _weight(tree, arm, NOTHING, INDEX) * tree.arm_values[arm, role]
        tree.values[stage, role] = value
