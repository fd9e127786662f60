#!/usr/bin/env bash
# Boots Debian 12 with systemd in a container, installs the package and the unit as the guide says, starts the service, speaks,
# transcribes, and stops it during a response. Needs root, mmdebstrap and systemd-container.
#
#   deploy/check/systemd.sh TARBALL [MODELS_FOLDER]     the tarball of npm run package
set -euo pipefail
source "$(dirname "$0")/common.sh"
deploy=$(realpath "$(dirname "$0")/..") tarball=$(realpath "$1") models=$(realpath "${2:-$HOME/.cache/mynah/models}")
port=${PORT:-18090} url=http://127.0.0.1:${PORT:-18090}
scratch=$(mktemp -d)
root=$scratch/root
cleanup() {
  [ -z "${nspawn:-}" ] || kill -KILL "$nspawn" 2> /dev/null || true
  sleep 1
  rm -rf --one-file-system "$scratch"
}
trap cleanup EXIT

mmdebstrap --quiet --variant=minbase --include=systemd,systemd-sysv,dbus bookworm "$root"
mkdir -p "$root/usr/local/bin" "$root/etc/mynah" "$root/var/cache/private/mynah"
chmod 0700 "$root/var/cache/private"
# In the folder of the unit, so that nothing is fetched. systemd gives it to the user of the service.
cp -r "$models" "$root/var/cache/private/mynah/models"
cp "$(readlink -f "$(command -v node)")" "$root/usr/local/bin/node"
npm install --global --prefix "$root/usr/local" --ignore-scripts --no-audit --no-fund --loglevel=error "$tarball"
cp "$deploy/mynah.service" "$root/etc/systemd/system/"
install --mode 0600 /dev/stdin "$root/etc/mynah/mynah.env" << END
PORT=$port
END
systemctl --root="$root" --quiet enable mynah

# Without a running systemd on this machine there is nothing to register with.
systemd-nspawn --quiet --directory="$root" --boot --register=no --keep-unit --console=passive \
  > "$scratch/console.log" 2>&1 < /dev/null &
nspawn=$!
leader() { pgrep --parent "$nspawn" --exact systemd; }
wait_until 'systemd has started' 120 leader
inside() { nsenter --target "$(leader)" --all "$@"; }
if ! wait_until 'the service is ready' 600 curl --fail "$url/readyz"; then
  inside journalctl --unit mynah --no-pager --lines 30
  exit 1
fi
inside systemctl show mynah --property ActiveState --property SubState --property DynamicUser --property ProtectSystem --property NoNewPrivileges
inside sh -c 'pid=$(systemctl show mynah --property MainPID --value); grep -E "^(Uid|CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/$pid/status | paste -sd " "'
inside systemd-analyze security mynah --no-pager | tail -1
key=$(inside cat /var/lib/mynah/first-key)
speak_and_transcribe "$url" "$key" "$scratch"

# systemctl stop drains: speech that has begun is complete.
text=$(printf 'This sentence is spoken while the service stops. %.0s' {1..10})
speak "$url" "$key" "$text" "$scratch/complete.mp3"
speak "$url" "$key" "$text" "$scratch/drained.mp3" &
client=$!
wait_until 'the response has begun' 60 test -s "$scratch/drained.mp3"
inside systemctl stop mynah
wait "$client"
sizes=$(stat --format %s "$scratch/complete.mp3" "$scratch/drained.mp3" | paste -sd ' ')
result=$(inside systemctl show mynah --property Result --property ExecMainStatus | paste -sd ' ')
echo "systemctl stop: $result; bytes of an undisturbed and of the drained response: $sizes"
[[ $result == *Result=success* && $result == *ExecMainStatus=0* && ${sizes% *} = "${sizes#* }" ]]
echo "The unit works ($(inside systemctl --version | head -1))."
