import { randomUUID } from 'node:crypto';
import t from 'tap';
import { bedsTable } from '../../../../examples/gardens/beds/table.js';
import { gardenService } from '../../../../examples/gardens/garden-service.js';
import { suppliersTable } from '../../../../examples/gardens/suppliers/table.js';
import { ListPositionError } from '../../src/errors/list-position.js';
import { LongLists } from '../../src/fairness/long-lists.js';
import { migrate } from '../../src/postgres/migrations.js';
import { openStore } from '../../src/store/open.js';
import type { Store } from '../../src/store/store.js';
import type { Table, TableTypes } from '../../src/store/table.js';
import { MemoryStore } from '../support/memory-store.js';
import { makeDatabase, openDatabase } from '../support/postgres/database.js';

/** What a store promises is the same in memory and in PostgreSQL, so that handlers can be tested on either. */

type Opens = <Types extends TableTypes>(table: Table<Types>) => Promise<Store<Types>>;
type TypesOf<Of> = Of extends Table<infer Types extends TableTypes> ? Types : never;

const url = await makeDatabase(t);
await migrate(url, gardenService.migrationFolders);
const database = openDatabase(t, url);
const contract = await gardenService.readContract();

const stores: readonly (readonly [string, Opens])[] = [
  ['in memory', async (table) => new MemoryStore(table)],
  ['in PostgreSQL', (table) => openStore(contract, database, table, new LongLists())],
];

/** Each test has an owner of its own. */
async function openBeds(open: Opens) {
  const owner = randomUUID();
  // Beds refer to a garden, which a store in memory does not ask for.
  await database.query({
    text: 'INSERT INTO gardens (owner, id, name) VALUES ($1, 7, $2)',
    values: [owner, 'Garden'],
  });
  const beds = await open(bedsTable);
  const bed = (id: bigint, name = 'Herbs') => ({ id, name, garden: 7n });
  const listed = async (query: Parameters<Store<TypesOf<typeof bedsTable>>['list']>[1]) => {
    const list = await beds.list(owner, query, performance.now());
    t.ok(Array.isArray(list));
    return (list as { readonly id: bigint }[]).map(({ id }) => id);
  };
  return { owner, beds, bed, listed };
}

for (const [where, open] of stores) {
  const now = () => performance.now();

  t.test(`${where}, a create may be repeated, and other content is a conflict`, async (t) => {
    const { owner, beds, bed } = await openBeds(open);
    t.strictSame(await beds.create(owner, bed(1n), now()), bed(1n));
    t.strictSame(await beds.create(owner, bed(1n), now()), bed(1n));
    t.equal(await beds.create(owner, bed(1n, 'Roses'), now()), 'conflict');
    t.strictSame(await beds.find(owner, 1n, now()), bed(1n));
  });

  t.test(`${where}, an owner sees and changes only its own items`, async (t) => {
    const { owner, beds, bed } = await openBeds(open);
    const other = await openBeds(open);
    await beds.create(owner, bed(1n), now());
    t.equal(await beds.find(other.owner, 1n, now()), undefined);
    t.strictSame(await beds.list(other.owner, {}, now()), []);
    t.equal(await beds.update(other.owner, bed(1n, 'Roses'), now()), 'absent');
    t.equal(await beds.delete(other.owner, 1n, now()), 'absent');
    t.strictSame(await beds.create(other.owner, bed(1n, 'Roses'), now()), bed(1n, 'Roses'));
    t.strictSame(await beds.find(owner, 1n, now()), bed(1n));
  });

  t.test(`${where}, an update replaces an item, and a delete ends it`, async (t) => {
    const { owner, beds, bed } = await openBeds(open);
    t.equal(await beds.update(owner, bed(1n), now()), 'absent');
    await beds.create(owner, bed(1n), now());
    t.strictSame(await beds.update(owner, bed(1n, 'Roses'), now()), bed(1n, 'Roses'));
    t.equal(await beds.create(owner, bed(1n), now()), 'conflict', 'a create of what it was');
    t.equal(await beds.delete(owner, 1n, now()), 'deleted');
    t.equal(await beds.delete(owner, 1n, now()), 'absent');
    t.equal(await beds.find(owner, 1n, now()), undefined);
  });

  t.test(`${where}, lists are filtered, sorted and continued`, async (t) => {
    const { owner, beds, bed, listed } = await openBeds(open);
    for (const [id, name] of [
      [2n, 'b'],
      [-3n, 'c'],
      [10n, 'a'],
      [1n, 'b'],
    ] as const)
      await beds.create(owner, bed(id, name), now());
    t.strictSame(await listed({}), [-3n, 1n, 2n, 10n]);
    t.strictSame(await listed({ limit: 2, after: -3n }), [1n, 2n]);
    t.strictSame(await listed({ sort: '-id', after: 2n }), [1n, -3n]);
    t.strictSame(await listed({ sort: 'name' }), [10n, 1n, 2n, -3n], 'equal names by their keys');
    t.strictSame(await listed({ sort: '-name', limit: 3 }), [-3n, 2n, 1n]);
    t.strictSame(await listed({ sort: 'name', after: 1n, afterName: 'b' }), [2n, -3n]);
    t.strictSame(await listed({ garden: 8n }), []);
    t.strictSame(await listed({ garden: 7n, limit: 1 }), [-3n]);
    await t.rejects(listed({ sort: 'name', after: 1n }), ListPositionError);
  });

  t.test(`${where}, each create stores another item if the server makes the keys`, async (t) => {
    const [owner, suppliers] = [randomUUID(), await open(suppliersTable)];
    const made = [
      await suppliers.create(owner, { name: 'Seeds' }, now()),
      await suppliers.create(owner, { name: 'Seeds' }, now()),
    ];
    t.equal(new Set(made.map(({ id }) => id)).size, 2);
    for (const supplier of made) t.strictSame(await suppliers.find(owner, supplier.id, now()), supplier);
  });
}
