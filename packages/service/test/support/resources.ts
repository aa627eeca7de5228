/**
 * The resources that tests prove promises for: plants, and those of examples/gardens. Their items are made of
 * the contract: the first example of the body of a create, with another id and name.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import t, { type Test } from 'tap';
import { gardenService } from '../../../../examples/gardens/garden-service.js';
import { plantStore } from '../../../../src/plant-store.js';
import { exactJson } from '../../../exact-json/index.js';
import type { CallOptions } from '../../../kit/testing.js';
import type { Contract } from '../../src/contract/contract.js';
import { membersOf } from '../../src/contract/document/members.js';
import type { Operation } from '../../src/contract/document/operations.js';
import type { ServiceDefinition } from '../../src/resources/service-of.js';
import { quoted } from '../../src/store/columns/columns.js';
import type { StoredTable } from '../../src/store/table.js';
import { type Service, startService } from './service.js';

type Members = Readonly<Record<string, unknown>>;
type Id = bigint | number;

/** A resource, as the tests of packages/service/test/resources/ use it. Each of its items has a name. */
export interface TestedResource {
  /** The name of its table, which is its tag in the contract, too. */
  readonly name: string;
  readonly contract: Contract;
  readonly table: StoredTable;
  /** The path of all items. */
  readonly path: string;
  /** Members that an item may lack, with the values of the example. */
  readonly optional: Members;
  readonly operations: readonly Operation[];
  /** An id as a path has it. If the server makes the ids, no item has this one. */
  readonly someId: string;
  /** The JSON of an item, for a create. It has no id if the server makes that. */
  item(id: Id, name: string, others?: Members): string;
  /** The answer for this item, as JSON.parse reads it. */
  answer(id: number, name: string, others?: Members): Members;
  /** The JSON of an item without its id, for an update. */
  content(name: string, others?: Members): string;
}

interface Owner {
  readonly name: string;
  readonly token: string;
  readonly call: Service['call'];
}

/** A resource, on a service that others share. */
export interface ServedResource extends TestedResource {
  readonly service: Service;
  /** An owner who has nothing but what an item refers to. */
  newOwner(): Promise<Owner>;
  /** Stores `count` items named "item 1", "item 2" … in the database, past the service. */
  insertMany(owner: Owner, count: number, suffix?: string): Promise<void>;
  /** Runs SQL in the database of the service, on a connection of its own. */
  query(text: string, values?: readonly unknown[]): Promise<pg.QueryResult>;
}

export const allParts: readonly ServiceDefinition[] = [plantStore, gardenService];

/** The items that must exist before one of a resource whose items refer to others. */
const needed: Readonly<Record<string, readonly (readonly [path: string, body: string])[]>> = {
  beds: [['/gardens', '{"id":7,"name":"The garden of the example"}']],
};

/**
 * Lists the resources of these parts: tests prove promises for each.
 *
 * @throws {Error} if a table has no operation that creates its items
 */
export async function resourcesOf(parts: ServiceDefinition): Promise<TestedResource[]> {
  const contract = await parts.readContract();
  return parts.tables.map((table) => resourceOf(contract, table));
}

function resourceOf(contract: Contract, table: StoredTable): TestedResource {
  const operations = contract.operations.filter(({ tags }) => tags.includes(table.table));
  const create = operations.find(({ method }) => method === 'POST');
  if (create === undefined) throw new Error(`The contract has no POST with the tag ${table.table}.`);
  const body = ['paths', create.path, 'post', 'requestBody', 'content', 'application/json', 'examples'];
  const [[, first] = []] = contract.root.at(...body)?.members() ?? [];
  const example = Object(JSON.parse(exactJson(first?.at('value')?.value ?? null)));
  const members = membersOf(contract, table.schema);
  const namesOf = (areRequired: boolean) =>
    members
      .filter(({ name, required }) => required === areRequired && name in example)
      .map(({ name }) => name);
  const pick = (names: readonly string[]): Members =>
    Object.fromEntries(names.map((name) => [name, example[name]]));
  const { [table.key]: _, ...required } = pick(namesOf(true));
  const contentOf = (name: string, others: Members) => ({ ...required, name, ...others });
  return {
    name: table.table,
    contract,
    table,
    path: create.path,
    optional: pick(namesOf(false)),
    operations,
    someId: table.keyFrom === 'server' ? '00000000-0000-7000-8000-000000000000' : '7',
    item(id, name, others = {}) {
      // JSON.stringify takes no bigint.
      const text = JSON.stringify(contentOf(name, others));
      if (table.keyFrom === 'server') return text;
      return `{"${table.key}":${id},${text.slice(1)}`;
    },
    answer: (id, name, others = {}) => ({
      ...(table.isKeyAnswered && { [table.key]: id }),
      ...contentOf(name, others),
    }),
    content: (name, others = {}) => JSON.stringify(contentOf(name, others)),
  };
}

/**
 * Lists the resources of these parts, with the service that serves them.
 *
 * @param service the one that these parts make
 */
export async function servedBy(parts: ServiceDefinition, service: Service): Promise<ServedResource[]> {
  return (await resourcesOf(parts)).map((resource) => served(resource, service));
}

function served(resource: TestedResource, service: Service): ServedResource {
  const query: ServedResource['query'] = async (text, values = []) => {
    const client = new pg.Client({ connectionString: service.databaseUrl });
    await client.connect();
    return client.query(text, [...values]).finally(() => client.end());
  };
  return {
    ...resource,
    service,
    query,
    async newOwner() {
      const name = randomUUID();
      const token = await service.tokens.issue(name);
      const call = (method: string, path: string, options?: CallOptions) =>
        service.call(method, path, { token, ...options });
      for (const [path, body] of needed[resource.name] ?? []) await call('POST', path, { body });
      return { name, token, call };
    },
    async insertMany(owner, count, suffix = '') {
      const { table, owner: ownerColumn, key } = resource.table;
      const others = Object.entries(JSON.parse(resource.content('')) as Members).filter(
        ([name]) => name !== 'name',
      );
      const columns = [ownerColumn, key, 'name', ...others.map(([name]) => name)].map(quoted);
      const values = others.map(([, value]) => `, ${pg.escapeLiteral(String(value))}`).join('');
      await query(
        `INSERT INTO ${quoted(table)} (${columns.join(', ')})
         SELECT $1, id, 'item ' || id || $3::text${values} FROM generate_series(1, $2::int) AS id`,
        [owner.name, count, suffix],
      );
    },
  };
}

/**
 * Starts a service for each of `allParts`.
 *
 * @returns a function that runs a test for each resource whose ids the client chooses, or only for those that
 *   have an operation for which `has` is true. packages/service/test/resources/server-keys.test.ts is about the other ones
 */
export async function serveResources(): Promise<
  (
    title: string,
    test: (t: Test, resource: ServedResource) => Promise<unknown>,
    has?: (operation: Operation) => boolean,
  ) => void
> {
  const services = allParts.map(async (parts) => servedBy(parts, await startService(t, { parts })));
  const all = (await Promise.all(services)).flat().filter(({ table }) => table.keyFrom !== 'server');
  return (title, test, has = () => true) => {
    for (const resource of all.filter(({ operations }) => operations.some(has)))
      t.test(`${resource.name}: ${title}`, (t) => test(t, resource));
  };
}
