import type { Database, Statement } from '../postgres/database.js';
import { eachReturned, givenKeys, inKeyOrder, type Key, keyParameters } from '../storage/keys.js';

const one: Statement = {
  name: 'delete a plant',
  text: 'DELETE FROM plants WHERE owner = $1 AND id = $2',
};
const many: Statement = {
  name: 'delete plants',
  text: `DELETE FROM plants USING ${givenKeys} WHERE plants.owner = key.owner AND plants.id = key.id
         RETURNING plants.owner, plants.id`,
};

/** Of equal keys, only the first counts as deleted. */
export async function deletePlants(database: Database, keys: readonly Key[]): Promise<boolean[]> {
  const [first, ...others] = keys;
  if (first !== undefined && others.length === 0) {
    const { rowCount } = await database.query({ ...one, values: [first.owner, first.id] });
    return [rowCount === 1];
  }
  const { rows } = await database.query<Key>({ ...many, values: keyParameters(inKeyOrder(keys)) });
  return eachReturned(keys, rows);
}
