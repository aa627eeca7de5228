/**
 * Contracts of other shapes than the plant store's, and servers that keep them: mocks with a memory. The
 * checker must know no contract by name, so it is tried on several: on ids that the server chooses, on ids
 * that are texts, on bodies of several media types, on ranges of statuses.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Contract } from '../../src/contract/contract.js';
import { makeLog } from '../../src/log/log.js';
import { contractFile, projectFolder } from '../../src/project.js';
import { readContract, readContractText } from '../codegen/read-contract.js';
import type { Scope } from '../contract/kit/scope.js';
import { buildMock } from '../contract/mock/app.js';
import { example } from '../kit/contract-examples.js';
import { listenIn } from '../service/listen.js';

/** Reads the contract of each model. */
export const models = {
  'wider plants': widerPlants,
  library: () => readContract(fileOf('library')),
  meters: () => readContract(fileOf('meters')),
  notes: () => readContract(fileOf('notes')),
};

/** @param name the name of a file in `contracts/`, without its ending */
function fileOf(name: string): string {
  return join(projectFolder, 'scripts', 'faults', 'contracts', `${name}.yaml`);
}

/**
 * Starts a server that keeps a contract and has nothing stored.
 *
 * @param tokens the good tokens, each of another owner
 */
export async function startModel(scope: Scope, contract: Contract, tokens: readonly string[]): Promise<URL> {
  const app = await buildMock({
    contract,
    log: makeLog('silent'),
    stateful: true,
    credentials: tokens,
  });
  return new URL(await listenIn(scope, app));
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
