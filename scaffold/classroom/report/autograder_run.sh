#!/usr/bin/env bash
# Gradescope runs this for each submission. What is in it runs in the sandbox of `grade.py class` and nowhere else.
# Without a results.json, Gradescope says that the autograder failed: nobody loses points by that.
set -euo pipefail

root=${AUTOGRADER_ROOT:-/autograder}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/submissions"
cp -R -P "$root/submission" "$work/submissions/submission"
cd "$root/source/course"
# Its exit code may say that something is wrong with the submission; that is no reason to write nothing.
"$root/venv/bin/python" grade.py class "$work/submissions" -o "$work/report" @OPTIONS@ || true
cp "$work/report/gradescope/submission.json" "$root/results/results.json"
