"""The benchmark of policy trees, on a small table."""

import numpy as np

from benchmarks import __main__, policies, results


def test_the_rule_is_what_pays():
    X, rewards = policies.generate(policies.Table(20_000, "rule", 1, 3, 4))
    assert np.array_equal(X.round(1), X)
    below = (X[:, 0] <= 0) & (X[:, 1] <= -0.3)
    assert np.allclose(rewards[below].mean(axis=0), [policies._EFFECT, 0, 0, 0], atol=0.05)
    assert np.allclose(policies.generate(policies.Table(20_000, "noise", 1, 3, 4))[1].mean(axis=0), 0, atol=0.05)


def test_columns_are_binary_at_their_quantiles():
    X, _ = policies.generate(policies.Table(1_000, "noise", None, 3, 2, 2, 4))
    assert X.dtype == np.uint8
    assert np.allclose(X.mean(axis=0), [0.2, 0.4, 0.6, 0.8] * 3, atol=0.01)


def test_a_fit_is_measured_in_a_process_of_its_own(tmp_path, capsys):
    path = tmp_path / "results.jsonl"
    arguments = ["policies", "--table", "1,000 rule", "--limit", "0.5", "--results", str(path)]
    assert __main__.main([*arguments, "--peer", "hornbeam"]) == 0
    (record,) = results.load(path)
    assert record["commit"] == results.describe_commit()
    assert record["machine"] == results.describe_machine()
    assert (record["table"], record["peer"], record["n_rows"]) == ("1,000 rule", "hornbeam", 1000)
    assert record["value"] > record["best_single"]
    assert min(record["user_seconds"], record["bytes"]) > 0
    assert capsys.readouterr().out.count("\n") == 1
    row = path.with_suffix(".md").read_text().splitlines()[-1]
    value = f"**{record['value']:.4f}**" if record["proven"] else f"{record['value']:.4f}"
    assert row.startswith("| 1,000 rule | 20 | 2 |")
    assert row.endswith(f", {value} | 1.5 min |")
