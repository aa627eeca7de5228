#!/bin/sh
# Needs only curl 7.71 or later. PLANTS_URL is the service's address, PLANTS_TOKEN an access token.
set -eu
url=${PLANTS_URL:-http://127.0.0.1:3000}/plants
id=9007199254740993

# Prints the body of the answer, and the message if it is an error. curl repeats a request whose answer was lost, or
# was a 429 or a 503, and waits for the seconds of Retry-After. Without --fail, it repeats no other error.
request() {
  answer=$(curl --silent --show-error --retry 5 --retry-all-errors -H "Authorization: Bearer $PLANTS_TOKEN" \
    --write-out '\n%{http_code}' "$@")
  status=$(printf '%s' "$answer" | tail -n 1)
  body=$(printf '%s' "$answer" | sed '$d')
  [ "$status" -lt 400 ] || { echo "$status: $body" >&2; return 1; }
  printf '%s\n' "$body"
}

# A create may be repeated: the same plant twice is not a conflict.
request -H 'Content-Type: application/json' \
  --data "{\"id\": $id, \"name\": \"Monstera deliciosa\", \"tag\": \"climber\"}" "$url" > /dev/null
request "$url"
# A delete that is repeated answers 404, if the answer that was lost was that of the delete itself.
request --request DELETE "$url/$id" || [ "$status" = 404 ]
