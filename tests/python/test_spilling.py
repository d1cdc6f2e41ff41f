"""Rows of a lazy table that memory has no room for go to disk, and come back as the rows that memory would have had."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hornbeam import GOSDTClassifier, LicketySPLITClassifier, SPLITClassifier, ThresholdBinarizer
from hornbeam._budget import Budget
from hornbeam.streaming import merging, read_streamed
from hornbeam.streaming.coding import FlagCoder
from hornbeam.streaming.files import ScratchFile
from hornbeam.streaming.spilling import SpilledRows
from streamed_tables import assert_same_fit, fit_in_memory, mixed_table

pl = pytest.importorskip("polars")

_ROOM = 10**9  # for the search


@pytest.fixture(autouse=True)
def spills(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let every batch spill; the list has the distinct rows of each."""
    seen: list[int] = []
    add = SpilledRows.add

    def note(self: SpilledRows, counter: Any) -> None:
        seen.append(counter.n_rows)
        add(self, counter)

    monkeypatch.setattr(SpilledRows, "add", note)
    monkeypatch.setattr("hornbeam.streaming.source._ROWS_OF_BATCH", 37)
    monkeypatch.setattr("hornbeam.streaming.source._TIMES_FOR_FLAGS", 1)
    monkeypatch.setattr("hornbeam.streaming.spilling._ROWS_AT_ONCE", 16)
    monkeypatch.setattr("hornbeam.streaming.merging._SHARE_OF_MEMORY", 1e-9)
    return seen


def _files(folder: Path) -> list[str]:
    """Return the names in a folder, and the files in it that this process has open, with a name or without."""
    opened = Path("/proc/self/fd")
    targets = [os.readlink(each) for each in opened.iterdir() if each.is_symlink()] if opened.exists() else []
    return [each.name for each in folder.iterdir()] + [target for target in targets if target.startswith(str(folder))]


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("binarizer", ["exact", ThresholdBinarizer(thresholds={"number": [0.3]})])
def test_spilled_rows_give_the_fit_in_memory(
    spills: list[int], tmp_path: Path, binarizer: Any, weight: str | None
) -> None:
    frame = mixed_table(400) if weight else mixed_table(400).drop("weight")
    settings = {"regularization": 0.02, "max_depth": 4, "binarizer": binarizer, "memory_limit": _ROOM}
    streamed = GOSDTClassifier(**settings, temporary_folder=tmp_path).fit(frame.lazy(), "label", weight)
    assert len(spills) > 5
    assert_same_fit(streamed, fit_in_memory(GOSDTClassifier(**settings), frame, weight))
    assert _files(tmp_path) == []


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("make", [GOSDTClassifier, SPLITClassifier, LicketySPLITClassifier])
def test_spilled_flags_of_two_words_give_the_fit_in_memory(spills: list[int], make: Any, missing: bool) -> None:
    random = np.random.default_rng(1)
    X = random.random((300, 70)) < 0.3
    label = np.where((X[:, 0] & X[:, 1]) | X[:, 2] ^ (random.random(300) < 0.1), "yes", "no")
    label[200:210] = "late"  # so that a row has more bits from then on
    frame = pl.DataFrame(X, schema=[f"c{i}" for i in range(70)]).with_columns(label=pl.Series(label))
    if missing:
        frame = frame.with_columns(c0=pl.when(pl.Series(np.arange(300) > 290)).then(None).otherwise("c0"))
    frame = pl.concat([frame, frame.head(150)])
    # With a trace, GOSDTClassifier needs more of a table than triples of its conditions.
    settings = {"regularization": 0.011, "max_depth": 3, "min_samples_leaf": 5, "memory_limit": _ROOM, "trace": True}
    streamed = make(**settings).fit(frame.lazy(), "label")
    assert len(spills) > 5
    assert_same_fit(streamed, fit_in_memory(make(**settings), frame, None))


@pytest.mark.parametrize("limit", [None, _ROOM])
def test_totals_of_flags_count_all_rows(spills: list[int], monkeypatch: pytest.MonkeyPatch, limit: int | None) -> None:
    random = np.random.default_rng(2)
    frame = pl.DataFrame({name: random.random(300) < 0.3 for name in ("a", "b", "label")})
    found = []
    distinct = FlagCoder.distinct
    monkeypatch.setattr(FlagCoder, "distinct", lambda self, totals: (found.append(totals), distinct(self, totals))[1])
    read_streamed(frame.lazy(), "label", None, ThresholdBinarizer(), Budget(None, limit), lambda *_: None)
    assert (limit is None) == (not spills)
    for name, totals in zip(("a", "b"), found, strict=True):
        assert totals.tolist() == [300 - frame[name].sum(), frame[name].sum()]


@pytest.mark.parametrize("n_values", [1, 3, 40])
def test_spilled_rows_keep_the_order_of_the_table(spills: list[int], n_values: int) -> None:
    random = np.random.default_rng(n_values)
    frame = pl.DataFrame({f"c{i}": random.integers(0, n_values, 700) for i in range(3)})
    frame = frame.with_columns(label=pl.Series(random.random(700) < 0.5))
    read = read_streamed(frame.lazy(), "label", None, ThresholdBinarizer(), Budget(None, _ROOM), lambda *_: None)
    expected = frame.unique(maintain_order=True)
    for index, name in enumerate(["c0", "c1", "c2"]):
        assert read.training.table.column(index).values.tolist() == expected[name].to_list()
    assert read.training.labels.tolist() == expected["label"].to_list()
    assert read.training.counts is not None
    assert read.training.counts.tolist() == frame.group_by(frame.columns, maintain_order=True).len()["len"].to_list()
    assert len(spills) == len(range(0, 700, 37)) + 1
    assert sum(spills) >= len(expected)


def test_rows_spill_only_when_memory_is_used_up(spills: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    random = np.random.default_rng(0)
    rows = pl.DataFrame({f"c{i}": random.random(100_000) < 0.5 for i in range(24)})
    rows = rows.with_columns(label=pl.Series(random.random(100_000) < 0.5))
    found, n_parts = [], []
    add = SpilledRows.add
    monkeypatch.setattr(SpilledRows, "add", lambda self, counter: (n_parts.append(counter.n_rows), add(self, counter)))
    for limit in (None, 8_000_000):
        monkeypatch.setattr("hornbeam.streaming.source._ROWS_OF_BATCH", 5_000)
        budget = Budget(None, limit)
        read = read_streamed(rows.lazy(), "label", None, ThresholdBinarizer(), budget, lambda *_: None)
        assert read.training.counts is not None
        found.append([[column.tolist() for column in read.training.table.values], read.training.counts.tolist()])
    assert found[0] == found[1]
    assert len(n_parts) > 1
    assert max(n_parts) * merging._BYTES_OF_ROW < 4_000_000
    with pytest.raises(MemoryError, match="no room for labels, weights and counts of the distinct rows"):
        read_streamed(rows.lazy(), "label", None, ThresholdBinarizer(), Budget(None, 2_000_000), lambda *_: None)


def test_a_full_disk_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("needs a device that is always full")
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: full.open("r+b", buffering=0))
    classifier = GOSDTClassifier(0.02, max_depth=4, memory_limit=_ROOM, temporary_folder=tmp_path)
    with pytest.raises(OSError, match=rf"No space left.* temporary_folder.*: '{tmp_path}'"):
        classifier.fit(mixed_table(100).drop("weight").lazy(), "label")


@pytest.mark.parametrize(
    ("folder", "error", "message"),
    [
        (3, TypeError, "temporary_folder must be a path or None, got 3"),
        ("missing/folder", ValueError, "temporary_folder='missing/folder' is not a folder"),
    ],
)
@pytest.mark.parametrize("make", [GOSDTClassifier, SPLITClassifier, LicketySPLITClassifier])
def test_a_wrong_folder_is_refused(make: Any, folder: Any, error: type[Exception], message: str) -> None:
    frame = mixed_table(20)
    with pytest.raises(error, match=message):
        make(temporary_folder=folder).fit(frame.lazy(), "label")
    with pytest.raises(error, match=message):  # also where the table is in memory, and no file is needed
        make(temporary_folder=folder).fit(frame.drop("label"), frame["label"])


def test_a_frontier_refuses_a_wrong_folder() -> None:
    frame = mixed_table(20)
    with pytest.raises(ValueError, match="temporary_folder='missing/folder' is not a folder"):
        GOSDTClassifier(temporary_folder="missing/folder").frontier(frame.drop("label"), frame["label"])


def test_ctrl_c_and_the_time_limit_leave_no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    frame = mixed_table(200).drop("weight")
    during: list[int] = []

    def interrupt(self: Any, what: str, n_rows: int) -> None:
        during.append(len(_files(tmp_path)))
        if what == "rows merged on disk" and n_rows > 100:
            raise KeyboardInterrupt

    monkeypatch.setattr("hornbeam.fitting.monitor.Monitor.report_rows", interrupt)
    with pytest.raises(KeyboardInterrupt):
        GOSDTClassifier(0.02, memory_limit=_ROOM, temporary_folder=tmp_path).fit(frame.lazy(), "label")
    if Path("/proc/self/fd").exists():
        assert max(during) > 60
    assert _files(tmp_path) == []
    monkeypatch.setattr("hornbeam.fitting.monitor.Monitor.report_rows", lambda *_: during.append(0))
    monkeypatch.setattr("hornbeam._budget.Budget.seconds", lambda self: 0.0 if during[-1] == 0 else 1.0)
    with pytest.raises(TimeoutError):
        GOSDTClassifier(0.02, time_limit=1, memory_limit=_ROOM, temporary_folder=tmp_path).fit(frame.lazy(), "label")
    assert _files(tmp_path) == []


_KILLED = """
import os, signal, sys
import numpy as np
from hornbeam.streaming.files import ScratchFile
file = ScratchFile(sys.argv[1])
file.append(np.ones(1 << 16))
mapped = file.mapped(np.float64)
assert mapped.sum() == 1 << 16
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kill -9 is of POSIX systems")
def test_a_kill_leaves_no_file(tmp_path: Path) -> None:
    process = subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path)], check=False)
    assert process.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_an_empty_array(tmp_path: Path) -> None:
    assert ScratchFile(tmp_path).mapped(np.uint8).shape == (0,)


def _flags(n_rows: int) -> pl.DataFrame:
    random = np.random.default_rng(n_rows)
    X = random.random((n_rows, 20)) < 0.4
    label = ((X[:, 0] & X[:, 1]) | X[:, 2]) ^ (random.random(n_rows) < 0.1)
    return pl.DataFrame(X, schema=[f"c{i}" for i in range(20)]).with_columns(label=pl.Series(label))


@pytest.mark.parametrize("n_rows", [704, 709])
@pytest.mark.parametrize("constant", [False, True])  # then not all bits are used
def test_bits_in_a_file_give_the_fit_in_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, n_rows: int, constant: bool
) -> None:
    monkeypatch.setattr(merging, "_LEAST_DISTINCT", 10)
    monkeypatch.setattr(merging, "_SHARE_OF_MEMORY", 0.5)
    monkeypatch.setattr("hornbeam.streaming.flags._COPIES_OF_BITS", 10**6)
    frame = _flags(n_rows).with_columns(pl.lit(False).alias("constant") if constant else [])
    settings = {"regularization": 0.01, "max_depth": 4, "memory_limit": _ROOM}
    seen = []
    mapped = ScratchFile.mapped
    monkeypatch.setattr(ScratchFile, "mapped", lambda self, *which: seen.append(which) or mapped(self, *which))
    streamed = LicketySPLITClassifier(**settings, temporary_folder=tmp_path).fit(frame.lazy(), "label")
    assert len(seen) == 2
    assert_same_fit(streamed, fit_in_memory(LicketySPLITClassifier(**settings), frame, None))
    assert _files(tmp_path) == []
