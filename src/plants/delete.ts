import { heldUp } from '../batching/failed-batch.js';
import { RolledBackError } from '../errors/database.js';
import type { Database, Statement } from '../postgres/database.js';
import { isLockTimeout } from '../postgres/sqlstate.js';
import { eachReturned, givenKeys, inKeyOrder, type Key, keyParameters, keyText } from '../storage/keys.js';

/** Milliseconds for rows that somebody else locks, until the end of the statement. */
const lockTimeout = "set_config('lock_timeout', '500', true)";

const one: Statement = {
  name: 'delete a plant',
  text: `DELETE FROM plants USING ${lockTimeout} WHERE owner = $1 AND id = $2`,
};
const onePatiently: Statement = {
  name: 'delete a locked plant',
  text: 'DELETE FROM plants WHERE owner = $1 AND id = $2',
};
const many: Statement = {
  name: 'delete plants',
  text: `DELETE FROM plants USING ${givenKeys(lockTimeout)}
         WHERE plants.owner = key.owner AND plants.id = key.id
         RETURNING plants.owner, plants.id`,
};
const unlocked: Statement = {
  name: 'delete unlocked plants',
  text: `WITH found AS MATERIALIZED (
           SELECT plants.owner, plants.id FROM ${givenKeys()}, plants
           WHERE plants.owner = key.owner AND plants.id = key.id
         ), unlocked AS MATERIALIZED (
           SELECT plants.owner, plants.id FROM found, plants
           WHERE plants.owner = found.owner AND plants.id = found.id
           FOR UPDATE OF plants SKIP LOCKED
         ), deleted AS (
           DELETE FROM plants USING unlocked
           WHERE plants.owner = unlocked.owner AND plants.id = unlocked.id
           RETURNING plants.owner, plants.id
         )
         SELECT owner, id, deleted.id IS NOT NULL AS "isDeleted" FROM found LEFT JOIN deleted USING (owner, id)`,
};

/**
 * Of equal keys, only the first counts as deleted.
 *
 * @returns `heldUp` for plants whose rows somebody else locks
 */
export async function deletePlants(
  database: Database,
  keys: readonly Key[],
  deadline: number,
): Promise<readonly (boolean | typeof heldUp)[]> {
  const [first, ...others] = keys;
  try {
    if (first !== undefined && others.length === 0) return [await deleteOne(database, one, first, deadline)];
    const values = keyParameters(inKeyOrder(keys));
    const { rows } = await database.query<Key>({ ...many, values, deadline });
    return eachReturned(keys, rows);
  } catch (error) {
    if (!(error instanceof RolledBackError && isLockTimeout(error.cause))) throw error;
    return others.length === 0 ? [heldUp] : deleteUnlocked(database, keys, deadline);
  }
}

/** Waits for a row that somebody else locks, until the deadline. */
export function deletePatiently(database: Database, key: Key, deadline: number): Promise<boolean> {
  return deleteOne(database, onePatiently, key, deadline);
}

async function deleteOne(
  database: Database,
  statement: Statement,
  { owner, id }: Key,
  deadline: number,
): Promise<boolean> {
  const { rowCount } = await database.query({ ...statement, values: [owner, id], deadline });
  return rowCount === 1;
}

async function deleteUnlocked(
  database: Database,
  keys: readonly Key[],
  deadline: number,
): Promise<(boolean | typeof heldUp)[]> {
  const values = keyParameters(inKeyOrder(keys));
  const { rows } = await database.query<Key & { isDeleted: boolean }>({ ...unlocked, values, deadline });
  const locked = new Set(rows.filter(({ isDeleted }) => !isDeleted).map(keyText));
  const deleted = rows.filter(({ isDeleted }) => isDeleted);
  return eachReturned(keys, deleted).map((isDeleted, at) =>
    locked.has(keyText(keys[at] as Key)) ? heldUp : isDeleted,
  );
}
