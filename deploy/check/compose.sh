#!/usr/bin/env bash
# Starts compose.yaml as it is, speaks, transcribes, and stops it. Needs the image mynah, port 8080, and COMPOSE: "docker compose"
# or "podman-compose".
#
#   deploy/check/compose.sh [MODELS_FOLDER]
set -euo pipefail
source "$(dirname "$0")/common.sh"
deploy=$(realpath "$(dirname "$0")/..") models=$(realpath "${1:-$HOME/.cache/mynah/models}") url=http://127.0.0.1:8080
read -ra compose <<< "${COMPOSE:-$(command -v podman-compose || echo docker compose)}"
engine=${ENGINE:-$(command -v podman || command -v docker)}
project=mynah scratch=$(mktemp -d) owner=$(stat --format %u:%g "$models")
run() { "${compose[@]}" --project-name "$project" --file "$deploy/compose.yaml" "$@"; }
cleanup() {
  run down --volumes > /dev/null 2>&1 || true
  "$engine" volume rm --force "${project}_models" > /dev/null 2>&1 || true
  # Podman has given the folder to the user of the container.
  chown "$owner" "$models"
  rm -rf "$scratch"
}
if "$engine" volume inspect "${project}_data" > /dev/null 2>&1; then echo 'There is an installation already.' >&2 && exit 1; fi
trap cleanup EXIT

# The volume of models is a folder that has them, so that nothing is fetched.
"$engine" volume create --opt type=none --opt o=bind --opt device="$models" "${project}_models" > /dev/null
run up --detach --no-build
wait_until 'the server is ready' 600 curl --fail "$url/readyz"
# podman-compose prints its own lines as well.
printed=$(run exec -T mynah cat /data/first-key)
key=$(grep --only-matching --extended-regexp 'mynah_[A-Za-z0-9_-]{20,}' <<< "$printed" | tail -1)
speak_and_transcribe "$url" "$key" "$scratch"
echo "The compose file works ($("$engine" --version))."
