import { join } from 'node:path';
import t from 'tap';
import ts from 'typescript';
import { projectFolder } from '../../../kit/index.js';
import { unreadParameters } from '../../src/dev/unread-parameters.js';

/** Handlers that leave a documented parameter aside, which the compiler takes for right. */

const folder = join(projectFolder, 'packages', 'service', 'test', 'types');

/** A contract of one operation, as openapi-typescript writes it, with these handlers. */
const sourceOf = (handlers: string): string => `
import { implement } from '../../../service/layer.js';
declare function stored(query: object): Promise<never[]>;
interface contract {
  operations: {
    listBeds: {
      parameters: { query?: { limit?: number; garden?: bigint }; header?: never; path: { nr: bigint }; cookie?: never };
      requestBody?: never;
      responses: { 200: { headers: {}; content: { 'application/json': never[] } } };
    };
  };
  security: { listBeds: [] };
  defaults: { listBeds: {} };
}
export const handlers = implement<contract, 'listBeds', string>()({ ${handlers} });
`;

/** The parameters that the handlers do not read, such as `query garden`. */
function unreadIn(handlers: string): string[] {
  const { config } = ts.readConfigFile(join(projectFolder, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, projectFolder);
  const host = ts.createCompilerHost(options);
  const file = join(folder, 'handlers.ts');
  const { fileExists, readFile } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.readFile = (name) => (name === file ? sourceOf(handlers) : readFile(name));
  return unreadParameters(ts.createProgram([file], options, host)).map(({ sentence }) => {
    const [, part, name] = /the (\w+) parameter "(\w+)"/.exec(sentence) ?? [];
    return `${part} ${name}`;
  });
}

const answer = 'return { status: 200, body: [] };';
const cases: readonly (readonly [handler: string, unread: readonly string[]])[] = [
  [`async listBeds() { ${answer} }`, ['path nr', 'query limit', 'query garden']],
  [`async listBeds({ query: { limit }, path: { nr } }) { void [limit, nr]; ${answer} }`, ['query garden']],
  [`async listBeds({ query, path }) { await stored(query); void path.nr; ${answer} }`, []],
  [`async listBeds({ query: { limit, ...rest }, path: { nr } }) { void [limit, rest, nr]; ${answer} }`, []],
  [`async listBeds({ query, path: { nr: id } }) { void [query?.garden, id]; ${answer} }`, ['query limit']],
  [
    `async listBeds({ query, path }) { const { limit } = query; void [limit, path]; ${answer} }`,
    ['query garden'],
  ],
  [
    `listBeds: async (request) => { void [request.query['garden'], request.path]; ${answer} }`,
    ['query limit'],
  ],
  [
    `listBeds: async (request) => { const { query } = request; await stored({ ...query }); ${answer} }`,
    ['path nr'],
  ],
  [`listBeds: async (request) => { await stored(request); ${answer} }`, []],
];

for (const [handler, unread] of cases) t.test(handler, async (t) => t.strictSame(unreadIn(handler), unread));

t.test('every handler of this project reads what its contract documents', async (t) => {
  const { config } = ts.readConfigFile(join(projectFolder, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, projectFolder);
  const roots = [join('src', 'plant-store.ts'), join('examples', 'gardens', 'garden-service.ts')];
  const program = ts.createProgram(
    roots.map((file) => join(projectFolder, file)),
    options,
  );
  t.strictSame(
    unreadParameters(program).map(({ file, sentence }) => `${file.fileName}: ${sentence}`),
    [],
  );
});
