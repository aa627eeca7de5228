import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { inProcess } from '../../../kit/testing.js';
import { serveIn } from '../../src/base/serve.js';
import { checkCommand } from '../../src/check/check-command.js';
import { hideCredentials } from '../../src/check/reporters/hide-credentials.js';
import { program } from '../../src/programs/program.js';
import { printable } from '../../src/values/json.js';

// Each run takes part of a second on an idle machine.
t.setTimeout(600_000);

const yaml = (scheme: string) => `openapi: 3.0.3
info: { title: Echoes, version: 1.0.0 }
security: [{ key: [] }]
paths:
  /echoes:
    get:
      operationId: listEchoes
      responses:
        '200':
          description: What there is.
          headers: { X-Echo: { schema: { type: integer } } }
          content: { application/json: { schema: { type: array, items: { type: integer } } } }
        '401': { description: Nobody knows who is calling. }
components:
  securitySchemes:
    key: ${scheme}
`;

/** The encodings in which a server may repeat what it got. */
const encodings: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'percent-encoded': encodeURIComponent,
  'percent-encoded, in lower case, each byte': (text) =>
    Buffer.from(text).toString('hex').replace(/../g, '%$&'),
  'as a form': (text) => String(new URLSearchParams({ text })).slice(5),
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64, within other bytes': (text) => Buffer.from(`abcd ${text} and more`).toString('base64'),
  'base64url, behind a prefix': (text) => Buffer.from(`key: ${text}`).toString('base64url'),
  'hexadecimal, in upper case': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'in upper case': (text) => text.toUpperCase(),
  JSON: (text) => JSON.stringify({ got: text }),
  'JSON in JSON': (text) => JSON.stringify({ got: JSON.stringify({ got: text }) }),
  'JSON, slashes escaped': (text) => JSON.stringify(text).replaceAll('/', '\\/'),
  'JSON, ASCII only': (text) =>
    JSON.stringify(text).replace(
      /[^\w"\\ ]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`,
    ),
  XML: (text) => text.replace(/[&<>"'/]/g, (character) => `&#x${character.charCodeAt(0).toString(16)};`),
  HTML: (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  'behind what a report cuts': (text) => `${'x'.repeat(160 - 14)}${text}`,
  'percent-encoded, behind what a report cuts': (text) =>
    `${'x'.repeat(160 - 24)}${encodeURIComponent(text)}`,
};

const tokens = { PLANTS_TOKEN: 'plant_aB3/xY+z9Q==', PLANTS_OTHER_TOKEN: 'plant_oTher/1+23w==' };
const passwords = { PLANTS_TOKEN: 'ann:pä ss/w"o<r&d', PLANTS_OTHER_TOKEN: 'bob:se cr/e"t<e&r' };

const schemes: readonly (readonly [string, string, Record<'PLANTS_TOKEN' | 'PLANTS_OTHER_TOKEN', string>])[] =
  [
    ['bearer', '{ type: http, scheme: bearer }', tokens],
    ['basic', '{ type: http, scheme: basic }', passwords],
    ['an API key in the query', '{ type: apiKey, in: query, name: key }', tokens],
  ];

function credentialOf({ headers, url = '' }: IncomingMessage): string {
  const [, scheme, sent = ''] = /^(Bearer|Basic) (.*)$/.exec(headers.authorization ?? '') ?? [];
  if (scheme === 'Basic') return Buffer.from(sent, 'base64').toString();
  return scheme === 'Bearer' ? sent : (new URL(url, 'http://localhost').searchParams.get('key') ?? '');
}

/** Whatever a report must not show: twelve characters of a credential, or of an encoding of it, in lower case. */
function serviceOf(text: string): string[] {
  return [
    text,
    Buffer.from(text).toString('base64').replaceAll('=', ''),
    Buffer.from(text).toString('base64url'),
    Buffer.from(text).toString('hex'),
    encodeURIComponent(text),
  ].map((form) => form.toLowerCase().slice(0, 12));
}

for (const [encoding, encode] of Object.entries(encodings)) {
  t.test(`no report shows a credential that the server repeats: ${encoding}`, (t) => {
    for (const credentials of [tokens, passwords]) {
      const hide = hideCredentials(
        Object.entries(credentials).map(([name, text]) => ({ text, shell: `$${name}` })),
      );
      for (const [name, credential] of Object.entries(credentials)) {
        for (const text of [
          encode(credential),
          printable(encode(credential)),
          JSON.stringify(encode(credential)),
        ]) {
          const hidden = hide(text);
          t.match(hidden, `$${name}`, 'it says whose credential it was');
          for (const part of serviceOf(credential)) t.notOk(hidden.toLowerCase().includes(part), hidden);
        }
      }
    }
    t.end();
  });
}

for (const [scheme, written, credentials] of schemes) {
  t.test(`no report of a run shows a credential that the server repeats: ${scheme}`, async (t) => {
    for (const encode of [(text: string) => text, (text: string) => JSON.stringify({ got: text })]) {
      const run = await startEcho(t, written, Object.values(credentials), encode);
      for (const reporter of ['text', 'json', 'junit', 'github', 'markdown']) {
        const { code, out, err } = await run(reporter, credentials);
        t.equal(code, 1, reporter, { err });
        t.match(out, /200 (?:\{.{1,10}got.{1,20})?\$PLANTS_/, `${reporter}: it says whose credential it was`);
        for (const part of Object.values(credentials).flatMap(serviceOf)) {
          t.notOk(out.toLowerCase().includes(part), reporter, { out });
        }
      }
    }
  });
}

async function startEcho(
  scope: Test,
  scheme: string,
  known: readonly string[],
  encode: (text: string) => string,
) {
  const folder = scope.testdir({ 'echoes.yaml': yaml(scheme) });
  const server = createServer((request, response) => {
    request.resume();
    const sent = credentialOf(request);
    if (!known.includes(sent)) {
      response.writeHead(401, { 'WWW-Authenticate': 'Bearer, Basic realm="a"' }).end();
      return;
    }
    // The header is not an integer, and the body is not a list: both are findings that show them.
    response.setHeader('X-Echo', encodeURIComponent(encode(sent)));
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(encode(sent));
  });
  const url = await serveIn(scope, server);
  const chosen = ['--contract', join(folder, 'echoes.yaml'), '--seed', '1', '--cases', '1'];
  return (reporter: string, environment: Record<string, string>) =>
    inProcess(scope, () =>
      checkCommand(['--url', url, ...chosen, '--reporter', reporter], environment, program('check-contract')),
    );
}

t.test('no message on stderr shows a credential that the server repeats', async (t) => {
  const folder = t.testdir({ 'echoes.yaml': yaml('{ type: http, scheme: bearer }') });
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(401, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify([request.headers['x-gateway'], request.headers.authorization]));
  });
  const url = await serveIn(t, server);
  const gateway = 's3cr3t of the gateway';
  for (const environment of [tokens, { PLANTS_TOKEN: 'not/a b token' }, { PLANTS_TOKEN: 'a\nb/c/d/e/f' }]) {
    const ended = await inProcess(t, () =>
      checkCommand(
        ['--url', url, '--contract', join(folder, 'echoes.yaml'), '--header', `X-Gateway: ${gateway}`],
        environment,
        program('check-contract'),
      ),
    );
    if (environment === tokens) t.match(ended.err, /\$HEADER_X_GATEWAY.*\$PLANTS_TOKEN/);
    for (const credential of [gateway, ...Object.values(environment)]) {
      t.notMatch(`${ended.out}${ended.err}`, credential);
    }
  }
});

t.test('an address with a user, a password or a key is refused, and not repeated', async (t) => {
  for (const url of [
    'http://user:s3cret@127.0.0.1:1',
    'http://s3cret@127.0.0.1:1',
    'http://127.0.0.1:1/?key=s3cret',
    'http://127.0.0.1:1/#s3cret',
    'ftp://user:s3cret@127.0.0.1',
    'http://user:s3cret@127.0.0.1:99999',
  ]) {
    const ended = await inProcess(t, () => checkCommand(['--url', url], tokens, program('check-contract')));
    t.match(ended, { code: 2, out: '', err: /^--url .+\n$/ }, url);
    t.notMatch(ended.err, 's3cret', url);
  }
});

t.test('a text without a credential stays as it is, and a short one is not looked for', (t) => {
  const hide = hideCredentials([{ text: 'plant_0123456789', shell: '$PLANTS_TOKEN' }, undefined]);
  for (const text of ['', 'plant_', 'plant_0 and more', '{"a": "%41\\u0042&amp;"}', 'plant_0…']) {
    t.equal(hide(text), text);
  }
  t.equal(hide('plant_01234… (400 characters)'), '$PLANTS_TOKEN… (400 characters)');
  t.equal(hide('aplant_0123456789plant_0123456789b'), 'a$PLANTS_TOKEN$PLANTS_TOKENb');
  t.equal(hideCredentials([{ text: 'a', shell: '$A' }])('a cat'), 'a cat');
  t.end();
});
