#!/usr/bin/env bash
# Node.js 26.10.0: `server.close()` of node:http closes a connection that has not sent its first request yet.
#
# Expected: what 24.21.0 does. `close` ends what is idle after an answer; a connection that was accepted a moment ago is
# not idle yet, and its first request is served. That is how a client fares that had connected just before a restart.
# What happens: since nodejs/node#63470 such a connection counts as idle, so it is closed at once, without an answer.
# Whom it hurts: services that are restarted behind clients or proxies which connect first and send later (pools that
# warm up, browsers). They see a closed connection where they saw an answer, and must be ready to connect again. Tests
# of a graceful end that pass on 24 fail on 26.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > close.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';

const server = createServer((request, response) => response.end('served'));
await once(server.listen(0, '127.0.0.1'), 'listening');
const socket = connect(server.address().port, '127.0.0.1');
let received = '';
socket.on('data', (bytes) => { received += bytes; }).on('error', () => {});
const closed = once(socket, 'close');
await Promise.all([once(socket, 'connect'), once(server, 'connection')]);
server.close();
setTimeout(() => {
  if (socket.writable) socket.write('GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n');
}, 200);
await closed;
console.log(received.endsWith('served') ? 'served' : 'closed without an answer');
JS
seen() { # VERSION
  npm install --silent --no-audit --no-fund --no-save --ignore-scripts=false --prefix "node$1" "node@$1" >/dev/null
  "node$1/node_modules/node/bin/node" close.mjs
}
before=$(seen 24.21.0)
now=$(seen 26.10.0)
echo "Node.js 24.21.0, a connection whose first request comes after server.close(): $before"
echo "Node.js 26.10.0: $now"
[ "$before" = served ] && [ "$now" = 'closed without an answer' ]
