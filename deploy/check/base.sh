#!/usr/bin/env bash
# Makes the image localhost/mynah-base: Debian 12 by mmdebstrap with the Node, npm and certificates of this machine. It
# replaces the base image of Docker Hub where that cannot be reached. Needs root, mmdebstrap and buildah.
#
#   deploy/check/base.sh
#   buildah bud --format docker --isolation chroot --network host --build-arg BASE=localhost/mynah-base --file deploy/Dockerfile --tag mynah .
set -euo pipefail
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mmdebstrap --quiet --variant=minbase bookworm "$root"
rm -rf "$root"/dev/* "$root"/usr/share/{doc,man,locale} "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/*

mkdir -p "$root/usr/local/bin" "$root/usr/local/lib/node_modules" "$root/etc/ssl/certs"
cp "$(readlink -f "$(command -v node)")" "$root/usr/local/bin/node"
cp -r "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$root/usr/local/lib/node_modules/npm"
ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
ln -sf ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"

container=$(buildah from scratch)
buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
buildah add --quiet "$container" "$root" /
buildah commit --quiet --rm "$container" mynah-base
echo "localhost/mynah-base: $(du -sm --apparent-size "$root" | cut -f1) MB, Node $(node --version)"
