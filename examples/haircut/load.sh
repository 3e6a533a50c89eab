#!/bin/sh
# Brings the fleet of fleet.yaml to where a program manager finds it: start the server first,
#   muster up --fleet examples/haircut/fleet.yaml --data /tmp/haircut
# It is found through $MUSTER_SERVER (127.0.0.1:6878).
set -eu
cd "$(dirname "$0")"
muster submit -f jobs.yaml >/dev/null
muster node set lynx-h100-i2-009..020 --state quarantined --signal 'xid 79' --reason 'as it was found' >/dev/null
muster node set jaguar-h100-i2-021..024 --state repairing --signal 'nvlink' --reason 'as it was found' >/dev/null
muster node set jaguar-h100-i1-023..024 --state maintenance --signal 'firmware' --reason 'as it was found' >/dev/null
muster node set leopard-h200-i3-001..016 --state quarantined --signal 'fabric down' --reason 'as it was found' >/dev/null
muster incident open sev-31 --severity sev1 --scope leopard/h200/i3 --reason 'the fabric of a whole island is down' >/dev/null
muster apply -f policy.yaml --reason 'a buffer from now on' >/dev/null
# The notebooks on puma do nothing.
curl -sf -H 'Content-Type: application/json' "http://${MUSTER_SERVER:-127.0.0.1:6878}/muster.v1.HealthService/MeasureUsage" \
  -d '{"of": [{"namespace": "speech", "name": "puma-notebooks", "sm": 0}]}' >/dev/null
echo "loaded; puma's notebooks count as idle in a minute"
