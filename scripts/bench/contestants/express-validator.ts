/** A plant store with express, express-openapi-validator and pg. */
import express, { type NextFunction, type Request, type Response } from 'express';
import { middleware } from 'express-openapi-validator';
import pg from 'pg';
import { tokenOwners } from './tokens.js';

interface Plant {
  name: string;
  tag?: string | null;
}

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 20 });
const ownerOf = tokenOwners(pool);
const app = express();

declare global {
  namespace Express {
    interface Request {
      owner: string;
    }
  }
}

app.use(express.json());
app.use(
  middleware({
    apiSpec: 'openapi/plants.yaml',
    validateRequests: true,
    validateSecurity: {
      handlers: {
        async bearerAuth(request) {
          const owner = await ownerOf(request.headers.authorization);
          if (owner === undefined) return false;
          request.owner = owner;
          return true;
        },
      },
    },
  }),
);

app.post('/plants', async ({ owner, body }, response) => {
  // The middleware has validated it against the YAML.
  const { id, name, tag } = body as Plant & { id: number };
  try {
    await pool.query({
      name: 'insert-plant',
      text: 'INSERT INTO plants (owner, id, name, tag) VALUES ($1, $2, $3, $4)',
      values: [owner, id, name, tag],
    });
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== '23505') throw error;
    response.status(409).json({ error: 409, message: 'A plant with this id exists already.' });
    return;
  }
  response.json(tag === undefined ? { name } : { name, tag });
});

app.get('/plants', async ({ owner, query }, response) => {
  const { rows } = await pool.query<Plant>({
    name: 'list-plants',
    text: 'SELECT name, tag FROM plants WHERE owner = $1 ORDER BY id LIMIT $2',
    values: [owner, query['limit']],
  });
  response.json(rows.map(({ name, tag }) => (tag === null ? { name } : { name, tag })));
});

app.delete('/plants/:id', async ({ owner, params: { id } }, response) => {
  const { rowCount } = await pool.query({
    name: 'delete-plant',
    text: 'DELETE FROM plants WHERE owner = $1 AND id = $2',
    values: [owner, id],
  });
  if (rowCount === 0) response.status(404).json({ error: 404, message: 'There is no plant with this id.' });
  else response.status(204).end();
});

app.use((error: Error & { status?: number }, _request: Request, response: Response, _next: NextFunction) => {
  const status = error.status ?? 500;
  response.status(status).json({ error: status, message: error.message });
});

const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  // address() is an object for a TCP server that listens.
  if (address !== null && typeof address === 'object')
    console.error(`ready at http://127.0.0.1:${address.port}`);
});
