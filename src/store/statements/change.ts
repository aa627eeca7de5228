/**
 * The statements of updates and deletes. If somebody else has locked a row of a batch, the other rows are
 * changed without it. `changesBy`, which gives a row that is alone a statement of its own, is also for creates.
 *
 * A statement of 50 deletes waits for every row that another transaction has locked. If it simply waited, one
 * client that forgot its COMMIT would block the 49 others. So:
 *
 * 1. The batch is one statement (`many`), which waits for a locked row for half a second.
 * 2. If PostgreSQL ends it for that reason, a second statement (`unlocked`) locks what is free (SKIP LOCKED),
 *    changes that, and says of each row that exists whether it was changed.
 * 3. A row that exists and was not changed is `blocked`. The coalescer runs it again by itself, as
 *    `onePatiently`, which waits until the deadline of the item.
 * 4. A row that is alone in its batch has a plainer statement (`one`). If it is locked, that statement fails,
 *    and it runs as `onePatiently`, too.
 *
 * For example, a batch deletes 50 plants, and one of them is locked by psql. After 0.5 s the batch is rolled
 * back, and after a second statement 49 deletes are answered. The last one waits for psql.
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
  eachReturned,
  givenRows,
  inKeyOrder,
  isKeyOf,
  isReturned,
  type Key,
  keyOf,
  keyText,
  lockTimeout,
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
  /** Waits for such a row until the deadline, in milliseconds of performance.now(). */
  readonly runPatiently: (rows: readonly Row[], deadline: number) => Promise<boolean[]>;
}

/**
 * Makes changes whose statement for a single row is another one than that for several.
 *
 * @param one waits for a locked row for half a second, and `onePatiently` for as long as it takes
 * @param runMany runs several rows
 */
export function changesBy(
  database: Database,
  { one, onePatiently }: { readonly one: Statement; readonly onePatiently: Statement },
  runMany: Changes['run'],
): Changes {
  const runOne = async (statement: Statement, row: Row, deadline: number): Promise<boolean> => {
    const values = [row.owner, row.id, ...row.members];
    return (await database.query(bind(statement, values, deadline))).rowCount === 1;
  };
  return {
    async run(rows, deadline) {
      const [first, ...others] = rows;
      if (first === undefined || others.length > 0) return runMany(rows, deadline);
      return [await runOne(one, first, deadline)];
    },
    runPatiently: (rows, deadline) => Promise.all(rows.map((row) => runOne(onePatiently, row, deadline))),
  };
}

/** What differs between an update and a delete. */
interface Kind {
  readonly verb: 'update' | 'delete';
  /** The columns that get values: all members for an update, none for a delete. */
  readonly members: readonly Column[];
  /** Begins a statement, up to the rows that it reads. `value` gives the SQL of a column's new value. */
  readonly begin: (value: (at: number) => string) => string;
  readonly source: 'FROM' | 'USING';
  /** The lock that the statement takes (PostgreSQL documentation, section 13.3.2). */
  readonly lock: 'NO KEY UPDATE' | 'UPDATE';
  /** The rows to run, each key once, in the order of keys. */
  readonly distinct: (rows: readonly Row[]) => Row[];
  readonly eachChanged: (rows: readonly Row[], changed: readonly Key[]) => boolean[];
}

/** The statements of updates. If keys are equal, the last row stays, and all count as updated. */
export function updates(database: Database, names: TableNames): Changes {
  const { members } = names;
  return changes(database, names, {
    verb: 'update',
    members,
    begin(value) {
      const values = members.map(({ name }, at) => `${quoted(name)} = ${value(at)}`);
      return `UPDATE ${names.table} AS item SET ${values.join(', ')}`;
    },
    source: 'FROM',
    lock: 'NO KEY UPDATE',
    distinct: (rows) => inKeyOrder(rows.toReversed()),
    eachChanged: isReturned,
  });
}

/** The statements of deletes. If keys are equal, only the first row counts as deleted. */
export function deletes(database: Database, names: TableNames): Changes {
  return changes(database, names, {
    verb: 'delete',
    members: [],
    begin: () => `DELETE FROM ${names.table} AS item`,
    source: 'USING',
    lock: 'UPDATE',
    distinct: inKeyOrder,
    eachChanged: eachReturned,
  });
}

function changes(database: Database, names: TableNames, kind: Kind): Changes {
  const { many, unlocked, ...alone } = statementsOf(names, kind);
  const parametersOf = (rows: readonly Row[]) => {
    const distinct = kind.distinct(rows);
    return [...arraysOf(distinct, kind.members), distinct.length];
  };

  async function changeUnlocked(
    rows: readonly Row[],
    deadline: number,
  ): Promise<(boolean | typeof blocked)[]> {
    const { rows: found } = await database.query<Key & { isChanged: boolean }>(
      bind(unlocked, parametersOf(rows), deadline),
    );
    const locked = new Set(found.filter(({ isChanged }) => !isChanged).map(keyText));
    const changed = found.filter(({ isChanged }) => isChanged);
    const outcomes = kind.eachChanged(rows, changed);
    return rows.map((row, at) => (locked.has(keyText(row)) ? blocked : outcomes[at] === true));
  }

  return changesBy(database, alone, async (rows, deadline) => {
    try {
      const { rows: changed } = await database.query<Key>(bind(many, parametersOf(rows), deadline));
      return kind.eachChanged(rows, changed);
    } catch (error) {
      if (!(error instanceof RolledBackError && isLockTimeout(error.cause))) throw error;
      return changeUnlocked(rows, deadline);
    }
  });
}

function statementsOf(names: TableNames, { verb, members, begin, source, lock }: Kind) {
  const { name, table, owner, key } = names;
  const ofOne = begin((at) => `$${at + 3}`);
  const isOne = `item.${owner} = $1 AND item.${key} = $2`;
  const one: Statement = {
    name: `${verb} a row of ${name}`,
    text: `${ofOne} ${source} ${lockTimeout} WHERE ${isOne}`,
  };
  const onePatiently: Statement = {
    name: `${verb} a locked row of ${name}`,
    text: `${ofOne} WHERE ${isOne}`,
  };
  const many: Statement = {
    name: `${verb} rows of ${name}`,
    text: `${begin((at) => `given.member_${at}`)} ${source} ${givenRows(names, members, lockTimeout)}
           WHERE ${isKeyOf(names, 'given')} RETURNING ${keyOf(names)}`,
  };
  const unlocked: Statement = {
    name: `${verb} unlocked rows of ${name}`,
    // The names of these queries hide tables of the same name, so no table should be called like them.
    text: `WITH rows_found AS MATERIALIZED (
             SELECT given.* FROM ${givenRows(names, members, lockTimeout)}, ${table} AS item WHERE ${isKeyOf(names, 'given')}
           ), rows_unlocked AS MATERIALIZED (
             SELECT found.* FROM rows_found AS found, ${table} AS item WHERE ${isKeyOf(names, 'found')}
             FOR ${lock} OF item SKIP LOCKED
           ), rows_changed AS (
             ${begin((at) => `unlocked.member_${at}`)} ${source} rows_unlocked AS unlocked
             WHERE ${isKeyOf(names, 'unlocked')} RETURNING ${keyOf(names)}
           )
           SELECT owner, id, changed.id IS NOT NULL AS "isChanged"
           FROM rows_found LEFT JOIN rows_changed AS changed USING (owner, id)`,
  };
  return { one, onePatiently, many, unlocked };
}
