import { spawnSync } from 'node:child_process';
import t from 'tap';
import { missing } from '../../../kit/testing.js';
import { curlLine } from '../../src/check/requests/curl.js';
import type { Request } from '../../src/check/requests/request.js';
import { present, type Scheme } from '../../src/document/credentials.js';

const url = new URL('http://127.0.0.1:3000/base/');
const shell = missing('bash');

/** Has the shell parse the line: the words that curl would get, and its standard input. */
function inShell(line: string, token = 'secret'): { words: string[]; input: Buffer } {
  const script = `curl() { printf '%s\\0' "$@" >&2; case "$*" in *@-) cat;; esac; }\n${line}`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], {
    env: { ...process.env, PLANTS_TOKEN: token },
  });
  return { words: stderr.toString().split('\0').slice(0, -1), input: stdout };
}

const request: Request = {
  method: 'POST',
  target: "/plants?x=%20'",
  headers: [['Content-Type', 'application/json']],
  credentials: [present({ kind: 'bearer' }, { text: 'secret', shell: '$PLANTS_TOKEN' })],
};

t.test('the curl line of a finding sends the same request, token hidden', { skip: shell }, async (t) => {
  const body = Buffer.from(`{"name":"it's \\u0000 🌵 $HOME \`x\` !"}`);
  const line = curlLine(url, { ...request, body });
  t.notMatch(line, 'secret');
  const { words } = inShell(line);
  t.ok(words.includes("http://127.0.0.1:3000/base/plants?x=%20'"));
  t.ok(words.includes('Authorization: Bearer secret'));
  t.ok(words.includes('Content-Type: application/json'));
  t.equal(words.at(-1), body.toString());
});

t.test('the curl line of a finding shows no credentials of any scheme', { skip: shell }, async (t) => {
  const sent: [Scheme, string][] = [
    [{ kind: 'basic' }, `Authorization: Basic ${Buffer.from('ann:a "secret" $x').toString('base64')}`],
    [{ kind: 'apiKey', in: 'header', name: 'X-`$Key' }, 'X-`$Key: ann:a "secret" $x'],
    [{ kind: 'apiKey', in: 'query', name: 'the key' }, 'the%20key=ann:a "secret" $x'],
    [{ kind: 'apiKey', in: 'cookie', name: 'sid' }, 'Cookie: sid=ann:a "secret" $x; other=$1'],
  ];
  for (const [scheme, word] of sent) {
    const credential = present(scheme, { text: 'ann:a "secret" $x', shell: '$PLANTS_TOKEN' });
    const line = curlLine(url, { ...request, headers: [['Cookie', 'other=$1']], credentials: [credential] });
    t.notMatch(line, 'secret');
    t.ok(inShell(line, 'ann:a "secret" $x').words.includes(word), word, { line });
  }
});

t.test('the curl line of a finding pipes bytes that a shell word cannot hold', { skip: shell }, async (t) => {
  const bodies = [
    Buffer.from([0x22, 0xff, 0x00, 0x0a, 0x5c, 0x27, 0x25, 0x22]),
    Buffer.concat([Buffer.from('{"a":1}'), Buffer.alloc(65_530, ' '), Buffer.from('%s')]),
    Buffer.from('['.repeat(5_000)),
  ];
  for (const body of bodies) {
    const line = curlLine(url, { ...request, body });
    t.same(inShell(line).input, body);
    t.ok(line.length < 20_000);
  }
});

t.test('the curl line of a finding counts equal characters in a row', { skip: shell }, async (t) => {
  for (const character of ['a', ' ', 'é', '🌵', '%', '\\\\', '-', "'"]) {
    const body = Buffer.from(`{"name":"1${character.repeat(1_001)}2","tag":"${character.repeat(99)}"}`);
    const line = curlLine(url, { ...request, body });
    t.same(inShell(line).input, body, character);
    t.match(line, /%\.0s' \{1\.\.[12]00[0-4]\}/);
    t.ok(line.length < 2_500, 'a person can read it', { line });
  }
  const short = Buffer.from(`{"name":"${'a'.repeat(99)}"}`);
  t.match(curlLine(url, { ...request, body: short }), 'a'.repeat(99), 'a short text is shown as it is');
});

t.test('the curl line of a request without a Content-Type adds none', { skip: shell }, async (t) => {
  t.ok(
    inShell(curlLine(url, { ...request, headers: [], body: Buffer.from('x') })).words.includes(
      'Content-Type:',
    ),
  );
  t.ok(inShell(curlLine(url, { ...request, method: 'HEAD' })).words.includes('--head'));
});
