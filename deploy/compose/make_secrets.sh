#!/bin/sh
# Draw every password of the compose farm, once, into deploy/compose/secrets (or the folder that is named).
# Containers read the files under other users, so that they are readable; the folder around them is not.
set -eu
umask 022
folder=${1:-$(dirname "$0")/secrets}
if [ -e "$folder/database_password" ]; then
  echo "$folder holds secrets already; remove it to draw new ones, and the volumes with them" >&2
  exit 4
fi
mkdir -p "$folder"
chmod 700 "$folder"

draw() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
keep() { printf '%s\n' "$2" >"$folder/$1" && chmod 444 "$folder/$1"; }

# An Ed25519 key: the head that every such key has in its file, and 32 random bytes.
draw_key() {
  echo "-----BEGIN PRIVATE KEY-----"
  { printf '\060\056\002\001\000\060\005\006\003\053\145\160\004\042\004\040' && head -c 32 /dev/urandom; } | base64
  echo "-----END PRIVATE KEY-----"
}

owner=$(draw) agent=$(draw) grade=$(draw) broker=$(draw)
keep database_password "$owner"
keep agent_database_password "$agent"
keep grade_database_password "$grade"
keep broker_password "$broker"
keep database_url "postgresql://farm:$owner@database/farm"
keep agent_database_url "postgresql://farm_agent:$agent@database/farm"
keep grade_database_url "postgresql://farm_grade:$grade@database/farm"
keep broker_url "redis://farm:$broker@broker:6379/0"
# The farm's own keys, whose prefix tells its protocol; nothing that empties, stops or reconfigures the broker.
hash=$(printf '%s' "$broker" | sha256sum | cut -d ' ' -f 1)
keep broker_acl "user default off
user farm on #$hash ~farm* &* +@all -@admin -@dangerous +info"
keep gateway_token "$(draw)"
keep provider_key "put the key of your provider of language models here"
keep flower_login "farm:$(draw)"
keep grafana_password "$(draw)"
# What records are signed with: one key for each role (`gradefarm keys`).
for role in root recorder grader log; do keep "$role.pem" "$(draw_key)"; done
echo "drew $(ls "$folder" | wc -l) secrets into $folder; Flower: user farm, password in flower_login; Grafana: user admin, grafana_password"
