from transforms.selecting.splits import split_of


def test_split_has_its_share_and_depends_on_the_task_group_alone() -> None:
    groups = [f"id:{number}" for number in range(2000)]

    splits = [split_of(group, 7, validation_share=0.2) for group in groups]

    assert abs(splits.count("validation") / 2000 - 0.2) < 0.03
    assert splits == [split_of(group, 7, validation_share=0.2) for group in groups]
    assert splits != [split_of(group, 8, validation_share=0.2) for group in groups]


def test_larger_share_only_adds_to_the_validation_split() -> None:
    groups = [f"id:{number}" for number in range(200)]
    small = {group for group in groups if split_of(group, 1, validation_share=0.1) == "validation"}
    large = {group for group in groups if split_of(group, 1, validation_share=0.3) == "validation"}

    assert small < large
    assert {split_of(group, 1, validation_share=0.0) for group in groups} == {"train"}
