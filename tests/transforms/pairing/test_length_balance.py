import pyarrow as pa

from transforms.pairing.length_balance import length_report


def test_length_report_counts_each_environment() -> None:
    pairs = pa.table(
        {
            "environment": ["b", "a", "b", "b"],
            "num_tokens_chosen": [30, 10, 10, 20],
            "num_tokens_rejected": [10, 10, 20, 10],
        }
    )
    assert length_report(pairs, max_length_ratio=2.0).to_pylist() == [
        {"environment": "a", "num_pairs": 1, "longer_share": None, "mean_difference": 0.0, "num_over_ratio": 0},
        {"environment": "b", "num_pairs": 3, "longer_share": 2 / 3, "mean_difference": 20 / 3, "num_over_ratio": 1},
    ]
