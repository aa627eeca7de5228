import { runAlone } from '../batching/failed-batch.js';
import { RolledBackError } from '../database-errors.js';
import type { Database, Statement } from '../postgres/database.js';
import { isLockTimeout } from '../postgres/sqlstate.js';
import { eachReturned, givenKeys, inKeyOrder, type Key, keyParameters, keyText } from '../storage/keys.js';

/** For rows that somebody else locks. Other deletes of the statement wait as long. */
const lockTimeoutMs = 500;

const one: Statement = {
  name: 'delete a plant',
  text: 'DELETE FROM plants WHERE owner = $1 AND id = $2',
};
const many: Statement = {
  name: 'delete plants',
  // Until the end of the statement: it reads its keys before it locks a row.
  text: `DELETE FROM plants USING ${givenKeys(`set_config('lock_timeout', '${lockTimeoutMs}', true)`)}
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

type Outcome = boolean | typeof runAlone;

/**
 * Of equal keys, only the first counts as deleted.
 *
 * @returns `runAlone` for rows that somebody else locks
 */
export async function deletePlants(database: Database, keys: readonly Key[]): Promise<readonly Outcome[]> {
  const [first, ...others] = keys;
  if (first !== undefined && others.length === 0) {
    const { rowCount } = await database.query({ ...one, values: [first.owner, first.id] });
    return [rowCount === 1];
  }
  const values = keyParameters(inKeyOrder(keys));
  try {
    const { rows } = await database.query<Key>({ ...many, values });
    return eachReturned(keys, rows);
  } catch (error) {
    if (!(error instanceof RolledBackError && isLockTimeout(error.cause))) throw error;
  }
  const { rows } = await database.query<Key & { isDeleted: boolean }>({ ...unlocked, values });
  const areDeleted = eachReturned(
    keys,
    rows.filter(({ isDeleted }) => isDeleted),
  );
  const locked = new Set(rows.filter(({ isDeleted }) => !isDeleted).map(keyText));
  return keys.map((key, at) => (locked.has(keyText(key)) ? runAlone : areDeleted[at] === true));
}
