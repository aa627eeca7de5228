/** A plant store as the documentation of fastify-openapi-glue suggests it, with pg. */
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import glue from 'fastify-openapi-glue';
import pg from 'pg';
import { tokenOwners } from './tokens.js';

interface Plant {
  name: string;
  tag?: string | null;
}

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 20 });
const ownerOf = tokenOwners(pool);
// Ajv must ignore OpenAPI's own keywords, such as example.
const app = fastify({ ajv: { customOptions: { strict: false } } });
app.decorateRequest('owner', '');

declare module 'fastify' {
  interface FastifyRequest {
    owner: string;
  }
}

app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
  const status = error.statusCode ?? 500;
  reply.code(status).send({ error: status, message: error.message });
});

const serviceHandlers = {
  async createPlant({ owner, body }: FastifyRequest, reply: FastifyReply) {
    // The glue has validated it against the YAML.
    const { id, name, tag } = body as Plant & { id: number };
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

  async listPlants({ owner, query }: FastifyRequest) {
    // The glue has validated it against the YAML.
    const { limit } = query as { limit?: number };
    const { rows } = await pool.query<Plant>({
      name: 'list-plants',
      text: 'SELECT name, tag FROM plants WHERE owner = $1 ORDER BY id LIMIT $2',
      values: [owner, limit],
    });
    return rows.map(({ name, tag }) => (tag === null ? { name } : { name, tag }));
  },

  async deletePlant({ owner, params }: FastifyRequest, reply: FastifyReply) {
    // The glue has validated it against the YAML.
    const { id } = params as { id: number };
    const { rowCount } = await pool.query({
      name: 'delete-plant',
      text: 'DELETE FROM plants WHERE owner = $1 AND id = $2',
      values: [owner, id],
    });
    if (rowCount === 0)
      return reply.code(404).send({ error: 404, message: 'There is no plant with this id.' });
    return reply.code(204).send();
  },
};

const securityHandlers = {
  async bearerAuth(request: FastifyRequest) {
    const owner = await ownerOf(request.headers.authorization);
    if (owner === undefined) throw new Error('Send a valid access token.');
    request.owner = owner;
  },
};

await app.register(glue, { specification: 'openapi/plants.yaml', serviceHandlers, securityHandlers });
console.error(`ready at ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
