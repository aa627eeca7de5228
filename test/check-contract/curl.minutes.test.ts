import { spawnSync } from 'node:child_process';
import t from 'tap';
import { present } from '../../scripts/contract/check/credentials.js';
import { curlLine } from '../../scripts/contract/check/curl.js';
import type { Request } from '../../scripts/contract/check/request.js';
import { missing } from '../support/tools.js';

const url = new URL('http://127.0.0.1:3000/base/');
const shell = missing('bash');

/** Has the shell parse the line: the words that curl would get, and its standard input. */
function inShell(line: string): { words: string[]; input: Buffer } {
  const script = `curl() { printf '%s\\0' "$@" >&2; case "$*" in *@-) cat;; esac; }\n${line}`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { env: { PLANTS_TOKEN: 'secret' } });
  return { words: stderr.toString().split('\0').slice(0, -1), input: stdout };
}

const request: Request = {
  method: 'POST',
  target: "/plants?x=%20'",
  headers: [['Content-Type', 'application/json']],
  credential: present({ kind: 'bearer' }, { text: 'secret', shell: '$PLANTS_TOKEN' }),
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

t.test('the curl line of a request without a Content-Type adds none', { skip: shell }, async (t) => {
  t.ok(
    inShell(curlLine(url, { ...request, headers: [], body: Buffer.from('x') })).words.includes(
      'Content-Type:',
    ),
  );
  t.ok(inShell(curlLine(url, { ...request, method: 'HEAD' })).words.includes('--head'));
});
