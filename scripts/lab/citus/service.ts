import pg from 'pg';
import { hashToken, makeToken } from '../../../src/access/token.js';
import { plantParts } from '../../../src/parts.js';
import { migrate } from '../../../src/postgres/migrations.js';
import type { Scope } from '../../kit/scope.js';
import { type Command, Server } from '../../kit/server.js';

/** Starts the service on a database, whose tables it makes. The owners are "owner-0", "owner-1" and so on. */
export async function startService(
  cleanup: Scope,
  command: Command,
  url: string,
  owners: number,
): Promise<{ server: Server; tokens: string[] }> {
  await migrate(url, plantParts.migrationFolders);
  const tokens = Array.from({ length: owners }, makeToken);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `INSERT INTO access_tokens (owner, hash)
     SELECT 'owner-' || (number - 1), decode(hash, 'hex') FROM unnest($1::text[]) WITH ORDINALITY AS token (hash, number)`,
    [tokens.map(hashToken)],
  );
  await client.end();
  return { server: await Server.start(cleanup, command, url), tokens };
}
