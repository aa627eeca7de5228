/**
 * A plant store by hand, bare: Fastify, its JSON schemas, pg with prepared statements and a pool of 20. It
 * checks the token, which it caches for 4 s, and validates the request. It logs nothing, sets no request id
 * and none of the service's headers, and answers a repeated create with 409. fastify-by-hand.ts does the work
 * of the service.
 *
 * This file is frozen: README.md beside it says why.
 */
import { fastify } from 'fastify';
import pg from 'pg';
import { tokenOwners } from './tokens.js';

interface Plant {
  name: string;
  tag?: string | null;
}

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 20 });
const ownerOf = tokenOwners(pool);
const app = fastify();
app.decorateRequest('owner', '');

declare module 'fastify' {
  interface FastifyRequest {
    owner: string;
  }
}

app.addHook('onRequest', async (request, reply) => {
  const owner = await ownerOf(request.headers.authorization);
  if (owner === undefined) return reply.code(401).send({ error: 401, message: 'Send a valid access token.' });
  request.owner = owner;
});

app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
  const status = error.statusCode ?? 500;
  reply.code(status).send({ error: status, message: error.message });
});

const text = { type: 'string', maxLength: 255, pattern: '^[^\\x00]*$' };
const plant = {
  type: 'object',
  required: ['name'],
  properties: { name: { ...text, minLength: 1 }, tag: text },
};
const newPlant = {
  ...plant,
  required: ['id', 'name'],
  properties: { ...plant.properties, id: { type: 'integer' } },
};

app.post<{ Body: Plant & { id: number } }>(
  '/plants',
  { schema: { body: newPlant, response: { 200: plant } } },
  async ({ owner, body: { id, name, tag } }, reply) => {
    try {
      await pool.query({
        name: 'insert-plant',
        text: 'INSERT INTO plants (owner, id, name, tag) VALUES ($1, $2, $3, $4)',
        values: [owner, id, name, tag],
      });
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== '23505') throw error;
      return reply.code(409).send({ error: 409, message: 'A plant with this id exists already.' });
    }
    return tag === undefined ? { name } : { name, tag };
  },
);

app.get<{ Querystring: { limit?: number } }>(
  '/plants',
  {
    schema: {
      querystring: { type: 'object', properties: { limit: { type: 'integer', minimum: 1 } } },
      response: { 200: { type: 'array', items: plant } },
    },
  },
  async ({ owner, query: { limit } }) => {
    const { rows } = await pool.query<Plant>({
      name: 'list-plants',
      text: 'SELECT name, tag FROM plants WHERE owner = $1 ORDER BY id LIMIT $2',
      values: [owner, limit],
    });
    return rows.map(({ name, tag }) => (tag === null ? { name } : { name, tag }));
  },
);

app.delete<{ Params: { id: number } }>(
  '/plants/:id',
  { schema: { params: { type: 'object', properties: { id: { type: 'integer' } } } } },
  async ({ owner, params: { id } }, reply) => {
    const { rowCount } = await pool.query({
      name: 'delete-plant',
      text: 'DELETE FROM plants WHERE owner = $1 AND id = $2',
      values: [owner, id],
    });
    if (rowCount === 0)
      return reply.code(404).send({ error: 404, message: 'There is no plant with this id.' });
    return reply.code(204).send();
  },
);

console.error(`ready at ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
