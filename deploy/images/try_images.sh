#!/usr/bin/env bash
# Makes every image and tries the workers' ones, on a machine with no Docker and no registry: the base comes from Debian's
# packages. As root, with mmdebstrap, buildah, podman and runc; some twenty minutes on two slow cores. Not a part of CI.
#   bash deploy/images/try_images.sh [--base-only]
# A machine whose registries stand behind an authority of its own names its file with CA_FILE.
set -euo pipefail
cd "$(dirname "$0")/../.."
base=localhost/gradefarm-base:13
if ! podman image exists "$base"; then
  folder=$(mktemp -d)
  mmdebstrap --quiet --variant=minbase --include=ca-certificates trixie "$folder/base.tar"
  trust=()
  if [ -n "${CA_FILE:-}" ]; then
    mkdir "$folder/etc"
    cp "$CA_FILE" "$folder/etc/local-ca.crt"
    tar --append --file "$folder/base.tar" --directory "$folder" ./etc/local-ca.crt
    trust=(--change "ENV PIP_CERT=/etc/local-ca.crt" --change "ENV NODE_EXTRA_CA_CERTS=/etc/local-ca.crt")
  fi
  podman import --quiet "${trust[@]}" "$folder/base.tar" "$base"
  rm -rf "$folder"
fi
[ "${1:-}" = --base-only ] && exit

for target in scheduler api flower gateway agent grade; do
  buildah bud --quiet --layers --format docker --isolation chroot --network host --pull=never --build-arg "BASE=$base" \
    --file deploy/images/Containerfile --ignorefile deploy/images/Containerfile.dockerignore \
    --target "$target" --tag "localhost/gradefarm-$target:0.1.0" .
done

# The agent's image: no layer of it may hold a file of the sealed half, whatever a later one removed.
sealed=$(mktemp -d) layers=$(mktemp -d)
.venv/bin/gradefarm catalog export "$sealed/half" --half sealed >/dev/null
podman save --quiet --format docker-dir --output "$layers/agent" localhost/gradefarm-agent:0.1.0
for layer in "$layers"/agent/*; do
  tar --list --file "$layer" 2>/dev/null | grep -E '(^|/)sealed/' && { echo "sealed files in a layer of the agent's image" >&2; exit 1; }
  mkdir -p "$layers/files"
  tar --extract --file "$layer" --directory "$layers/files" srv opt 2>/dev/null || true
done
[ -d "$layers/files/srv/catalog/public" ] && [ -d "$layers/files/opt/gradefarm" ] # Something was looked at.
comm -12 <(find "$sealed/half" -type f -size +64c -exec sha256sum {} + | cut -d ' ' -f 1 | sort -u) \
  <(find "$layers/files" -type f -size +64c -exec sha256sum {} + | cut -d ' ' -f 1 | sort -u) >"$layers/shared"
public=$(mktemp -d)
.venv/bin/gradefarm catalog export "$public/half" --half public >/dev/null
comm -23 "$layers/shared" <(find "$public/half" -type f -exec sha256sum {} + | cut -d ' ' -f 1 | sort -u) | grep . && {
  echo "files of the sealed half are in the agent's image" >&2
  exit 1
}
rm -rf "$sealed" "$public" "$layers"

# As compose runs workers: nobody, no capability, nothing to write on but its volumes.
for role in agent grade; do
  podman --runtime runc run --rm --no-healthcheck --network none --ulimit nofile=1024:1024 --ulimit nproc=4096:4096 \
    --user 10001:10001 --read-only --cap-drop ALL --tmpfs /tmp:size=1g,mode=1777,exec \
    --volume /var/lib/gradefarm --volume /var/lib/gradefarm-scratch \
    --security-opt no-new-privileges --security-opt unmask=ALL --security-opt seccomp="$PWD/deploy/images/seccomp.json" \
    "localhost/gradefarm-$role:0.1.0" worker --role "$role" --probe
done
