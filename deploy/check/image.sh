#!/usr/bin/env bash
# Checks the container image in a container with a read-only root, without capabilities and with 1 GB of memory: size, a
# spoken and transcribed sentence, the health check, and SIGTERM during a response.
#
#   deploy/check/image.sh [IMAGE] [MODELS_FOLDER]     default: mynah, ~/.cache/mynah/models. ENGINE=docker or podman
set -euo pipefail
source "$(dirname "$0")/common.sh"
image=${1:-mynah} models=$(realpath "${2:-$HOME/.cache/mynah/models}")
engine=${ENGINE:-$(command -v podman || command -v docker)}
name=mynah-check-$$ port=${PORT:-18080} url=http://127.0.0.1:${PORT:-18080}
scratch=$(mktemp -d)
cleanup() {
  "$engine" rm --force --volumes "$name" > /dev/null 2>&1 || true
  "$engine" volume rm --force "$name" > /dev/null 2>&1 || true
  rm -rf "$scratch"
}
trap cleanup EXIT

megabytes=$(($("$engine" image inspect --format '{{.Size}}' "$image") / 1000000))
echo "image: $megabytes MB"
[ "$megabytes" -lt 600 ]

# The models are mounted read-only, so that nothing is fetched.
"$engine" run --detach --name "$name" --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
  --memory 1g --memory-swap 1g --publish "127.0.0.1:$port:8080" --volume "$name:/data" --volume "$models:/models:ro" \
  --env MYNAH_WORKERS=1 --env MYNAH_LOG_FORMAT=json "$image" > /dev/null
inside() { "$engine" exec "$name" "$@"; }
if inside touch /written 2> /dev/null; then echo 'The root file system is writable.' && exit 1; fi
inside node -e 'const status = require("fs").readFileSync("/proc/1/status", "utf8");
  const [uid, effective, bounding, noNewPrivileges] = ["Uid", "CapEff", "CapBnd", "NoNewPrivs"].map((field) => status.match(`${field}:\\s+(\\w+)`)[1]);
  console.log(`process 1: user ${uid}, capabilities ${effective} of ${bounding}, no new privileges ${noNewPrivileges}`);
  if (uid !== "10001" || /[1-9a-f]/.test(effective + bounding) || noNewPrivileges !== "1") process.exit(1);'

wait_until 'the server is ready' 600 curl --fail "$url/readyz"
key=$(inside cat /data/first-key)
speak_and_transcribe "$url" "$key" "$scratch"
# The command of the health check, as Docker runs it. Images in the OCI format have none.
inside sh -c 'node -e "fetch(\`http://127.0.0.1:\${process.env.PORT}/healthz\`).then(({ ok }) => process.exit(ok ? 0 : 1))"'
echo 'health check: passed'
memory() { inside sh -c 'cat /sys/fs/cgroup/memory.peak 2> /dev/null || cat /sys/fs/cgroup/memory/memory.max_usage_in_bytes'; }
limit() { inside sh -c 'cat /sys/fs/cgroup/memory.max 2> /dev/null || cat /sys/fs/cgroup/memory/memory.limit_in_bytes'; }
echo "memory: peak $(($(memory) / 1000000)) MB of $(($(limit) / 1000000)) MB"

# SIGTERM drains: speech that has begun is complete.
text=$(printf 'This sentence is spoken while the server stops. %.0s' {1..10})
speak "$url" "$key" "$text" "$scratch/complete.mp3"
speak "$url" "$key" "$text" "$scratch/drained.mp3" &
client=$!
wait_until 'the response has begun' 60 test -s "$scratch/drained.mp3"
"$engine" stop --time 60 "$name" > /dev/null &
stopping=$!
wait "$client"
wait "$stopping"
status=$("$engine" inspect --format '{{.State.ExitCode}}' "$name")
sizes=$(stat --format %s "$scratch/complete.mp3" "$scratch/drained.mp3" | paste -sd ' ')
echo "SIGTERM: exit status $status; bytes of an undisturbed and of the drained response: $sizes"
[ "$status" = 0 ] && [ "${sizes% *}" = "${sizes#* }" ]
echo "The image works ($("$engine" --version))."
