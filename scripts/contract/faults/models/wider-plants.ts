/** The plants with more than plants.yaml has: a third member, and operations that get and change one. */
import { readFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';
import { type Contract, readContractText } from '../../../../src/contract/document/document.js';
import { contractFile } from '../../../../src/project.js';
import { canonical } from '../../../kit/canonical.js';
import { example } from '../../../kit/contract-examples.js';
import { handlersOf, type Members, type Model, only, startModelServer } from './server.js';

interface WrittenOperation {
  readonly parameters: object;
  readonly responses: Record<string, object>;
}

/** The part of the YAML that is changed here. */
interface Written {
  readonly paths: Record<string, Record<string, WrittenOperation | object>>;
  readonly components: { readonly schemas: { readonly Plant: { properties: Record<string, object> } } };
}

const absent = { status: 404, body: { error: 404, message: 'There is no plant with this id.' } };
const taken = { status: 409, body: { error: 409, message: 'The id is taken.' } };

/** A server that keeps the wider contract of the plants. */
export async function widerPlants(): Promise<Model> {
  const { contract, members } = await widerContract();
  return {
    contract,
    start(scope, tokens) {
      const owners = new Map<unknown, Map<bigint, Members>>();
      const plantsOf = (owner: unknown): Map<bigint, Members> => {
        const plants = owners.get(owner) ?? new Map<bigint, Members>();
        owners.set(owner, plants);
        return plants;
      };
      const handlers = handlersOf<{ id: bigint }, Members & { id: bigint }, { limit?: number }>({
        createPlant: ({ caller, body }) => {
          const plants = plantsOf(caller);
          const plant = only(members, body);
          if (canonical(plants.get(body.id) ?? plant) !== canonical(plant)) return taken;
          plants.set(body.id, plant);
          return { status: 200, body: plant };
        },
        listPlants: ({ caller, query: { limit } }) => {
          const plants = [...plantsOf(caller)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, plant]) => plant);
          return { status: 200, body: plants.slice(0, limit ?? plants.length) };
        },
        getPlant: ({ caller, path: { id } }) => {
          const plants = plantsOf(caller);
          return plants.has(id) ? { status: 200, body: plants.get(id) } : absent;
        },
        changePlant: ({ caller, path: { id }, body }) => {
          const plants = plantsOf(caller);
          const plant = plants.get(id);
          if (plant === undefined) return absent;
          plants.set(id, { ...plant, ...only(members, body) });
          return { status: 200, body: plants.get(id) };
        },
        deletePlant: ({ caller, path: { id } }) => (plantsOf(caller).delete(id) ? { status: 204 } : absent),
      });
      return startModelServer(scope, contract, handlers, tokens);
    },
  };
}

/** Derived from openapi/plants.yaml at each run, so it follows the contract. */
async function widerContract(): Promise<{ contract: Contract; members: readonly string[] }> {
  const written: Written = parse(await readFile(contractFile, 'utf8'), { intAsBigInt: true });
  const { properties } = written.components.schemas.Plant;
  properties['height'] = { type: 'integer', format: 'int32', description: 'In centimetres.' };
  const added: { get: WrittenOperation } = parse(example.yaml, { intAsBigInt: true });
  const create = written.paths['/plants']?.['post'];
  const ofCreate = create !== undefined && 'responses' in create ? create.responses : {};
  written.paths['/plants/{id}'] = {
    ...written.paths['/plants/{id}'],
    get: added.get,
    patch: {
      operationId: 'changePlant',
      tags: ['plants'],
      description: 'Changes the members that the body has, and leaves the others as they are.',
      parameters: added.get.parameters,
      requestBody: {
        required: true,
        'x-limits': { bytes: 65_536, depth: 32 },
        content: { 'application/json': { schema: { type: 'object', properties } } },
      },
      responses: { ...ofCreate, ...added.get.responses },
    },
  };
  const text = stringify(written, { aliasDuplicateObjects: false });
  return { contract: await readContractText(text, 'wider-plants.yaml'), members: Object.keys(properties) };
}
