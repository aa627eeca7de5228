/**
 * The statements of creates, updates and deletes.
 *
 * A batch is one statement. A row that is alone has a plainer one (`one`): as a batch of one row, a create would
 * take Node.js a quarter longer.
 *
 * Somebody else may have locked a row that a batch needs, such as psql in a transaction without its COMMIT. Each
 * connection has a lock timeout (connections.ts), so PostgreSQL then rolls the batch back. The coalescer runs its
 * items again in smaller batches, and the one that needs the row again and again by itself, until its time is over.
 */
import { bind, type Database, type Statement } from '../../postgres/database.js';
import { type Column, quoted } from '../columns/columns.js';
import type { TableNames } from '../table.js';
import {
  arraysOf,
  columnNames,
  eachReturned,
  givenRows,
  inKeyOrder,
  isKeyOf,
  isReturned,
  type Key,
  keyOf,
  type Row,
} from './keys.js';

/** A kind of change: creates, updates or deletes. */
export interface Changes {
  /**
   * @param deadline milliseconds of performance.now()
   * @returns for each row whether it was changed
   * @throws {RolledBackError} if none was changed, for example because somebody else has locked a row
   * @throws {Error} what else `Database.query` throws
   */
  readonly run: (rows: readonly Row[], deadline: number) => Promise<readonly boolean[]>;
  /** How many rows `run` takes at most, if it takes fewer than the coalescer would give it. */
  readonly maxBatchSize?: number;
}

/** What differs between creates, updates and deletes. */
interface Kind {
  readonly verb: 'create' | 'update' | 'delete';
  /** The columns that get values: all members for a create or an update, none for a delete. */
  readonly members: readonly Column[];
  /** A statement that changes the rows `given`. */
  readonly change: (given: string) => string;
  /** The rows to run, each key once, in the order of keys. */
  readonly distinct: (rows: readonly Row[]) => Row[];
  readonly eachChanged: (rows: readonly Row[], changed: readonly Key[]) => boolean[];
}

/**
 * The statements of creates. If keys are equal, the first row is stored, and the others count as not stored.
 *
 * ON CONFLICT DO NOTHING is what makes retries safe: a row whose key is taken is left alone, and the statement
 * says so instead of failing, so that store.ts can compare the stored item.
 */
export function creates(database: Database, names: TableNames): Changes {
  return changes(database, names, {
    verb: 'create',
    members: names.members,
    change: (given) => `INSERT INTO ${names.table} AS item (${columnNames(names)})
                        SELECT given.* FROM ${given}
                        ON CONFLICT (${names.owner}, ${names.key}) DO NOTHING`,
    distinct: inKeyOrder,
    eachChanged: eachReturned,
  });
}

/** The statements of updates. If keys are equal, the last row stays, and all count as updated. */
export function updates(database: Database, names: TableNames): Changes {
  const { members } = names;
  const values = members.map(({ name }, at) => `${quoted(name)} = given.member_${at}`);
  return changes(database, names, {
    verb: 'update',
    members,
    change: (given) => `UPDATE ${names.table} AS item SET ${values.join(', ')}
                        FROM ${given} WHERE ${isKeyOf(names, 'given')}`,
    distinct: (rows) => inKeyOrder(rows.toReversed()),
    eachChanged: isReturned,
  });
}

/** The statements of deletes. If keys are equal, only the first row counts as deleted. */
export function deletes(database: Database, names: TableNames): Changes {
  return changes(database, names, {
    verb: 'delete',
    members: [],
    change: (given) => `DELETE FROM ${names.table} AS item
                        USING ${given} WHERE ${isKeyOf(names, 'given')}`,
    distinct: inKeyOrder,
    eachChanged: eachReturned,
  });
}

function changes(database: Database, names: TableNames, kind: Kind): Changes {
  const { one, all } = changeStatements(names, kind);
  return {
    async run(rows, deadline) {
      const [first, ...others] = rows;
      if (first !== undefined && others.length === 0) {
        const { owner, id, members } = first;
        const { rowCount } = await database.query(bind(one, [owner, id, ...members], deadline));
        return [rowCount === 1];
      }
      const distinct = kind.distinct(rows);
      const values = [...arraysOf(distinct, kind.members), distinct.length];
      return kind.eachChanged(rows, (await database.query<Key>(bind(all, values, deadline))).rows);
    },
  };
}

function changeStatements(names: TableNames, { verb, members, change }: Kind) {
  const { name } = names;
  const values = ['$1::text AS owner', `$2::${names.keyType} AS id`].concat(
    members.map(({ type }, at) => `$${at + 3}::${type} AS member_${at}`),
  );
  const one: Statement = {
    name: `${verb} a row of ${name}`,
    text: change(`(SELECT ${values.join(', ')}) AS given`),
  };
  const all: Statement = {
    name: `${verb} rows of ${name}`,
    text: `${change(givenRows(names, members))} RETURNING ${keyOf(names)}`,
  };
  return { one, all };
}
