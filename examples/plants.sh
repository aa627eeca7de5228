#!/bin/sh
# Needs only curl. PLANTS_URL is the service's address, PLANTS_TOKEN an access token.
set -eu
url=${PLANTS_URL:-http://127.0.0.1:3000}/plants
id=9007199254740993

request() { curl --silent --show-error --fail-with-body -H "Authorization: Bearer $PLANTS_TOKEN" "$@"; }

# A create may be repeated: the same plant twice is not a conflict.
request --retry 5 --retry-all-errors -H 'Content-Type: application/json' --output /dev/null \
  --data "{\"id\": $id, \"name\": \"Monstera deliciosa\", \"tag\": \"climber\"}" "$url"
request --write-out '\n' "$url"
request --request DELETE "$url/$id"
