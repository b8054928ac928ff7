#!/usr/bin/env bash
# Write requirements/*.txt anew: the newest versions that pyproject.toml allows, with hashes, for every Python and system.
# uv resolves for all of them at once; it comes into a temporary folder, since setting up needs pip alone.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3.11}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet uv

compile() {  # FILE, then what it is made from
  local file=$1
  shift
  "$folder/bin/uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade --no-annotate \
    --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" --output-file "requirements/$file" "$@"
}

# All in one go first, so that a package has one version in all files.
compile dev.txt --constraint requirements/newer.in --extra team --extra telemetry --extra watch --group pyproject.toml:dev pyproject.toml requirements/build.in
compile run.txt --constraint requirements/dev.txt pyproject.toml
compile team.txt --constraint requirements/dev.txt --extra team pyproject.toml
compile build.txt --constraint requirements/dev.txt requirements/build.in
compile site.txt --constraint requirements/dev.txt --group pyproject.toml:site
