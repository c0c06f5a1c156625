"""The shipped examples on real rollouts: the figures a right run gives."""

from pathlib import Path

import polars as pl
import pytest

from pipelines.run import execute
from pipelines.settings_files import load_settings
from tests.whole_runs import Curated
from transforms.store.files import Store

EXAMPLES = Path(__file__).parents[2] / "conf" / "examples"


def _curate(example: str, lake: Path, store: Path) -> Curated:
    places = [f"lake.root={lake}", f"store={store}", "execution.progress=quiet"]
    result = execute(load_settings([EXAMPLES / f"{example}.yaml"], places))
    return Curated(Store(str(store)), result)


@pytest.fixture(scope="module")
def airline(real_rollouts: Path, tmp_path_factory: pytest.TempPathFactory) -> Curated:
    return _curate("tau_airline", real_rollouts / "tau-bench", tmp_path_factory.mktemp("airline"))


@pytest.fixture(scope="module")
def intercode(real_rollouts: Path, tmp_path_factory: pytest.TempPathFactory) -> Curated:
    return _curate("intercode_bash", real_rollouts / "intercode-bash", tmp_path_factory.mktemp("intercode"))


@pytest.fixture(scope="module")
def demos(real_rollouts: Path, tmp_path_factory: pytest.TempPathFactory) -> Curated:
    store = tmp_path_factory.mktemp("demos")
    places = [f"lake.root={real_rollouts / 'swe-agent-demos'}", "lake.include=['**/*.traj']", f"store={store}"]
    conf = store / "curate.yaml"
    conf.write_text("execution: {progress: quiet}\n")
    return Curated(Store(str(store)), execute(load_settings([conf], places)))


def _groups(clusters: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Return one row a group with its successes and failures."""
    return clusters.group_by(keys).agg(
        num_success=(pl.col("outcome_class") == "success").sum(),
        num_failure=(pl.col("outcome_class") == "failure").sum(),
    )


def test_airline_rollouts_are_read_whole(airline: Curated) -> None:
    funnel = airline.manifest.funnel
    assert (funnel["read"], funnel["trajectories"], funnel["quarantined"], funnel["repeats"]) == (200, 200, 0, 0)
    assert airline.table("decisions").height == 200
    classes = airline.table("clusters").group_by("outcome_class").len()
    assert dict(classes.iter_rows()) == {"success": 84, "failure": 116}


def test_airline_tasks_are_mixed_all_fail_and_all_pass(airline: Curated) -> None:
    groups = _groups(airline.table("clusters"), ["task_key"])
    mixed = groups.filter((pl.col("num_success") > 0) & (pl.col("num_failure") > 0)).height
    assert (mixed, groups.filter(num_success=0).height, groups.filter(num_failure=0).height) == (26, 14, 10)


@pytest.mark.parametrize("corpus", ["airline", "intercode"])
def test_no_group_mixes_tasks_or_outcomes(corpus: str, request: pytest.FixtureRequest) -> None:
    clusters = request.getfixturevalue(corpus).table("clusters")
    for group in ("exact_group", "lexical_group", "semantic_group", "approach_group"):
        mixed = clusters.group_by(group).agg(pl.col("task_group").n_unique(), pl.col("outcome_class").n_unique())
        assert mixed["task_group"].max() == mixed["outcome_class"].max() == 1
    sizes = clusters.group_by("semantic_group").len()
    print(f"{corpus}: {sizes.filter(pl.col('len') > 1)['len'].sum()} trajectories in groups of two or more")


def test_airline_exact_action_repeats(airline: Curated) -> None:
    features = airline.table("features").filter(pl.col("num_calls") > 0)
    joined = features.join(airline.table("clusters"), on="traj_id")
    groups = joined.group_by("task_group", "actions_hash").agg(pl.len(), pl.col("outcome_class").n_unique())
    repeated = groups.filter(pl.col("len") > 1)
    summary = airline.manifest.summary
    print(f"airline: {summary}")
    assert (summary["exact action repeats/trajectories"], summary["exact action repeats/groups"]) == (19, 8)
    assert (repeated["len"].sum(), repeated.height, repeated["outcome_class"].max()) == (19, 8, 1)


def test_airline_action_repeats_are_none_of_the_copies_that_text_finds(airline: Curated) -> None:
    clusters = airline.table("clusters")
    acting = airline.table("features").filter(pl.col("num_calls") > 0).select("traj_id", "actions_hash")
    cells = clusters.join(acting, on="traj_id").with_columns(
        pl.len().over("task_group", "outcome_class", "actions_hash").alias("num_alike")
    )
    repeats = cells.filter(pl.col("num_alike") > 1)
    found_by_text = clusters.filter(pl.col("method").is_in(["exact", "lexical"]))
    print(f"airline: text joins {found_by_text.height} of 200 rollouts, {repeats.height} repeat another's calls")
    assert repeats.height == 19
    assert found_by_text.height == 0
    assert repeats["keeper_id"].to_list() == repeats["traj_id"].to_list()


@pytest.mark.parametrize("corpus", ["airline", "intercode"])
def test_unlike_rollouts_are_unlike(corpus: str, request: pytest.FixtureRequest) -> None:
    (row,) = request.getfixturevalue(corpus).table("background").iter_rows(named=True)
    print(f"{corpus}: {row}")
    assert row["num_pairs"] == 2000
    assert row["mean_cosine"] < 0.6
    assert row["p99_cosine"] < 0.85
    assert row["share_similar"] == 0


def test_airline_pairs_are_pairs(airline: Curated) -> None:
    pairs = airline.table("pairs")
    classes = dict(airline.table("clusters").select("traj_id", "outcome_class").iter_rows())
    tasks = dict(airline.table("clusters").select("traj_id", "task_group").iter_rows())
    assert pairs.height >= 20
    assert pairs.group_by("task_group").len()["len"].max() <= 2
    for chosen, rejected in pairs.select("chosen_id", "rejected_id").iter_rows():
        assert (classes[chosen], classes[rejected]) == ("success", "failure")
        assert tasks[chosen] == tasks[rejected]


def test_intercode_rollouts_are_read_whole(intercode: Curated) -> None:
    funnel = intercode.manifest.funnel
    assert intercode.table("inputs").height == 36
    assert (funnel["read"], funnel["trajectories"], funnel["quarantined"], funnel["repeats"]) == (1802, 1802, 0, 0)


def test_intercode_tasks_are_their_query_texts(intercode: Curated) -> None:
    clusters = intercode.table("clusters").join(
        intercode.table("trajectories").select("traj_id", "model_name"), on="traj_id"
    )
    tasks = _groups(clusters, ["task_group"])
    assert (tasks.height, tasks.filter((pl.col("num_success") > 0) & (pl.col("num_failure") > 0)).height) == (200, 137)
    policies = _groups(clusters, ["task_group", "model_name"])
    mixed = policies.filter((pl.col("num_success") > 0) & (pl.col("num_failure") > 0)).height
    assert (policies.height, mixed) == (1395, 83)


def test_variants_of_one_task_are_a_family_of_their_own(demos: Curated) -> None:
    tasks = demos.table("trajectories").select("traj_id", "task_id")
    clusters = demos.table("clusters").join(tasks, on="traj_id")
    variants = clusters.filter(task_id="marshmallow-code__marshmallow-1867")
    assert variants.height == 8
    assert variants["family_id"].n_unique() == 1
    assert set(clusters.filter(family_id=variants["family_id"][0])["task_id"]) == {
        "marshmallow-code__marshmallow-1867"
    }


@pytest.mark.parametrize("corpus", ["airline", "intercode"])
def test_families_are_told_apart_by_their_labels(corpus: str, request: pytest.FixtureRequest) -> None:
    clusters = request.getfixturevalue(corpus).table("clusters")
    families = clusters.filter(~pl.col("family_is_noise")).unique("family_id")
    noise = clusters["family_is_noise"].mean()
    distinct = families["family_label"].n_unique() / families.height
    print(f"{corpus}: {families.height} families, {noise:.3f} noise, {distinct:.3f} of the labels distinct")
    assert families.height >= 5
    assert distinct >= 0.8
    medoids = clusters.filter(pl.col("traj_id").is_in(families["family_medoid"].implode()))
    assert medoids.height == families.height
    assert medoids["family_id"].n_unique() == families.height
