"""What to do next, read off the figures."""

from typing import Any, Final

Row = dict[str, Any]

LENGTH_BIAS: Final = 0.1
"""Mean length difference of pairs from which a trainer learns length (METHODS S16)."""
MANY: Final = 0.3
"""Share from which a fault of the lake is worth a line."""


def advice(figures: Row) -> list[Row]:
    """Return what a reader should look at, most pressing first: `title`, `text` and a `command` to start with."""
    return [
        line
        for line in (
            _quarantine(figures),
            _unscored(figures),
            _all_fail(figures),
            _redundancy(figures),
            _length_bias(figures),
            _shortfall(figures),
            _seeds(figures),
        )
        if line
    ]


def _line(title: str, text: str, query: str) -> Row:
    return {"title": title, "text": text, "command": f'trajsift sql "{query}"'}


def _number(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def _percent(share: float, *, digits: int = 0) -> str:
    return f"{share * 100:.{digits}f} %"


def _quarantine(figures: Row) -> Row | None:
    count = sum(row["count"] for row in figures["quarantine"])
    if not count:
        return None
    reason = figures["quarantine"][0]["reason"]
    return _line(
        f"{_number(count, 'record', 'records')} set aside",
        f"Most often: {reason}. They are not lost: each is listed with its unit and offset.",
        "SELECT reason, count(*) AS n, any_value(message) AS example FROM quarantine GROUP BY reason ORDER BY n DESC",
    )


def _unscored(figures: Row) -> Row | None:
    total = sum(row["total"] for row in figures["outcomes"])
    count = sum(row["unscored"] for row in figures["outcomes"])
    if not total or count / total < MANY:
        return None
    return _line(
        f"{_percent(count / total)} of the rollouts have no reward",
        "They cannot be judged or paired. If rewards lie in another file, map them; else score these runs.",
        "SELECT environment, num_rollouts - num_scored AS unscored FROM pass_rates ORDER BY unscored DESC",
    )


def _all_fail(figures: Row) -> Row | None:
    kinds = {row["kind"]: row["count"] for row in figures["kinds"]}
    total = sum(kinds.values())
    if not total or kinds["all_fail"] / total < MANY:
        return None
    return _line(
        f"{kinds['all_fail']:,} of {total:,} task groups never succeed",
        "A group without a success gives no pairs and no group-relative signal. Check the environment and verifier "
        "of the largest, or add a demonstration.",
        "SELECT * FROM task_outcomes WHERE kind = 'all_fail' ORDER BY num_rollouts DESC LIMIT 20",
    )


def _redundancy(figures: Row) -> Row | None:
    found = figures["repetition"]
    if not found["num_trajectories"] or found["num_grouped"] / found["num_trajectories"] < MANY:
        return None
    return _line(
        f"{_percent(found['num_grouped'] / found['num_trajectories'])} of the rollouts sit in groups of near-copies",
        "The sampler repeats itself: a higher temperature or more tasks would buy more than more rollouts.",
        "SELECT keeper_id, count(*) AS n FROM clusters GROUP BY 1 HAVING n > 1 ORDER BY n DESC LIMIT 20",
    )


def _length_bias(figures: Row) -> Row | None:
    bias = figures["pairs"]["mean_difference"]
    if bias is None or abs(bias) <= LENGTH_BIAS:
        return None
    side = "longer" if bias > 0 else "shorter"
    return _line(
        f"Chosen sides are {_percent(abs(bias))} {side} than rejected ones",
        "Above 10 % a preference trainer learns length. Normalise by length, or tighten "
        "export.pairs.max_length_ratio.",
        "SELECT chosen_id, rejected_id, num_tokens_chosen, num_tokens_rejected FROM dpo_pairs "
        "ORDER BY abs(num_tokens_chosen - num_tokens_rejected) DESC LIMIT 20",
    )


def _shortfall(figures: Row) -> Row | None:
    short = [row for row in figures["balance"] if row["shortfall"] >= 0.01]
    if not short:
        return None
    worst = max(short, key=lambda row: (row["shortfall"], row["stratum"]))
    return _line(
        f"{_number(len(short), 'stratum misses its', 'strata miss their')} target share",
        f"Widest gap: {worst['stratum']}, {_percent(worst['shortfall'], digits=1)} short. Collect more of it, "
        "or lower its target.",
        "SELECT stratum, num_available, target_share, weighted_share, shortfall FROM balance "
        "WHERE shortfall > 0 ORDER BY shortfall DESC",
    )


def _seeds(figures: Row) -> Row | None:
    wavering = next((row["count"] for row in figures["attributions"] if row["attribution"] == "unstable"), 0)
    if not wavering:
        return None
    return _line(
        f"{_number(wavering, 'task and policy pair is', 'task and policy pairs are')} unstable",
        "Solved at times, not always: most is learnt from these. Sample them first next time.",
        "SELECT task_key, policy, num_scored, num_success, learnability FROM task_policies "
        "WHERE attribution = 'unstable' ORDER BY learnability DESC LIMIT 20",
    )
