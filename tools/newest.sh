#!/usr/bin/env bash
# Fast tests with the newest versions of all that is needed, then with the lowest that pyproject.toml allows.
# Each runs in an environment of its own in a temporary folder. `tools/newest.sh lowest` runs one of the two.
set -uo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python=${PYTHON:-python3.11}
"$python" -m venv "$folder/uv"
"$folder/uv/bin/python" -m pip install --quiet uv || exit 1

resolve() {  # FILE, then what it is made from; for the Python that runs here
  local file=$1
  shift
  "$folder/uv/bin/uv" pip compile --quiet --no-annotate --no-header --python "$folder/uv/bin/python" --output-file "$file" "$@"
}

requirements() {  # "newest" or "lowest": writes FOLDER/WHICH.txt
  local all=(--extra team --extra telemetry --extra watch pyproject.toml) tools=(--group pyproject.toml:dev requirements/build.in)
  if [ "$1" = newest ]; then
    resolve "$folder/newest.txt" "${tools[@]}" "${all[@]}"
  else  # what the package itself asks for is the lowest; what tests it is not
    resolve "$folder/direct.txt" --no-deps --resolution lowest-direct "${all[@]}" &&
      resolve "$folder/lowest.txt" --constraint "$folder/direct.txt" "${tools[@]}" "${all[@]}"
  fi
}

failed=0
for which in "${@:-newest lowest}"; do for one in $which; do
  bin=$folder/$one/bin
  requirements "$one" && "$python" -m venv "$folder/$one" &&
    "$bin/python" -m pip install --quiet -r "$folder/$one.txt" &&
    "$bin/python" -m pip install --quiet --no-deps --no-build-isolation -e . -e ./benchmarks ||
    { echo "$one: cannot be installed"; failed=1; continue; }
  echo "== $one: $(grep -c == "$folder/$one.txt") packages, $("$bin/python" --version)"
  "$bin/python" -m pytest -n 2 -m 'not slow and not soak' || failed=1
done; done
exit $failed
