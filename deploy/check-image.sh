#!/usr/bin/env bash
# Checks the container image as a container runtime would run it: read-only root, user 10001, no capabilities, no new
# privileges, a memory limit where cgroups can be written, then a spoken and transcribed sentence, and SIGTERM. Needs root and a folder
# with the file system of the image, for example of `buildah mount`.
#
#   deploy/check-image.sh ROOTFS MODELS_FOLDER
set -euo pipefail
rootfs=$(realpath "$1") models=$(realpath "$2") port=${PORT:-18080}
scratch=$(mktemp -d)
mkdir -m 0700 "$scratch/data" && chown 10001:10001 "$scratch/data"
# Version 1 of cgroups has a folder per controller.
cgroup=/sys/fs/cgroup/mynah-check-$$ limit=memory.max peak=memory.peak
if [ -d /sys/fs/cgroup/memory ]; then
  cgroup=/sys/fs/cgroup/memory/mynah-check-$$ limit=memory.limit_in_bytes peak=memory.max_usage_in_bytes
fi

launch() {
  # In a mount namespace of its own, so that nothing stays mounted.
  mount --bind "$rootfs" "$rootfs"
  mount -t proc proc "$rootfs/proc"
  mount -t tmpfs tmpfs "$rootfs/tmp"
  mount --bind /dev "$rootfs/dev"
  mount --bind "$scratch/data" "$rootfs/data"
  mount --bind -o ro "$models" "$rootfs/models"
  mount -o remount,ro,bind "$rootfs"
  if [ -d "$cgroup" ]; then echo $BASHPID > "$cgroup/cgroup.procs"; fi
  cd "$rootfs/data"
  exec chroot "$rootfs" /usr/bin/setpriv --reuid 10001 --regid 10001 --clear-groups --bounding-set=-all --inh-caps=-all \
    --no-new-privs /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/tmp NODE_ENV=production HOST=127.0.0.1 PORT="$port" \
    MYNAH_DATA=/data MYNAH_MODELS=/models MYNAH_WORKERS=1 MYNAH_LOG_LEVEL=warn ORT_DISABLE_TELEMETRY=1 "$@"
}
export -f launch
export rootfs models scratch port cgroup
# The command of the image in such a container.
contain() { unshare --mount --propagation private bash -c 'launch "$@"' _ "$@"; }

cleanup() {
  [ -z "${server:-}" ] || kill -KILL "$server" 2>/dev/null || true
  sleep 1
  rmdir "$cgroup" 2>/dev/null || true
  rm -rf "$scratch"
}
trap cleanup EXIT

if mkdir "$cgroup" 2>/dev/null && echo $((1024 * 1024 * 1024)) > "$cgroup/$limit" 2>/dev/null; then
  echo "memory limit: 1 GB"
else
  rmdir "$cgroup" 2>/dev/null || true
  echo "memory limit: not set, cgroups cannot be written here"
fi
echo "size: $(du -sm --apparent-size "$rootfs" | cut -f1) MB"

if contain touch /written 2>/dev/null; then echo "the root file system is writable" && exit 1; fi
contain node -e 'const caps = require("fs").readFileSync("/proc/self/status", "utf8").match(/^Cap(Eff|Bnd).*$/gm).join(" ");
  console.log(`user ${process.getuid()}, ${caps}`); if (/[1-9a-f]/.test(caps.replace(/Cap\w+:/g, ""))) process.exit(1);'

# A simple command, so that $! is the server itself.
unshare --mount --propagation private bash -c 'launch "$@"' _ mynah serve &
server=$!
for _ in $(seq 600); do
  curl -fsS "http://127.0.0.1:$port/readyz" >/dev/null 2>&1 && break
  kill -0 "$server" || exit 1
  sleep 0.5
done
key=$(cat "$scratch/data/first-key")
curl -fsS "http://127.0.0.1:$port/v1/tts" -H "Authorization: Bearer $key" -H 'Content-Type: application/json' \
  --output "$scratch/hello.mp3" -d '{"text": "Hello from a container image."}'
text=$(curl -fsS "http://127.0.0.1:$port/v1/asr" -H "Authorization: Bearer $key" -F "audio=@$scratch/hello.mp3")
echo "transcribed: $text"
grep -qi 'hello from a container' <<< "$text"

# SIGTERM drains: speech that has begun is complete.
curl -fsS "http://127.0.0.1:$port/v1/tts" -H "Authorization: Bearer $key" -H 'Content-Type: application/json' \
  --output "$scratch/drained.mp3" -d "{\"text\": \"$(printf 'This sentence is spoken while the server stops. %.0s' {1..10})\"}" &
client=$!
for _ in $(seq 200); do [ -s "$scratch/drained.mp3" ] && break; sleep 0.05; done
kill -TERM "$server"
wait "$client"
wait "$server"
echo "stopped with status 0 after a complete response of $(stat -c %s "$scratch/drained.mp3") bytes"
[ ! -f "$cgroup/$peak" ] || echo "memory, peak: $(($(cat "$cgroup/$peak") / 1000000)) MB"
server=
echo "The image works."
