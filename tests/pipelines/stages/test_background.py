import random

import pytest

from pipelines.stages import boilerplate, copies, embed, sign
from schemas.errors import QualityError

PREAMBLE = (
    "You are talking to the service desk of the house. Be brief and polite, answer in full sentences, never guess, "
    "never promise a refund, ask for the number of the order first and repeat it to the customer before you act."
)


def chat(number, told, *, task):
    """Return a run that is told something on every turn, and says little itself."""
    messages = [{"role": "user", "content": f"Serve customer {task}"}]
    for turn in range(3):
        messages.append({"role": "assistant", "content": f"order {task} part {turn}"})
        messages.append({"role": "user", "content": told.format(task=task, turn=turn)})
    return {"trajectory_id": f"t{number}", "task_id": f"{task}", "reward": 1.0, "messages": messages}


def lake(told, *, num_tasks=24):
    return [chat(f"{task}-{n}", told, task=f"w{task}x{n}") for task in range(num_tasks // 2) for n in range(2)]


def embedded(context):
    for stage in (boilerplate, sign, copies, embed):
        stage.run(context)
    return context.read("background").to_pylist()


@pytest.fixture
def made(chat_trajectory):
    return lambda chats: [chat_trajectory(each) for each in chats]


def test_a_shared_preamble_that_escapes_the_boilerplate_stops_the_run(stage_over, made):
    context = stage_over(made(lake(f"{PREAMBLE}\n\nnoted")), settings={"views": {"boilerplate_min_tasks": 100}})

    with pytest.raises(QualityError) as caught:
        embedded(context)

    message = str(caught.value)
    assert caught.value.exit_code == 9
    assert message.startswith("environment 'other': hashed-256 vectors tell tasks apart no longer: 276 pairs")
    assert "in 100% of the tasks looked at, is no boilerplate: 'You are talking to the service desk" in message
    assert "Lower views.boilerplate_min_share=0.2 or views.boilerplate_min_tasks=100." in message
    assert PREAMBLE not in message
    (row,) = context.read("background").to_pylist()
    assert row["mean_cosine"] > 0.9
    assert f"mean cosine of {row['mean_cosine']:.3f}" in message


def own_words(rng, count):
    return " ".join(f"{rng.choice('abcdefgh')}{rng.randrange(10**6)}" for _ in range(count))


def first_saying(text_of, *, num_tasks):
    """Return a run a task, whose agent first says what `text_of` gives for (random numbers, words of its own)."""
    rng = random.Random(1)
    chats = [chat(task, "noted", task=f"w{task}") for task in range(num_tasks)]
    for each in chats:
        each["messages"][1]["content"] = text_of(rng)
    return chats


AROUND = {
    "before": lambda rng: f"Run {rng.randrange(10**6)} on host {rng.randrange(99)} {PREAMBLE} {own_words(rng, 100)}",
    "behind": lambda rng: f"{own_words(rng, 100)} {PREAMBLE} Signed {rng.randrange(10**6)} of {rng.randrange(99)}",
    "date": lambda rng: f"[2026-03-{rng.randrange(10, 31)} {rng.random()}] {PREAMBLE} #{own_words(rng, 100)}",
    "one sentence": lambda rng: f"{rng.random()} {PREAMBLE.replace('.', ',')} {own_words(rng, 100)}",
}


@pytest.mark.parametrize("around", AROUND)
def test_a_preamble_among_words_that_differ_stops_the_run_and_is_named(stage_over, made, around):
    context = stage_over(made(first_saying(AROUND[around], num_tasks=40)))

    with pytest.raises(QualityError, match=r"bodies of different tasks share .* max_shared_jaccard=0\.1") as caught:
        embedded(context)

    (row,) = context.read("background").to_pylist()
    assert row["mean_cosine"] < 0.9
    assert "in 100% of the tasks looked at, is no boilerplate: 'You are talking to the service desk" in str(
        caught.value
    )
    assert "If the tasks are that alike, raise these limits" in str(caught.value)


@pytest.mark.parametrize(
    ("num_tasks", "limits"), [(8, {}), (40, {"max_shared_jaccard": 0.5}), (40, {"min_task_groups": 41})]
)
def test_few_tasks_or_less_shared_text_are_warned_of(stage_over, made, num_tasks, limits):
    chats = first_saying(AROUND["before"], num_tasks=num_tasks)
    context = stage_over(made(chats), settings={"views": {"leak_alarm": limits}})

    (row,) = embedded(context)

    assert row["mean_jaccard"] > 0.05
    (warning,) = [note for note in context.progress.notes if "share" in note]
    assert "(views.leak_alarm.max_background_jaccard=0.05" in warning
    assert "'You are talking to the service desk of the house." in warning


def test_tasks_of_which_less_than_half_share_a_text_are_warned_of(stage_over, made):
    shared = first_saying(lambda rng: f"{PREAMBLE} {PREAMBLE[::-1]} {own_words(rng, 5)}", num_tasks=18)
    rest = first_saying(lambda rng: own_words(rng, 150), num_tasks=40)[18:]
    context = stage_over(made([*shared, *rest]))

    (row,) = embedded(context)

    assert row["mean_jaccard"] > 0.1
    (warning,) = [note for note in context.progress.notes if "share" in note]
    assert "No passage is shared by 50% of the tasks looked at." in warning


def test_runs_that_share_little_text_are_not_warned_of(stage_over, made):
    context = stage_over(made(lake("noted w{task}")))
    assert embedded(context)[0]["mean_jaccard"] < 0.05
    assert not [note for note in context.progress.notes if "share" in note]


def test_the_same_preamble_is_boilerplate_by_default(stage_over, made):
    (row,) = embedded(stage_over(made(lake(f"{PREAMBLE}\n\nnoted"))))
    assert row["num_task_groups"] == 24
    assert row["num_pairs"] == 276
    assert row["mean_cosine"] < 0.7


def test_a_preamble_inside_paragraphs_that_differ_is_named_by_its_words(stage_over, made):
    context = stage_over(made(lake("{task} {turn}: " + PREAMBLE)))

    with pytest.raises(QualityError, match=r"100% of the tasks .*'0: You are talking to .*paragraphs that differ"):
        embedded(context)


def test_an_excerpt_cannot_steer_a_terminal(stage_over, made):
    context = stage_over(made(lake(f"\x1b[31m\u202e{PREAMBLE}")), settings={"views": {"boilerplate_min_tasks": 100}})
    with pytest.raises(QualityError) as caught:
        embedded(context)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "settings",
    [
        {"enabled": False},
        {"min_task_groups": 25},
        {"max_background_cosine": 1.0, "max_cross_task_share": 1.0, "max_shared_jaccard": 1.0},
    ],
)
def test_the_alarm_can_be_switched_off_and_its_limits_set(settings, stage_over, made):
    views = {"boilerplate_min_tasks": 100, "leak_alarm": settings}
    (row,) = embedded(stage_over(made(lake(f"{PREAMBLE}\n\nnoted")), settings={"views": views}))
    assert row["mean_cosine"] > 0.9


def test_the_figures_depend_on_no_pack(stage_over, made):
    trajectories = made(lake("fine, {task}"))
    one = embedded(stage_over(trajectories, name="one", store="one"))
    other = embedded(stage_over(trajectories[7:], trajectories[:7], name="other", store="other"))
    assert one == other


def test_a_lake_without_trajectories_has_no_background(stage_over):
    assert embedded(stage_over([])) == []
