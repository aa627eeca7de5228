/**
 * Makes the files of the contract's npm package: the document as YAML and JSON, its types, and the client for
 * both module systems.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { ContractError } from '../../packages/exact-json/index.js';
import { projectFolder } from '../../packages/kit/index.js';
import { type Contract, jsonDocument, typesOf } from '../../packages/service/layer.js';
import { typesOf as codeOf } from '../../packages/service-tools/codegen.js';
import type { WrittenContract } from '../../packages/service-tools/index.js';
import { Shapes } from './shapes.js';

export const packageName = 'plant-store-contract';

/**
 * @returns the content of each file, by its name in the package
 * @throws {ContractError} if the client cannot send a parameter
 */
export async function packageFiles(contract: WrittenContract): Promise<ReadonlyMap<string, string>> {
  refuseUnsentParameters(contract);
  const read = (...path: string[]) => readFile(join(projectFolder, ...path), 'utf8');
  const client = (await read('scripts', 'pack', 'client.ts')).replaceAll(
    '../../generated/plants.js',
    './plants.js',
  );
  const json = await read('scripts', 'pack', 'json.ts');
  return new Map([
    ['package.json', `${JSON.stringify(manifestOf(contract), undefined, 2)}\n`],
    ['README.md', await read('scripts', 'pack', 'README.md')],
    ['CHANGELOG.md', await read('CHANGELOG.md')],
    ['LICENSE', await read('LICENSE')],
    ['openapi.yaml', contract.text],
    ['openapi.json', jsonDocument(contract)('')],
    ['plants.d.ts', await codeOf(contract)],
    ['client.js', commonJsOf(client) + routesOf(contract)],
    ['client.mjs', moduleOf(client) + routesOf(contract)],
    ['client.d.ts', declarationsOf(client)],
    ['client.d.mts', toModule(declarationsOf(client))],
    ['json.js', commonJsOf(json)],
    ['json.mjs', moduleOf(json)],
    ['json.d.ts', declarationsOf(json)],
    ['json.d.mts', declarationsOf(json)],
  ]);
}

/**
 * The manifest has no "type", because file endings show the module format. Tools that do not know "exports"
 * take "main".
 */
function manifestOf({ title, version, root }: Contract) {
  return {
    name: packageName,
    version,
    description: `The OpenAPI document of ${title}, its TypeScript types, and a client.`,
    license: root.at('info', 'license')?.text('name'),
    main: './client.js',
    module: './client.mjs',
    types: './client.d.ts',
    exports: {
      '.': {
        import: { types: './client.d.mts', default: './client.mjs' },
        require: { types: './client.d.ts', default: './client.js' },
      },
      './openapi.yaml': './openapi.yaml',
      './openapi.json': './openapi.json',
      './package.json': './package.json',
    },
  };
}

const commonJsOf = (source: string): string => programOf(source, ts.ModuleKind.CommonJS);
const moduleOf = (source: string): string => toModule(programOf(source, ts.ModuleKind.ESNext));

function programOf(source: string, module: ts.ModuleKind): string {
  return ts.transpileModule(source, { compilerOptions: { module, target: ts.ScriptTarget.ES2020 } })
    .outputText;
}

function declarationsOf(source: string): string {
  return ts.transpileDeclaration(source, { compilerOptions: { declaration: true } }).outputText;
}

/** Lets a file import the module json.mjs: json.js is CommonJS. */
const toModule = (text: string): string => text.replaceAll("'./json.js'", "'./json.mjs'");

/** Writes the end of the client: the method, path and answers of each operation, and the shapes of the answers. */
function routesOf({ operations }: Contract): string {
  const shapes = new Shapes();
  const routes = operations.map(({ id, method, path, requestBody, responses }) => {
    const answers = Array.from(responses.values(), ({ key, content }) => [
      key,
      content === undefined ? null : shapes.indexOf(content.schema),
    ]);
    const [first] = requestBody?.content.keys() ?? [];
    const mediaType = requestBody?.content.has('application/json') ? undefined : first;
    return [id, { method, path, mediaType, answers: Object.fromEntries(answers) }];
  });
  return `const routes = ${JSON.stringify(Object.fromEntries(routes))};
const shapes = ${JSON.stringify(shapes.list)};
`;
}

/**
 * The client can write only single values, and only into the path and the query.
 *
 * @throws {ContractError} if an operation has another parameter
 */
function refuseUnsentParameters({ operations }: Contract): void {
  for (const { id, parameters } of operations) {
    for (const { name, in: part, schema, place } of parameters) {
      const isList = typesOf(schema).includes('array');
      if (part !== 'header' && part !== 'cookie' && !isList) continue;
      const what = isList ? `the list ${name}` : `the ${part} ${name}`;
      throw new ContractError(`${place}: ${id}: the client of the package cannot send ${what}.`);
    }
  }
}

/** Reads the document in an earlier package; undefined if there is no such package. */
export async function packedDocument(tarball: string): Promise<string | undefined> {
  const document = promisify(execFile)('tar', ['-xOzf', tarball, 'package/openapi.yaml']);
  return document.then(
    ({ stdout }) => stdout,
    () => undefined,
  );
}
