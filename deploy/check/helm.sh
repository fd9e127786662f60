#!/usr/bin/env bash
# Renders the Helm chart with its default and with all optional parts, and checks the result strictly against the schemas of
# the oldest and the newest supported version of Kubernetes.
#
#   go install helm.sh/helm/v3/cmd/helm@latest && pip install kubernetes-validate
#   deploy/check/helm.sh
set -euo pipefail
chart=$(realpath "$(dirname "$0")/../helm/mynah")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
render() { helm template check "$chart" --kube-version "$version" --set existingSecret=mynah "${@:2}" > "$scratch/$1-$version.yaml"; }

helm lint "$chart" --strict --quiet --set existingSecret=mynah
for version in 1.27.0 1.37.0; do
  render default
  render complete --set nats.enabled=false,metrics.enabled=true,worker.autoscaling.enabled=true,models.existingClaim=models \
    --set ingress.enabled=true,ingress.className=nginx,ingress.tlsSecret=tls,gateway.settings.MYNAH_BILLING=prepaid,service.type=LoadBalancer
  for name in default complete; do
    file="$scratch/$name-$version.yaml"
    kubernetes-validate --kubernetes-version "${version%.0}" --strict --quiet "$file"
    echo "Kubernetes $version, $name: $(grep --count '^kind:' "$file") resources are valid"
  done
done
# Wrong values are refused.
for wrong in existingSecret= gateway.replicas=0 unknown=1 gateway.settings.lower=1; do
  if helm template check "$chart" --kube-version 1.37.0 --set existingSecret=mynah,"$wrong" > /dev/null 2>&1; then
    echo "The chart accepts $wrong." && exit 1
  fi
done
echo "The chart is valid (helm $(helm version --template '{{.Version}}'), kubernetes-validate $(kubernetes-validate --version | grep --only-matching '[0-9.]*' | head -1))."
