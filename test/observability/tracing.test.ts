import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { portOf } from '../../scripts/contract/kit/serve.js';
import { TokenStore } from '../../src/access/token-store.js';
import { Database } from '../../src/postgres/database.js';
import { readSettings } from '../../src/settings.js';
import { makeDatabase } from '../support/postgres/database.js';
import { lockPlants, untilLocked } from '../support/postgres/lock.js';
import { until } from '../support/programs/process.js';
import { newPlantText } from '../support/service/plants.js';
import { spawnServer } from '../support/service/server.js';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number; readonly arrayValue?: object };
}

/** https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly attributes: readonly Attribute[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code: number };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

const server = 2;
const client = 3;
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';

const valuesOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

/** Takes traces, as a collector does. */
async function startCollector(t: Test) {
  const types: (string | undefined)[] = [];
  const bodies: string[] = [];
  const receiver = createServer(async (request, response) => {
    types.push(request.headers['content-type']);
    bodies.push(await text(request));
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  t.teardown(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  const exports = () => bodies.flatMap((body) => (JSON.parse(body) as Export).resourceSpans);
  return {
    endpoint: `http://127.0.0.1:${portOf(receiver)}`,
    types,
    resources: () => exports().map(({ resource }) => valuesOf(resource.attributes)),
    spans: () => exports().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  };
}

/** Starts the service with these variables of OpenTelemetry, and issues a token. */
async function startTraced(t: Test, environment: Readonly<Record<string, string>>) {
  const databaseUrl = await makeDatabase(t);
  const service = await spawnServer(t, { DATABASE_URL: databaseUrl, ...environment }, { counted: true });
  const database = new Database(databaseUrl, () => {});
  t.teardown(() => database.close());
  const token = await new TokenStore(database).issue('owner');
  const end = async () => {
    service.child.kill('SIGTERM');
    t.equal(await service.ended, 0);
  };
  return { service, databaseUrl, database, token, end };
}

t.test('each request is a span, and its batches and statements are below it', async (t) => {
  const collector = await startCollector(t);
  const { service, databaseUrl, token, end } = await startTraced(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_SERVICE_NAME: 'greenhouse',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    TRUST_PROXY: '127.0.0.1',
  });
  const traceparent = `00-${traceId}-${parentId}-01`;
  const headers = { traceparent, 'x-request-id': 'mine' };
  await service.call('POST', `/plants?secret=1&token=${token}`, {
    token,
    headers,
    body: newPlantText({ id: 1, name: 'Ficus' }),
  });
  await service.call('GET', `/nothing/${token}`, { token });
  await service.call('GET', `/nothing/%2570${token.slice(1)}/${'x'.repeat(9_000)}`, { token });
  const untraced = { traceparent: `00-${traceId}-${parentId}-00` };
  await service.call('GET', '/plants', { token, headers: untraced });
  await service.call('POST', '/plants', {
    token,
    headers: untraced,
    body: newPlantText({ id: 99, name: 'Ficus' }),
  });
  await service.call('DELETE', '/plants/%ZZ', { token });
  // While the table is locked, so many lists wait that some share a batch.
  const unlock = await lockPlants(databaseUrl);
  const lists = Array.from({ length: 30 }, () => service.call('GET', '/plants?limit=1', { token }));
  await untilLocked(databaseUrl);
  // The service reads the lists, which were sent before, no later than these.
  for (let request = 0; request < 40; request++) await service.call('GET', '/live', { headers: untraced });
  await unlock();
  const many = await Promise.all(lists);
  await end();

  const spans = collector.spans();
  const [create, ...otherCreates] = spans.filter(
    ({ kind, name }) => kind === server && name === 'POST /plants',
  );
  t.strictSame(otherCreates, []);
  t.match(create, { traceId, parentSpanId: parentId }, 'the caller is its parent');
  t.match(valuesOf(create?.attributes ?? []), {
    'http.request.method': 'POST',
    'http.route': '/plants',
    'url.scheme': 'http',
    'http.response.status_code': 200,
  });
  const childrenOf = (id: string | undefined) => spans.filter(({ parentSpanId }) => parentSpanId === id);
  const batches = childrenOf(create?.spanId);
  t.same(batches.map(({ name }) => name).sort(), ['batch: create plants', 'batch: token']);
  for (const batch of batches) {
    t.equal(batch.traceId, traceId);
    t.match(childrenOf(batch.spanId), [{ traceId, kind: client }], 'its statement');
  }
  const statements = spans.filter(({ kind }) => kind === client).map(({ name }) => name);
  // The first list may be alone in its batch.
  const ofSeveral = new Set(statements.filter((name) => name !== 'first page of plants'));
  t.same([...ofSeveral].sort(), ['create a row of plants', 'first pages of plants', 'statement']);

  const others = spans.filter(({ kind, name }) => kind === server && name === 'GET /plants');
  t.equal(others.length, many.length, 'those of others begin traces of their own');
  t.equal(new Set(others.map(({ traceId }) => traceId)).size, many.length);
  const all = spans.filter(({ name }) => name === 'batch: list plants');
  t.ok(all.length < many.length, `${all.length} batches for ${many.length} lists`);
  const served = all.flatMap(({ parentSpanId, links }) => [
    parentSpanId,
    ...links.map(({ spanId }) => spanId),
  ]);
  t.same(served.sort(), others.map(({ spanId }) => spanId).sort(), 'each is served by it');
  const ids = new Set(all.map(({ spanId }) => spanId));
  for (const { spanId, links } of others) {
    t.ok(
      childrenOf(spanId).some(({ name }) => name === 'batch: list plants') ||
        links.some((link) => ids.has(link.spanId)),
    );
  }

  t.notOk(
    spans.some((span) => span.name === 'GET /plants' && span.traceId === traceId),
    'the caller asked for no trace of it',
  );
  const names = spans.filter(({ kind }) => kind === server).map(({ name }) => name);
  t.same(
    [...new Set(names)].sort(),
    ['DELETE', 'GET', 'GET /plants', 'POST /plants'],
    'paths without a route name nothing',
  );
  t.notMatch(JSON.stringify(spans), token.slice(6), 'no token, however it was encoded');
  t.notMatch(JSON.stringify(spans), 'x'.repeat(1_025), 'at most 1 KiB of a path');
  t.notMatch(JSON.stringify(spans), /secret/);
  t.match(JSON.stringify(create), '"mine"');
  for (const resource of collector.resources())
    t.match(resource, { 'service.name': 'greenhouse', 'deployment.environment.name': 'test' });
});

t.test('traceparent is believed only from TRUST_PROXY: otherwise a new trace begins', async (t) => {
  const collector = await startCollector(t);
  const { service, token, end } = await startTraced(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    TRUST_PROXY: '10.0.0.0/8',
  });
  for (const flags of ['01', '00']) {
    const headers = { traceparent: `00-${traceId}-${parentId}-${flags}`, 'x-forwarded-for': '10.0.0.1' };
    await service.call('GET', '/plants', { token, headers });
  }
  await end();
  const spans = collector.spans().filter(({ kind }) => kind === server);
  t.equal(spans.length, 2, 'a stranger does not decide what is sampled');
  for (const span of spans) {
    t.not(span.traceId, traceId);
    t.notOk(span.parentSpanId, 'it is the root of its trace');
  }
});

t.test('a failure of the database is an error in the span of the statement and of the request', async (t) => {
  const collector = await startCollector(t);
  const { service, database, token, end } = await startTraced(t, {
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/v1/traces`,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
  });
  await database.query({ text: 'ALTER TABLE plants RENAME TO gone' });
  t.equal((await service.call('GET', '/plants', { token })).status, 503);
  t.equal((await service.call('GET', '/plants?limit=x', { token })).status, 400);
  await end();
  const spans = collector.spans();
  const [failed, refused] = spans.filter(({ name }) => name === 'GET /plants');
  t.match(failed, { status: { code: 2 } });
  t.match(valuesOf(failed?.attributes ?? []), { 'error.type': '503', 'http.response.status_code': 503 });
  t.match(refused, { status: { code: 0 } }, "a client's fault is not the server's");
  const statement = spans.find(
    ({ attributes }) => valuesOf(attributes)['error.type'] === 'SQLSTATE class 42',
  );
  t.match(statement, { kind: client, traceId: failed?.traceId, status: { code: 2 } });
});

t.test('an unknown method has no route, and a client that leaves is an error', async (t) => {
  const collector = await startCollector(t);
  const { service, token, end } = await startTraced(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  });
  const head = `Host: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json`;
  const send = async (request: string) => {
    const socket = connect(service.port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    socket.write(request);
    await once(socket, 'data');
    socket.resetAndDestroy();
  };
  await send(`PURGE /nothing HTTP/1.1\r\n${head}\r\n\r\n`);
  // The body does not come.
  await send(`POST /plants HTTP/1.1\r\n${head}\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n`);
  await end();
  const spans = collector.spans().filter(({ kind }) => kind === server);
  t.match(
    spans.map(({ name, attributes }) => ({ name, ...valuesOf(attributes) })),
    [
      { name: 'HTTP', 'http.request.method': '_OTHER', 'http.request.method_original': 'PURGE' },
      { name: 'POST /plants', 'error.type': 'connection_lost' },
    ],
  );
});

t.test('protobuf is sent by default', async (t) => {
  const collector = await startCollector(t);
  const { service } = await startTraced(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_BSP_SCHEDULE_DELAY: '10',
  });
  await service.call('GET', '/live');
  await until('it is sent', () => collector.types.length > 0);
  t.equal(collector.types[0], 'application/x-protobuf');
});

t.test('nothing is sent unless a variable asks for it', async (t) => {
  const collector = await startCollector(t);
  const { service, end } = await startTraced(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_SDK_DISABLED: 'true',
  });
  await service.call('GET', '/live');
  await end();
  t.same(collector.types, []);
  const traces = (environment: NodeJS.ProcessEnv) => readSettings(environment).traces;
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  for (const environment of [
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
    { OTEL_TRACES_EXPORTER: 'none' },
    { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
    { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' },
    { OTEL_SERVICE_NAME: 'greenhouse' },
  ])
    t.equal(traces(environment), undefined, JSON.stringify(environment));
  t.equal(traces({ ...endpoint, OTEL_SDK_DISABLED: 'false' }), 'http/protobuf');
  t.throws(() => traces({ OTEL_TRACES_EXPORTER: 'zipkin' }), {
    message: 'OTEL_TRACES_EXPORTER is "zipkin": set it to otlp or none.',
  });
  t.throws(() => traces({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }), {
    message: 'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc": set it to http/protobuf or http/json.',
  });
});

t.test('a collector that is down does not disturb the service', async (t) => {
  const { service, end } = await startTraced(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_EXPORTER_OTLP_TIMEOUT: '100',
    OTEL_BSP_SCHEDULE_DELAY: '1',
    OTEL_BSP_MAX_QUEUE_SIZE: '10',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1',
  });
  const failures = () => service.stdout().match(/.*"traces could not be sent"/g) ?? [];
  const ask = () => service.call('GET', '/live');
  await until('it is logged', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, ask));
    t.ok(answers.every(({ status }) => status === 200));
    return failures().length > 0;
  });
  await end();
});
