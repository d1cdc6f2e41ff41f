"""Build each patch of `tests/mutants` and run the tests that its head names: every mutant has to fail one of them.

The head of a patch, before its first `---` line, has three fields:

* `Mutation`: what it breaks;
* `Killed by`: tests that fail with it, a C++ test (`solve_test`) or a path that pytest takes, separated by spaces;
* `Equivalent`, instead of `Killed by`: why no test can tell the mutant from the original.

The mutants are applied to a copy of the sources in `build/mutants`, which keeps its builds from run to run.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATCHES = ROOT / "tests/mutants"
TREE = ROOT / "build/mutants/tree"
BUILDS = {"tests": ROOT / "build/mutants/tests", "core": ROOT / "build/mutants/core"}
# What a build or a test reads.
SOURCES = ("CMakeLists.txt", "CMakePresets.json", "pyproject.toml", "cpp", "src", "tests")
SECONDS = 300  # a mutant that takes longer hangs


def run(
    command: Sequence[str | Path], timeout: float | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in the copy and keep its output; after the timeout, end it and all that it started."""
    with subprocess.Popen(
        command, cwd=TREE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, start_new_session=True
    ) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def must(command: Sequence[str | Path]) -> None:
    """Run a command that has to succeed."""
    if (done := run(command)).returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def copy_sources() -> None:
    """Bring the copy up to date; files that did not change keep their times, so that little is compiled again."""
    TREE.mkdir(parents=True, exist_ok=True)
    wanted = subprocess.run(["git", "ls-files", *SOURCES], cwd=ROOT, capture_output=True, text=True, check=True)
    names = set(wanted.stdout.splitlines())
    for old in [path for path in TREE.rglob("*") if path.is_file() and str(path.relative_to(TREE)) not in names]:
        old.unlink()
    for name in names:
        source, target = ROOT / name, TREE / name
        if not target.exists() or source.read_bytes() != target.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def configure() -> None:
    """Prepare one build of the C++ tests and one of the extension module."""
    debug = ("-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS=-D_GLIBCXX_ASSERTIONS")
    must(["cmake", "-S", TREE, "-B", BUILDS["tests"], *debug, "-DHORNBEAM_CPP_TESTS=ON"])
    must(["cmake", "-S", TREE, "-B", BUILDS["core"], *debug, f"-DPython_EXECUTABLE={sys.executable}"])


def fields_of(patch: Path) -> dict[str, str]:
    """Read the head of a patch."""
    head = re.split(r"^(?:diff|---) ", patch.read_text(), maxsplit=1, flags=re.M)[0]
    found = re.split(r"^(Mutation|Killed by|Equivalent):", head, flags=re.M)
    return {name: " ".join(text.split()) for name, text in zip(found[1::2], found[2::2], strict=True)}


def fails(test: str) -> bool:
    """Build what a test needs and tell whether it fails."""
    if test.endswith("_test"):
        must(["cmake", "--build", BUILDS["tests"], "--target", test])
        command = ["ctest", "--test-dir", str(BUILDS["tests"]), "-R", f"^{test}$"]
    else:
        must(["cmake", "--build", BUILDS["core"]])
        for module in BUILDS["core"].glob("_core*.*"):
            shutil.copy(module, TREE / "src/hornbeam")
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", test]
    try:
        done = run(command, timeout=SECONDS, env={**os.environ, "PYTHONPATH": str(TREE / "src")})
    except subprocess.TimeoutExpired:
        return True
    if "no tests ran" in done.stdout or "No tests were found" in done.stdout:
        sys.exit(f"{test} does not exist\n{done.stdout}{done.stderr}")
    return done.returncode != 0


def is_killed(patch: Path) -> bool:
    """Apply a patch, run its tests, take it back."""
    apply = ["git", "apply", "--whitespace=nowarn", f"--directory={TREE.relative_to(ROOT)}", str(patch)]
    subprocess.run(apply, cwd=ROOT, check=True)
    try:
        return any(fails(test) for test in fields_of(patch)["Killed by"].split())
    finally:
        subprocess.run([*apply, "--reverse"], cwd=ROOT, check=True)


def main() -> int:
    """Run the mutants that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="patches of tests/mutants without their suffix; all if none is given")
    names = parser.parse_args().names
    patches = [PATCHES / f"{name}.patch" for name in names] or sorted(PATCHES.glob("*.patch"))
    copy_sources()
    configure()
    tests = {test for patch in patches for test in fields_of(patch).get("Killed by", "").split()}
    if broken := sorted(test for test in tests if fails(test)):
        sys.exit(f"these tests fail without any mutant: {', '.join(broken)}")
    survivors = 0
    for patch in patches:
        fields = fields_of(patch)
        if "Equivalent" in fields:
            print(f"equivalent  {patch.stem}: {fields['Equivalent']}", flush=True)
            continue
        killed = is_killed(patch)
        survivors += not killed
        print(f"{'killed    ' if killed else 'SURVIVED  '}  {patch.stem}: {fields['Mutation']}", flush=True)
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
