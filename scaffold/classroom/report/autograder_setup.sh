#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the autograder's image. The course needs Python 3.11 or newer.
set -euo pipefail

root=${AUTOGRADER_ROOT:-/autograder}

apt-get update -q
apt-get install -q -y bubblewrap || true # one of the things that the sandbox can be made of
apt-get install -q -y python3.12 python3.12-venv || apt-get install -q -y python3.11 python3.11-venv

for python in python3.12 python3.11; do
    if command -v "$python" >/dev/null; then break; fi
done
"$python" -m venv "$root/venv"
"$root/venv/bin/python" -m pip install -q -e "$root/source/course"
