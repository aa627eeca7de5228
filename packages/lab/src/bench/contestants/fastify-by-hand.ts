/**
 * A plant store by hand that does the same work as the service, with Fastify, its JSON schemas, and pg with
 * prepared statements and a pool of 20. It is the straightforward way: each request sends its own statement.
 *
 * It does this work for each request:
 * - It writes one line with pino, whose members are those of the service's line. Fastify's usual destination
 *   writes each line to stdout at once.
 * - It takes over the caller's X-Request-Id if that may be logged, and makes one otherwise.
 * - It sets Cache-Control, X-Content-Type-Options and X-Request-Id on every answer, and WWW-Authenticate on a
 *   401.
 * - It finds the owner of the token by its SHA-256, and caches a valid token for 4 s, or until it expires.
 * - It validates path, query and body, and answers every failure with the contract's Error body.
 * - It answers a repeated create with 200 if the plant is the same, and with 409 otherwise.
 *
 * It leaves out what takes a parser of its own: JSON is read by JSON.parse, so it refuses ids beyond 2^53,
 * takes 12.0 for an integer, and does not see a member that comes twice. A list is held in memory as a whole.
 * An unknown method is a 404, not a 405.
 *
 * This file is frozen: README.md beside it says why.
 */
import { hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type FastifyReply, type FastifyRequest, fastify, LogController } from 'fastify';
import { LRUCache } from 'lru-cache';
import pg from 'pg';

declare module 'fastify' {
  interface FastifyRequest {
    owner: string;
    /** The parameters of the URL for the log, once they are known to fit. */
    fitting: Readonly<Record<string, string>> | undefined;
  }
}

interface Plant {
  name: string;
  tag?: string | null | undefined;
}

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 20 });

// The id of a request.

const requestIdPrefix = randomBytes(6).toString('base64url');
let requests = 0;
const requestIdForm = /^[\w.:/+=@-]{1,100}$/;
const tokenForm = /plant_[0-9A-Za-z]|eyJ[\w-]+\.[\w-]+\.[\w-]*/;

function callersId({ 'x-request-id': id }: IncomingHttpHeaders): string | undefined {
  return typeof id === 'string' && requestIdForm.test(id) && !tokenForm.test(id) ? id : undefined;
}

// The line of a request.

const traceparentForm = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;

/** No text of a URL gets into the log: the route does, and parameters that fit. */
function describeRequest({ id, method, url, ip, owner, headers, routeOptions, fitting }: FastifyRequest) {
  const [, traceId] = traceparentForm.exec(String(headers['traceparent'])) ?? [];
  // A refused request has no owner.
  const { url: route } = routeOptions;
  const target =
    route === undefined ? { pathLength: url.replace(/\?.*/s, '').length } : { route, parameters: fitting };
  return { id, method, ...target, ip, owner: owner || undefined, traceId, requestId: callersId(headers) };
}

const app = fastify({
  logger: {
    serializers: {
      req: describeRequest,
      res: (reply) => ({
        statusCode: reply.statusCode,
        bytes: Number(reply.getHeader?.('content-length') ?? 0),
      }),
    },
  },
  logController: new LogController({ disableRequestLogging: true }),
  // The line names its request in `req`.
  childLoggerFactory: (logger) => logger,
  genReqId: () => `${requestIdPrefix}-${++requests}`,
  bodyLimit: 65_536,
  exposeHeadRoutes: false,
  // "12" is not an integer, and members that the schema does not name are ignored.
  ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
});
// Only JSON has a parser, so that any other body is a 415.
app.removeContentTypeParser('text/plain');
app.decorateRequest('owner', '');
app.decorateRequest('fitting', undefined);
// Without a listener, a broken idle connection would end the process.
pool.on('error', (error) => app.log.error(error));

app.addHook('onResponse', (request, reply, done) => {
  const milliseconds = Math.round(reply.elapsedTime * 1_000) / 1_000;
  request.log.info({ req: request, res: reply, milliseconds }, 'answered');
  done();
});

app.addHook('onRequest', (request, reply, done) => {
  reply.headers({
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': callersId(request.headers) ?? request.id,
  });
  done();
});

// Failures.

function fail(reply: FastifyReply, error: number, message: string): FastifyReply {
  return reply.code(error).send({ error, message });
}

app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
  const status = error.statusCode ?? 500;
  if (status >= 500) request.log.error({ req: request, err: error }, 'unexpected failure');
  const message = status < 500 ? error.message : 'The server failed to answer this request.';
  reply.code(status).send({ error: status, message });
});
app.setNotFoundHandler((_request, reply) => {
  fail(reply, 404, 'There is nothing at this path.');
});

// Who is calling.

const tokenLifetimeMs = 4_000;
const owners = new LRUCache<string, string>({ max: 10_000, ttl: tokenLifetimeMs });

async function ownerOf(token: string): Promise<string | undefined> {
  const hashed = hash('sha256', token);
  const known = owners.get(hashed);
  if (known !== undefined) return known;
  const { rows } = await pool.query<{ owner: string; remaining: number | null }>({
    name: 'find-token',
    text: `SELECT owner, (extract(epoch FROM expires_at - now()) * 1000)::float8 AS remaining
           FROM access_tokens
           WHERE hash = decode($1, 'hex') AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
    values: [hashed],
  });
  const [found] = rows;
  if (found === undefined) return undefined;
  const remaining = Math.ceil(found.remaining ?? tokenLifetimeMs);
  owners.set(hashed, found.owner, { ttl: Math.min(tokenLifetimeMs, remaining) });
  return found.owner;
}

const realm = 'Bearer realm="Plant Store"';
const invalidToken = 'The access token is malformed, unknown, expired or revoked.';

app.addHook('onRequest', async (request, reply) => {
  // A path that is not there needs no token.
  if (request.is404) return;
  const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (token === undefined) {
    reply.header('WWW-Authenticate', realm);
    return fail(reply, 401, 'Send an access token in the header "Authorization: Bearer …".');
  }
  const owner = await ownerOf(token);
  if (owner === undefined) {
    const reason = `error="invalid_token", error_description="${invalidToken}"`;
    reply.header('WWW-Authenticate', `${realm}, ${reason}`);
    return fail(reply, 401, invalidToken);
  }
  request.owner = owner;
});

// The three operations.

// A string that PostgreSQL can store: without U+0000, and without half of a surrogate pair.
const text = { type: 'string', maxLength: 255, pattern: '^[^\\x00\\ud800-\\udfff]*$' };
const plant = {
  type: 'object',
  required: ['name'],
  properties: { name: { ...text, minLength: 1 }, tag: text },
};
const id = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const newPlant = {
  ...plant,
  required: ['id', 'name'],
  properties: { ...plant.properties, id },
};

app.post<{ Body: Plant & { id: number } }>(
  '/plants',
  { schema: { body: newPlant, response: { 200: plant } } },
  async ({ owner, body: { id, name, tag } }, reply) => {
    for (;;) {
      const { rowCount } = await pool.query({
        name: 'insert-plant',
        text: 'INSERT INTO plants (owner, id, name, tag) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
        values: [owner, id, name, tag],
      });
      if (rowCount === 1) return withoutNull({ name, tag });
      const { rows } = await pool.query<Plant>({
        name: 'find-plant',
        text: 'SELECT name, tag FROM plants WHERE owner = $1 AND id = $2',
        values: [owner, id],
      });
      const [stored] = rows;
      // Another request has deleted the plant in between.
      if (stored === undefined) continue;
      if (stored.name === name && (stored.tag ?? undefined) === tag) return withoutNull(stored);
      return fail(reply, 409, 'A plant with this id and other content exists already.');
    }
  },
);

const maxLimit = 2 ** 31 - 1;

app.get<{ Querystring: { limit?: string } }>(
  '/plants',
  {
    schema: {
      querystring: {
        type: 'object',
        properties: { limit: { type: 'string', pattern: '^[1-9][0-9]*$' } },
      },
      response: { 200: { type: 'array', items: plant } },
    },
  },
  async (request, reply) => {
    const { limit } = request.query;
    if (Number(limit) > maxLimit)
      return fail(reply, 400, `query/limit must be an integer from 1 to ${maxLimit}.`);
    if (limit !== undefined) request.fitting = { limit };
    const { rows } = await pool.query<Plant>({
      name: 'list-plants',
      text: 'SELECT name, tag FROM plants WHERE owner = $1 ORDER BY id LIMIT $2',
      values: [request.owner, limit],
    });
    return rows.map(withoutNull);
  },
);

app.delete<{ Params: { id: string } }>(
  '/plants/:id',
  {
    schema: {
      params: { type: 'object', properties: { id: { type: 'string', pattern: '^-?(?:0|[1-9][0-9]*)$' } } },
    },
  },
  async (request, reply) => {
    const { id } = request.params;
    if (BigInt.asIntN(64, BigInt(id)) !== BigInt(id))
      return fail(reply, 400, 'path/id must be an integer from -9223372036854775808 to 9223372036854775807.');
    request.fitting = { id: String(BigInt(id)) };
    const { rowCount } = await pool.query({
      name: 'delete-plant',
      text: 'DELETE FROM plants WHERE owner = $1 AND id = $2',
      values: [request.owner, id],
    });
    if (rowCount === 0) return fail(reply, 404, 'There is no plant with this id.');
    return reply.code(204).send();
  },
);

function withoutNull({ name, tag }: Plant): Plant {
  return tag === null || tag === undefined ? { name } : { name, tag };
}

console.error(`ready at ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
