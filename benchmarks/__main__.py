"""The command line: ``python -m benchmarks setup``, ``run``, ``report``, ``paper`` and so on, see ``--help``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from benchmarks import environments
from benchmarks.peers import PEERS
from benchmarks.suites import SUITES, Suite

PAPERS = (
    *("gosdt", "guesses", "split", "split-sparsity", "split-lookahead", "osdt"),
    *("maptree", "maptree-synthetic", "maptree-folds", "maptree-priors"),
    *("rashomon", "rashomon-sets"),
)
RESULTS = Path(__file__).resolve().parent / "results"


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; hornbeam is imported by what needs it, so that --help needs no compiled core."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command == "setup":
        return environments.setup(options.peer or environments.PACKAGES)
    if options.command == "run":
        from benchmarks.runner import run_suite

        suite = _suite(options)
        if not suite.rows or not suite.peers:
            parser.error(f"suite {suite.name} has nothing of what was requested; see benchmarks/suites.ini")
        path = options.results or RESULTS / f"{suite.name}.jsonl"
        run_suite(suite, path, minutes=options.minutes, memory=int(options.memory * 2**30), again=options.again)
    elif options.command == "paper":
        from benchmarks.papers.measure import complete

        paper = import_module(f"benchmarks.papers.{options.paper.replace('-', '_')}")
        names = [name for name in paper.SOURCES if _wanted(options.dataset, name)]
        sources = {name: paper.records_of(name, options.limit) for name in names}
        path = options.directory / f"paper-{options.paper}.jsonl"
        paper.report(complete(path, sources, options.limit, again=options.again), options.directory)
    elif options.command == "limits":
        from benchmarks import limits

        for option, known in (("estimator", limits.ESTIMATORS), ("case", limits.CASES)):
            if unknown := [name for name in getattr(options, option) or () if name not in known]:
                parser.error(f"argument --{option}: {unknown[0]!r} is none of {', '.join(known)}")
        path = options.results or RESULTS / "limits.jsonl"
        limits.run(path, options.data, options.dataset, options.estimator, options.case, options.again)
        limits.report(path)
    elif options.command == "performance":
        from benchmarks.report import document

        document.write_performance(RESULTS, options.file)
    elif options.command == "report":
        from benchmarks.report import document

        for suite in options.suite:
            document.write(suite, options.results or RESULTS / f"{suite}.jsonl", options.directory)
    else:
        _measure_generated(options, parser)
    return 0


def _measure_generated(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Measure what has problems of its own instead of a suite."""
    if options.command == "explorer":
        from benchmarks import explorer

        path = options.results or RESULTS / "explorer.jsonl"
        explorer.run(path, options.walks)
        explorer.report(path)
    elif options.command == "streaming":
        from benchmarks import streaming

        if unknown := [name for name in options.step or () if name not in streaming.STEPS]:
            parser.error(f"argument --step: {unknown[0]!r} is none of {', '.join(streaming.STEPS)}")
        path = options.results or RESULTS / "streaming.jsonl"
        steps = [*streaming.STEPS] if options.step is None else options.step
        if steps:
            sizes = int(options.rows), options.columns
            streaming.run(path, *sizes, steps, options.directory, options.times, options.repeats)
        streaming.report(path, path.with_suffix(".md"))
    elif options.command == "policies":
        from benchmarks import policies

        if unknown := [name for name in options.table or () if name not in policies.TABLES]:
            parser.error(f"argument --table: {unknown[0]!r} is none of {', '.join(policies.TABLES)}")
        path = options.results or RESULTS / "policies.jsonl"
        names = [*policies.TABLES] if options.table is None else options.table
        policies.run(path, names, options.peer or policies.PEERS, options.limit)
        policies.report(path, path.with_suffix(".md"))
    elif options.command == "regression":
        from benchmarks import regressions

        if unknown := [name for name in options.problem or () if name not in regressions.PROBLEMS]:
            parser.error(f"argument --problem: {unknown[0]!r} is none of {', '.join(regressions.PROBLEMS)}")
        path = options.results or RESULTS / "regression.jsonl"
        names = [*regressions.PROBLEMS] if options.problem is None else options.problem
        regressions.run(path, names, options.peer or regressions.PEERS, options.limit)
        regressions.report(path, path.with_suffix(".md"))
    elif options.command == "survival":
        from benchmarks import survivals

        if unknown := [name for name in options.problem or () if name not in survivals.PROBLEMS]:
            parser.error(f"argument --problem: {unknown[0]!r} is none of {', '.join(survivals.PROBLEMS)}")
        path = options.results or RESULTS / "survival.jsonl"
        names = [*survivals.PROBLEMS] if options.problem is None else options.problem
        survivals.run(path, names, options.peer or survivals.PEERS, options.limit)
        survivals.report(path, path.with_suffix(".md"))
    elif options.command == "cluster":
        from benchmarks import cluster

        if unknown := [name for name in options.problem or () if name not in cluster.PROBLEMS]:
            parser.error(f"argument --problem: {unknown[0]!r} is none of {', '.join(cluster.PROBLEMS)}")
        path = options.results or RESULTS / "cluster.jsonl"
        names = options.problem or [*cluster.PROBLEMS]
        cluster.run(path, names, options.workers, options.stretch, options.failures, is_real=options.real)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)

    setup = commands.add_parser("setup", help="make the environments of the peers")
    setup.add_argument("peer", nargs="*", help="which; all if none is named")

    run = commands.add_parser("run", help="run what the results do not hold yet")
    run.add_argument("suite", choices=SUITES)
    run.add_argument("--dataset", nargs="+", help="only these data sets")
    run.add_argument("--peer", nargs="+", choices=PEERS, help="only these peers")
    run.add_argument("--regularization", nargs="+", help="only these: 0, 0.01, 0.005-rounded")
    run.add_argument("--max-depth", nargs="+", help="only these; none for no limit")
    run.add_argument("--limit", type=float, help="seconds for a run instead of the suite's")
    run.add_argument("--repeats", type=int, help="how often to make a short run, instead of the suite's number")
    run.add_argument("--minutes", type=float, help="start no run after so many")
    run.add_argument("--memory", type=float, default=8.0, help="GiB above which a run is killed (8)")
    run.add_argument("--results", type=Path, help="file instead of benchmarks/results/SUITE.jsonl")
    run.add_argument("--again", action="store_true", help="run also what the results hold")

    report = commands.add_parser("report", help="write tables and plots of the results")
    report.add_argument("suite", nargs="+", choices=SUITES)
    report.add_argument("--results", type=Path, help="file instead of benchmarks/results/SUITE.jsonl")
    report.add_argument("--directory", type=Path, default=RESULTS, help="where to write (benchmarks/results)")

    paper = commands.add_parser("paper", help="measure what the results of a paper do not hold yet, and report")
    paper.add_argument("paper", choices=PAPERS)
    paper.add_argument("--dataset", nargs="*", help="only these data sets; none to write the report alone")
    paper.add_argument("--limit", type=float, default=10.0, help="seconds for each exact search (10)")
    paper.add_argument("--again", action="store_true", help="measure also what the results hold with this limit")
    paper.add_argument("--directory", type=Path, default=RESULTS, help="where to write (benchmarks/results)")

    performance = commands.add_parser("performance", help="write the table of docs/benchmarks.md of all suites")
    performance.add_argument("file", type=Path, help="where to write")

    limit = commands.add_parser("limits", help="measure how late fits end that the results do not hold yet, and report")
    limit.add_argument("--dataset", nargs="*", help="only these data sets; none to write the report alone")
    limit.add_argument("--estimator", nargs="+", help="only these estimators")
    limit.add_argument("--case", nargs="+", help="only these limits")
    limit.add_argument("--data", type=Path, help="folder of the tables instead of ../shared/data")
    limit.add_argument("--results", type=Path, help="file instead of benchmarks/results/limits.jsonl")
    limit.add_argument("--again", action="store_true", help="measure again what ended too late")

    _add_generated(commands)
    return parser


def _add_generated(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands of `_measure_generated`."""
    cluster = commands.add_parser("cluster", help="measure and simulate searches on a cluster")
    cluster.add_argument("--problem", nargs="+", help="only these: 'small row sets', 'large row sets, long', ...")
    cluster.add_argument("--workers", type=int, nargs="*", default=[2, 16], help="simulated ones (2 16)")
    cluster.add_argument("--stretch", type=float, default=1.0, help="how often each simulated second counts (1)")
    cluster.add_argument("--failures", type=float, default=0.0, help="deaths of a simulated worker in an hour (0)")
    cluster.add_argument("--real", action="store_true", help="also start clusters of two workers on this machine")
    cluster.add_argument("--results", type=Path, help="file instead of benchmarks/results/cluster.jsonl")

    streaming = commands.add_parser(
        "streaming", help="measure fits of a generated table larger than memory, and write their table"
    )
    streaming.add_argument("--rows", type=float, default=1e6, help="of the file (1e6)")
    streaming.add_argument("--times", type=int, default=1, help="how often the table has these rows (1)")
    streaming.add_argument("--columns", type=int, default=20, help="of flags (20)")
    streaming.add_argument("--repeats", type=int, default=1, help="how often to make each step, in turn (1)")
    streaming.add_argument(
        "--step", nargs="*", help="only these: 'polars reads', 'GOSDT depth 3', ...; none to write the table alone"
    )
    streaming.add_argument(
        "--directory", type=Path, help="where the table is while it is measured; the system's folder"
    )
    streaming.add_argument("--results", type=Path, help="file instead of benchmarks/results/streaming.jsonl")

    policies = commands.add_parser(
        "policies", help="measure optimal policy trees of generated tables, and write their table"
    )
    policies.add_argument("--table", nargs="*", help="only these: '10,000 rule', ...; none to write the table alone")
    policies.add_argument("--peer", nargs="+", choices=("hornbeam", "streed", "econml"), help="only these peers")
    policies.add_argument("--limit", type=float, default=600.0, help="seconds for each fit (600)")
    policies.add_argument("--results", type=Path, help="file instead of benchmarks/results/policies.jsonl")

    regression = commands.add_parser("regression", help="measure optimal regression trees, and write their table")
    regression.add_argument("--problem", nargs="*", help="only these; none to write the table alone")
    regression.add_argument(
        "--peer", nargs="+", choices=("hornbeam", "streed", "osrt", "cart"), help="only these peers"
    )
    regression.add_argument("--limit", type=float, default=60.0, help="seconds for each fit (60)")
    regression.add_argument("--results", type=Path, help="file instead of benchmarks/results/regression.jsonl")

    survival = commands.add_parser("survival", help="measure optimal survival trees, and write their table")
    survival.add_argument("--problem", nargs="*", help="only these; none to write the table alone")
    survival.add_argument(
        "--peer", nargs="+", choices=("hornbeam", "streed", "osst", "sksurv"), help="only these peers"
    )
    survival.add_argument("--limit", type=float, default=60.0, help="seconds for each fit (60)")
    survival.add_argument("--results", type=Path, help="file instead of benchmarks/results/survival.jsonl")

    explorer = commands.add_parser("explorer", help="measure clicks in the explorer on 10^12 trees")
    explorer.add_argument("--walks", type=int, default=10, help="of 12 clicks and 12 steps of filters each (10)")
    explorer.add_argument("--results", type=Path, help="file instead of benchmarks/results/explorer.jsonl")


def _suite(options: argparse.Namespace) -> Suite:
    """Return what the options name of a suite."""
    suite = SUITES[options.suite]
    rows = tuple(
        row
        for row in suite.rows
        if _wanted(options.dataset, row.dataset)
        and _wanted(options.regularization, row.regularization)
        and _wanted(options.max_depth, row.max_depth)
    )
    return replace(
        suite,
        rows=rows,
        peers=tuple(peer for peer in suite.peers if _wanted(options.peer, peer)),
        limits=suite.limits if options.limit is None else (options.limit,),
        repeats=suite.repeats if options.repeats is None else options.repeats,
    )


def _wanted(chosen: Sequence[str] | None, value: str | float | None) -> bool:
    """Return whether a value is among those that were named, or none were."""
    name = "none" if value is None else value if isinstance(value, str) else f"{value:g}"
    return chosen is None or name in chosen


if __name__ == "__main__":
    sys.exit(main())
