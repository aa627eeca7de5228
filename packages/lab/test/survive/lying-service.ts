/** The service, with a lie built in: the first argument names it. Without one, it is honest. */
import { setTimeout as pause } from 'node:timers/promises';
import {
  Database,
  DatabaseUnavailableError,
  OutcomeUnknownError,
  type Statement,
} from '../../../service/layer.js';

type Query = (this: Database, statement: Statement) => Promise<unknown>;

const honest: Query = Database.prototype.query;
const lie = process.argv[2];

function isCreate({ name = '' }: Statement): boolean {
  return /^create (a row|rows) of plants$/.test(name);
}

/** What PostgreSQL answers if all keys were free. */
function allStored({ name, values = [] }: Statement): unknown {
  if (name === 'create a row of plants') return { rowCount: 1, rows: [] };
  // The first two parameters of "create rows of plants" are the owners and the ids.
  const [owners, ids] = values as [string[], bigint[]];
  return { rowCount: ids.length, rows: ids.map((id, at) => ({ owner: owners[at], id })) };
}

let creates = 0;

const lies: Readonly<Record<string, Query>> = {
  async 'answers before the commit'(statement) {
    if (!isCreate(statement)) return honest.call(this, statement);
    const stored = honest.call(this, statement);
    stored.catch(() => {});
    return Promise.race([stored, pause(1, allStored(statement))]);
  },
  async 'takes an unknown outcome for a success'(statement) {
    try {
      return await honest.call(this, statement);
    } catch (error) {
      if (isCreate(statement) && error instanceof OutcomeUnknownError) return allStored(statement);
      throw error;
    }
  },
  async 'takes an unknown outcome for a refusal'(statement) {
    try {
      return await honest.call(this, statement);
    } catch (error) {
      throw error instanceof OutcomeUnknownError ? new DatabaseUnavailableError(error.cause) : error;
    }
  },
  async 'rolls back what it acknowledges'(statement) {
    if (isCreate(statement) && ++creates % 50 === 0) return allStored(statement);
    return honest.call(this, statement);
  },
  async 'creates again what was deleted'(statement) {
    const result = await honest.call(this, statement);
    if (isCreate(statement) && ++creates % 50 === 0) {
      setTimeout(() => void honest.call(this, statement).catch(() => {}), 200);
    }
    return result;
  },
};

if (lie === 'lets PostgreSQL answer before the commit is durable') {
  // As one would set it to be fast.
  const url = new URL(process.env['DATABASE_URL'] ?? '');
  url.searchParams.set('options', '-c synchronous_commit=off');
  process.env['DATABASE_URL'] = url.href;
} else if (lie !== undefined) {
  const query = lies[lie];
  if (query === undefined) throw new Error(`There is no lie "${lie}".`);
  Object.assign(Database.prototype, { query });
}

await import('../../../../src/main.js');
