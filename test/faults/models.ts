/**
 * Contracts of other shapes than the plant store's, and servers that keep them: the service's own layer, with
 * the handlers of model-handlers.ts. The checker must know no contract by name, so it is tried on several: on
 * ids that the server chooses, on ids that are texts, on bodies of several media types, on ranges of statuses.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Scope } from '../../packages/contract-tools/base.js';
import { contractFile, example, projectFolder } from '../../packages/kit/index.js';
import {
  apiDocs,
  bearerCheck,
  type Contract,
  contractRoutes,
  hashToken,
  makeLog,
  makeServer,
} from '../../packages/service/layer.js';
import { listenIn } from '../../packages/service/test/support/listen-in.js';
import { readContract, readContractText } from '../../packages/service-tools/index.js';
import { libraryHandlers, meterHandlers, noteHandlers, plantHandlers } from './model-handlers.js';

interface Model {
  readonly contract: Contract;
  readonly url: URL;
}

const models = {
  'wider plants': { read: widerPlants, handlers: plantHandlers },
  library: { read: () => readContract(fileOf('library')), handlers: libraryHandlers },
  meters: { read: () => readContract(fileOf('meters')), handlers: meterHandlers },
  notes: { read: () => readContract(fileOf('notes')), handlers: noteHandlers },
};

export type ModelName = keyof typeof models;

// Object.keys() has no type for the names of this object.
export const modelNames = Object.keys(models) as readonly ModelName[];

/** @param name the name of a file in `contracts/`, without its ending */
function fileOf(name: string): string {
  return join(projectFolder, 'test', 'faults', 'contracts', `${name}.yaml`);
}

/**
 * Starts a server that keeps the contract of a model and has nothing stored.
 *
 * @param tokens the good tokens, each of another owner
 */
export async function startModel(scope: Scope, name: ModelName, tokens: readonly string[]): Promise<Model> {
  const { read, handlers } = models[name];
  const contract = await read();
  const app = await makeServer({ contract, log: makeLog('silent') });
  const owners = new Map(tokens.map((token) => [hashToken(token), { owner: token, remainingMs: null }]));
  const check = await bearerCheck(app, { find: async (hash) => owners.get(hash) });
  const schemes = contract.operations.flatMap(({ security }) => security.flat());
  const security = Object.fromEntries(schemes.map((scheme) => [scheme, check]));
  await app.register(contractRoutes, { contract, handlers: handlers(), security });
  await app.register(apiDocs, { contract });
  return { contract, url: new URL(await listenIn(scope, app)) };
}

interface WrittenOperation {
  readonly parameters: object;
  readonly responses: Record<string, object>;
}

/** The part of the YAML that is changed here. */
interface Written {
  readonly paths: Record<string, Record<string, WrittenOperation | object>>;
  readonly components: { readonly schemas: { readonly Plant: { properties: Record<string, object> } } };
}

/**
 * Makes a contract of plants with a third member, and with operations that get and change one. It is made of
 * openapi/plants.yaml at each run, so it changes with that file.
 */
async function widerPlants(): Promise<Contract> {
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
  return readContractText(text, 'wider-plants.yaml');
}
