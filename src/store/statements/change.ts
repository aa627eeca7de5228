/**
 * The statements of creates, updates and deletes. If somebody else has locked a row that a batch needs, the
 * other rows are changed without it.
 *
 * A statement of 50 deletes waits for every row that another transaction has locked. If it simply waited, one
 * client that forgot its COMMIT would block the 49 others. So:
 *
 * 1. The batch is one statement (`all`), which waits for a locked row for half a second.
 * 2. If PostgreSQL ends an update or a delete for that reason, a second statement (`unlocked`) locks what is
 *    free (SKIP LOCKED), changes that, and says of each row that exists whether it was changed. A row that
 *    exists and was not changed is `blocked`.
 * 3. A create has no second statement, because an uncommitted row cannot be skipped. Its batch fails, and the
 *    coalescer runs its items again in smaller ones.
 * 4. What is left runs by itself, as `runPatiently`, without the half second.
 * 5. A row that is alone, in its batch or by itself, has a plainer statement (`one`). As a batch of one row, a
 *    create would take Node.js a quarter longer.
 *
 * For example, a batch deletes 50 plants, and one of them is locked by psql. After 0.5 s the batch is rolled
 * back, and after a second statement 49 deletes are answered. The last one waits for psql.
 *
 * The lock timeout is a parameter of each statement. A `SET` of its own would cost a round trip, and would have
 * to be undone.
 *
 * The cost is half a second for the items that share a batch with a locked row.
 */
import { blocked } from '../../batching/failed-batch.js';
import { RolledBackError } from '../../errors/database.js';
import { bind, type Database, type Statement } from '../../postgres/database.js';
import { isLockTimeout } from '../../postgres/sqlstate.js';
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
  keyText,
  type Row,
} from './keys.js';

/**
 * Statements that say of each row whether it was changed: created, updated or deleted. Somebody else may have
 * locked a row that they need. All of them throw what `Database.query` throws.
 */
export interface Changes {
  /**
   * Waits for such a row for half a second.
   *
   * @param deadline milliseconds of performance.now()
   * @returns `blocked` for the row, if the others were changed without it
   * @throws {RolledBackError} if none was changed
   */
  readonly run: (rows: readonly Row[], deadline: number) => Promise<readonly (boolean | typeof blocked)[]>;
  /** How many rows `run` takes at most, if it takes fewer than the coalescer would give it. */
  readonly maxBatchSize?: number;
  /**
   * Waits for such a row until the deadline, in milliseconds of performance.now(). Left out if `run` does.
   */
  readonly runPatiently?: (rows: readonly Row[], deadline: number) => Promise<boolean[]>;
}

/** How long a statement of a batch waits for each row that somebody else has locked, in milliseconds. */
const lockTimeout = '500';
/** With this, PostgreSQL waits until the statement timeout. */
const noLockTimeout = '0';

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
  /** The lock that the statement takes on rows that exist (PostgreSQL documentation, section 13.3.2). */
  readonly lock?: 'NO KEY UPDATE' | 'UPDATE';
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
    lock: 'NO KEY UPDATE',
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
    lock: 'UPDATE',
  });
}

function changes(database: Database, names: TableNames, kind: Kind): Changes {
  const { one, all, unlocked } = changeStatements(names, kind);
  const runBatch = async <Returned extends Key>(
    statement: Statement,
    rows: readonly Row[],
    deadline: number,
  ) => {
    const distinct = kind.distinct(rows);
    const values = [...arraysOf(distinct, kind.members), distinct.length, lockTimeout];
    return (await database.query<Returned>(bind(statement, values, deadline))).rows;
  };
  const runOne = async ({ owner, id, members }: Row, timeout: string, deadline: number) =>
    (await database.query(bind(one, [owner, id, ...members, timeout], deadline))).rowCount === 1;

  return {
    async run(rows, deadline) {
      const [first, ...others] = rows;
      if (first !== undefined && others.length === 0) return [await runOne(first, lockTimeout, deadline)];
      try {
        return kind.eachChanged(rows, await runBatch<Key>(all, rows, deadline));
      } catch (error) {
        const isLocked = error instanceof RolledBackError && isLockTimeout(error.cause);
        if (!isLocked || unlocked === undefined) throw error;
      }
      const found = await runBatch<Key & { isChanged: boolean }>(unlocked, rows, deadline);
      const locked = new Set(found.filter(({ isChanged }) => !isChanged).map(keyText));
      const outcomes = kind.eachChanged(
        rows,
        found.filter(({ isChanged }) => isChanged),
      );
      return rows.map((row, at) => (locked.has(keyText(row)) ? blocked : outcomes[at] === true));
    },
    // The coalescer gives one row. Several statements would not run all or none.
    runPatiently: async ([row], deadline) =>
      row === undefined ? [] : [await runOne(row, noLockTimeout, deadline)],
  };
}

/**
 * `all` waits for a row that another batch changes at this moment, which takes milliseconds. `unlocked` could
 * run every batch, but would leave such a row to a statement of its own.
 */
function changeStatements(names: TableNames, { verb, members, change, lock }: Kind) {
  const { name, table } = names;
  // It lasts until the end of the statement, and begins after the wait for a lock on the whole table.
  const setLockTimeout = (at: number) => `set_config('lock_timeout', $${at}, true)`;
  const values = ['$1::text AS owner', `$2::${names.keyType} AS id`].concat(
    members.map(({ type }, at) => `$${at + 3}::${type} AS member_${at}`),
  );
  const one: Statement = {
    name: `${verb} a row of ${name}`,
    text: change(`(SELECT ${values.join(', ')} FROM ${setLockTimeout(members.length + 3)}) AS given`),
  };
  const given = givenRows(names, members, setLockTimeout(members.length + 4));
  const changed = `RETURNING ${keyOf(names)}`;
  const all: Statement = { name: `${verb} rows of ${name}`, text: `${change(given)} ${changed}` };
  const unlocked: Statement | undefined = lock && {
    name: `${verb} unlocked rows of ${name}`,
    // The names of these queries hide tables of the same name, so no table should be called like them.
    text: `WITH rows_found AS MATERIALIZED (
             SELECT given.* FROM ${given}, ${table} AS item WHERE ${isKeyOf(names, 'given')}
           ), rows_unlocked AS MATERIALIZED (
             SELECT found.* FROM rows_found AS found, ${table} AS item WHERE ${isKeyOf(names, 'found')}
             FOR ${lock} OF item SKIP LOCKED
           ), rows_changed AS (${change('rows_unlocked AS given')} ${changed})
           SELECT owner, id, changed.id IS NOT NULL AS "isChanged"
           FROM rows_found LEFT JOIN rows_changed AS changed USING (owner, id)`,
  };
  return { one, all, unlocked };
}
