#!/usr/bin/env bash
# Gradescope runs this once, as root, when the image is built. Packages are all that it fetches.
set -euo pipefail
cd "${AUTOGRADER_ROOT:-/autograder}/source"

suitable() { "$1" -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

python=""
for candidate in python3.14 python3.13 python3.12 python3.11 python3; do
  if suitable "$candidate"; then python="$candidate"; break; fi
done
if [ -z "$python" ]; then
  apt-get update -qq
  apt-get install -y -qq python3.12 python3.12-venv || apt-get install -y -qq python3.11 python3.11-venv
  for candidate in python3.12 python3.11; do
    if suitable "$candidate"; then python="$candidate"; break; fi
  done
fi

"$python" -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
.venv/bin/python -m autograder doctor  # into the build's log: which wall holds here
