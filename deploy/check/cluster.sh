#!/usr/bin/env bash
# Starts compose.cluster.yaml with two gateways and two workers, makes a key as its head says, speaks, transcribes, and clones a
# voice, which both gateways speak with equal bytes. Needs the image mynah, port 8080, and COMPOSE: "docker compose" or
# "podman-compose" of PyPI (that of Debian 12 knows no --env-file).
#
#   deploy/check/cluster-images.sh
#   deploy/check/cluster.sh [MODELS_FOLDER]
set -euo pipefail
source "$(dirname "$0")/common.sh"
deploy=$(realpath "$(dirname "$0")/..") models=$(realpath "${1:-$HOME/.cache/mynah/models}") url=http://127.0.0.1:8080
read -ra compose <<< "${COMPOSE:-$(command -v podman-compose || echo docker compose)}"
engine=${ENGINE:-$(command -v podman || command -v docker)}
project=mynah-cluster scratch=$(mktemp -d) owner=$(stat --format %u:%g "$models")
cat > "$scratch/cluster.env" << END
POSTGRES_PASSWORD=check-password
MYNAH_FILES_URL=s3://mynah?endpoint=http://s3:8333&region=us-east-1
MYNAH_FILES_ACCESS_KEY=check-access-key
MYNAH_FILES_SECRET_KEY=check-secret-key
END
run() {
  "${compose[@]}" --project-name "$project" --env-file "$scratch/cluster.env" --file "$deploy/compose.cluster.yaml" \
    --file "$deploy/check/cluster.yaml" "$@"
}
start() { run up --detach --no-build "$@" > "$scratch/up.log" 2>&1 || { cat "$scratch/up.log" >&2 && return 1; }; }
cleanup() {
  run down --volumes > /dev/null 2>&1 || true
  "$engine" volume rm --force "${project}_models" "${project}_postgres" > /dev/null 2>&1 || true
  # Podman has given the folder to the user of the container.
  chown "$owner" "$models"
  rm -rf "$scratch"
}
if "$engine" volume inspect "${project}_postgres" > /dev/null 2>&1; then echo 'There is a cluster already.' >&2 && exit 1; fi
trap cleanup EXIT

# The volume of models is a folder that has them, so that nothing is fetched.
"$engine" volume create --opt type=none --opt o=bind --opt device="$models" "${project}_models" > /dev/null
start s3
make_bucket() { run exec -T s3 sh -c 'echo "s3.bucket.create -name mynah" | weed shell'; }
wait_until 'the bucket exists' 120 make_bucket
start
wait_until 'the cluster is ready' 600 curl --fail "$url/readyz"

# podman-compose prints its own lines as well.
printed=$(run exec -T gateway mynah keys create --name first --account acc_first)
key=$(grep --only-matching --extended-regexp 'mynah_[A-Za-z0-9_-]{20,}' <<< "$printed" | tail -1)
speak_and_transcribe "$url" "$key" "$scratch"

# A voice of one gateway is a voice of the other: its files are in the bucket.
speak "$url" "$key" 'This recording becomes a voice. It is long enough for that, because it has several sentences, and each of them is quite plain.' "$scratch/recording.mp3"
voice=$(curl --fail --silent --show-error "$url/model" --header "Authorization: Bearer $key" --form title=Check \
  --form "voices=@$scratch/recording.mp3" | grep --only-matching --perl-regexp '"_id":\s*"\K[^"]+' | head -1)
for gateway in $("$engine" ps --format '{{.Names}}' | grep --extended-regexp "^${project}[-_]gateway[-_]"); do
  # Each gateway by itself, without the proxy.
  "$engine" exec "$gateway" node -e '
    const [key, voice] = process.argv.slice(1);
    fetch("http://127.0.0.1:8080/v1/tts", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ text: "The same bytes from every gateway.", reference_id: voice, seed: 7 }),
    }).then(async (response) => {
      const hash = require("crypto").createHash("sha256").update(Buffer.from(await response.arrayBuffer())).digest("hex");
      console.log(`${response.status} ${hash}`);
    });' "$key" "$voice" | tee --append "$scratch/spoken" | sed "s/^/$gateway: /"
done
[ "$(wc --lines < "$scratch/spoken")" = 2 ] && [ "$(sort --unique "$scratch/spoken" | grep --count '^200 ')" = 1 ]
run exec -T gateway mynah ledger verify
echo "The cluster works ($("$engine" --version))."
