import { join } from 'node:path';
import t from 'tap';
import ts from 'typescript';
import { contractFile, projectFolder } from '../../../kit/index.js';
import { typesOf } from '../../../service-tools/codegen.js';
import { readContract } from '../../../service-tools/index.js';
import { goodHandlers, type TypeCase, typeCases } from './cases.js';

/** The files of the cases exist only in memory; one program compiles them all. */

const folder = join(projectFolder, 'packages', 'service', 'test', 'types');
const yamls = { plants: contractFile, workshop: join(folder, 'workshop.yaml') };
const tag = { plants: 'plants', workshop: 'tools' };

function sourceOf(contract: TypeCase['contract'], handlers: TypeCase['handlers'] = {}): string {
  const all = Object.values({ ...goodHandlers[contract], ...handlers }).filter((code) => code !== undefined);
  return `
import { implement } from '../../src/contract/handlers.js';
import type { contract, tags } from './generated-${contract}.js';
async function* pages() { yield [{ id: 7n, kind: 'saw' as const, parts: [] }]; }
export default implement<contract, tags['${tag[contract]}'], string>()({
  ${all.join(',\n  ')}
});
export { pages };
`;
}

function compile(sources: ReadonlyMap<string, string>): Map<string, string> {
  const configuration = ts.readConfigFile(join(projectFolder, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(configuration.config.compilerOptions, projectFolder);
  const loose = { ...options, noUnusedLocals: false, noUnusedParameters: false };
  const host = ts.createCompilerHost(loose);
  const files = new Map([...sources].map(([name, text]) => [join(folder, name), text]));
  const { fileExists, readFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.readFile = (file) => files.get(file) ?? readFile(file);
  const program = ts.createProgram([...files.keys()], loose, host);
  return new Map(
    [...files.keys()].map((file, index) => {
      const source = program.getSourceFile(file);
      const faults = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
      const name = [...sources.keys()][index] ?? '';
      return [
        name,
        faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')).join('\n'),
      ];
    }),
  );
}

t.test('handlers that do not fit the contract do not compile, and the message says why', async (t) => {
  const sources = new Map<string, string>();
  for (const contract of ['plants', 'workshop'] as const) {
    sources.set(`generated-${contract}.ts`, await typesOf(await readContract(yamls[contract])));
    sources.set(`good-${contract}.ts`, sourceOf(contract));
  }
  for (const [index, { contract, handlers }] of typeCases.entries()) {
    sources.set(`case-${index}.ts`, sourceOf(contract, handlers));
  }
  const messages = compile(sources);
  t.equal(messages.get('good-plants.ts'), '', 'handlers that fit the plants compile');
  t.equal(messages.get('good-workshop.ts'), '', 'handlers that fit the workshop compile');
  for (const [index, { name, message }] of typeCases.entries()) {
    const said = messages.get(`case-${index}.ts`) ?? '';
    t.ok(said.replaceAll('\\"', '"').includes(message), name, { said, message });
  }
});
