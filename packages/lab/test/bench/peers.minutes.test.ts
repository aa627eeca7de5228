import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { makeFolder, Server } from '../../../kit/index.js';
import { type CallOptions, call, missing, until } from '../../../kit/testing.js';
import { Database, TokenStore } from '../../../service/layer.js';
import { makeTables } from '../../../service/test/support/postgres/database.js';
import { buildGo, type Contestant } from '../../src/bench/contestants.js';

/** Starts a TypeScript file of the project. */
function source(file: string): Contestant['command'] {
  return { file: process.execPath, parameters: ['--import', import.meta.resolve('tsx'), file] };
}

interface Request extends CallOptions {
  readonly method: string;
  readonly path: string;
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const plant = { id: 7, name: 'Grüner <Baum>', tag: 'climber' };
const { tag: _, ...untagged } = plant;

/** In this order, for an owner without plants. */
const requests: readonly Request[] = [
  { method: 'GET', path: '/plants' },
  { method: 'POST', path: '/plants', body: plant },
  { method: 'POST', path: '/plants', body: plant },
  { method: 'POST', path: '/plants', body: untagged },
  { method: 'POST', path: '/plants', body: { ...plant, tag: 'tree' } },
  { method: 'POST', path: '/plants', body: { id: -8, name: 'Ficus' } },
  { method: 'POST', path: '/plants', body: { id: -8, name: 'Ficus' } },
  { method: 'POST', path: '/plants', body: { id: 40, name: 'x', tag: '', unknown: [1] } },
  { method: 'GET', path: '/plants' },
  { method: 'GET', path: '/plants?limit=2', headers: { 'x-request-id': 'a-1.b:2' } },
  { method: 'GET', path: '/plants?limit=1', headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } },
  { method: 'GET', path: '/plants?limit=1', headers: { 'x-request-id': 'not one' } },
  { method: 'GET', path: '/plants?limit=1', headers: { 'x-request-id': 'plant_0' } },
  ...['0', '01', '+1', '1e1', '', '2147483648', '1&limit=1'].map((limit) => ({
    method: 'GET',
    path: `/plants?limit=${limit}`,
  })),
  ...[
    '{',
    {},
    { id: 1 },
    { name: 'a' },
    { ...plant, id: '7' },
    { ...plant, id: 1.5 },
    { ...plant, name: '' },
    { ...plant, name: 1 },
    { ...plant, name: 'a'.repeat(256) },
    { ...plant, tag: 'a\0' },
  ].map((body) => ({ method: 'POST', path: '/plants', body })),
  { method: 'POST', path: '/plants', body: { id: 9, name: '🌵'.repeat(255) } },
  { method: 'POST', path: '/plants', body: 'a'.repeat(65_537) },
  { method: 'POST', path: '/plants', body: 'a', headers: { 'content-type': 'text/plain' } },
  { method: 'DELETE', path: '/plants/7' },
  { method: 'DELETE', path: '/plants/7' },
  { method: 'DELETE', path: '/plants/-8' },
  ...['x', '07', '+7', '9223372036854775808'].map((id) => ({ method: 'DELETE', path: `/plants/${id}` })),
  { method: 'DELETE', path: '/plants/-9223372036854775808' },
  { method: 'GET', path: '/plants', token: 'plant_unknown' },
  { method: 'GET', path: '/plants', headers: { authorization: 'Basic YTpi' } },
  { method: 'GET', path: '/nothing' },
];

/** For these, each program has sentences of its own about what is wrong with a request. */
const inOwnWords: ReadonlySet<number> = new Set([400, 413, 415]);

const comparedHeaders = [
  'cache-control',
  'content-length',
  'content-type',
  'www-authenticate',
  'x-content-type-options',
  'x-request-id',
];

/** The answers of a program and its lines, with a description instead of what differs from one run to the next. */
async function answersAndLines(t: Test, command: Contestant['command']) {
  const url = await makeTables(t, '');
  const database = new Database(url, () => {});
  const token = await new TokenStore(database).issue('owner');
  await database.close();
  const logFile = join(await makeFolder(t), 'log');
  const server = await Server.start(t, command, url, {}, logFile);
  const answers: object[] = [];
  for (const { method, path, ...options } of requests) {
    const { status, headers, text } = await call(server.address, method, path, { token, ...options });
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const compared = Object.fromEntries(comparedHeaders.map((name) => [name, headers.get(name)]));
    if (compared['x-request-id'] !== options.headers?.['x-request-id'])
      compared['x-request-id'] = withoutChance(compared['x-request-id']);
    const isInOwnWords = inOwnWords.has(status);
    if (isInOwnWords) compared['content-length'] = withoutChance(compared['content-length']);
    answers.push({ status, headers: compared, body: isInOwnWords ? shapeOf(body) : body });
  }
  const written = await until(
    'all lines are written',
    async () => {
      const lines = (await readFile(logFile, 'utf8')).split('\n').filter((line) => line.includes('"req":'));
      return lines.length >= requests.length ? lines : undefined;
    },
    10_000,
  );
  await server.stop();
  return { answers, lines: written.map(lineOf) };
}

/** A request's line; members keep their order. */
function lineOf(text: string): string {
  const { time, pid, hostname, req, res, milliseconds, ...others } = JSON.parse(text);
  const sizes = inOwnWords.has(res.statusCode) ? { bytes: withoutChance(res.bytes) } : {};
  return JSON.stringify({
    names: Object.keys(JSON.parse(text)),
    chance: [time, pid, hostname, milliseconds].map((value) => typeof value),
    req: { ...req, id: withoutChance(req.id) },
    res: { ...res, ...sizes },
    others,
  });
}

/** Digits and the random prefix of a request id are left out. */
function withoutChance(value: unknown): string {
  return String(value)
    .replace(/^[\w-]{8}-\d+$/, 'made')
    .replace(/^\d+$/, 'some');
}

function shapeOf(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return typeof body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, name === 'error' ? value : typeof value]),
  );
}

const expected = answersAndLines(t, source('src/main.ts'));

t.test('Fastify by hand answers and logs the same requests as the service', async (t) => {
  const actual = await answersAndLines(t, source('packages/lab/src/bench/contestants/fastify-by-hand.ts'));
  compare(t, actual, await expected);
});

t.test('Go answers and logs the same requests as the service', { skip: missing('go') }, async (t) => {
  const go = await buildGo(t, await makeFolder(t));
  if ('missing' in go) throw new Error(go.missing);
  compare(t, await answersAndLines(t, go.command), await expected);
});

type Outcome = Awaited<ReturnType<typeof answersAndLines>>;

function compare(t: Test, actual: Outcome, expected: Outcome): void {
  t.equal(actual.lines.length, requests.length, 'one line for each request');
  for (const [index, { method, path, body }] of requests.entries()) {
    const name = `${index}: ${method} ${path} ${JSON.stringify(body)?.slice(0, 60) ?? ''}`;
    t.strictSame(actual.answers[index], expected.answers[index], name);
    t.equal(actual.lines[index], expected.lines[index], `${name}, its line`);
  }
}
