/**
 * Runs `npm run new:resource`: writes a resource that works, so that a developer begins by changing one
 * instead of by copying one. The parts are filled templates; each is as docs/adding-a-resource.md explains it.
 *
 * The names and the YAML are looked at before the first file is written. Nothing is overwritten.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { parseArguments, refuseMore, runCommand, UsageError } from '../../../contract-tools/base.js';
import { StartError, tokenMigrations } from '../../../service/layer.js';
import { codegen } from '../codegen/codegen-command.js';
import { failurePolicy } from '../codegen/failure-policy.js';
import { readContractText } from '../codegen/read-contract.js';
import { checkContract } from '../codegen/servable.js';
import { explainServiceCommand } from '../npm/explain.js';
import { contractFile, projectFolder } from '../project.js';
import { hasEntry, insertIntoDefinition, insertIntoYaml } from './insert.js';
import { type Names, namesOf } from './names.js';
import { fill, resourceFiles } from './templates.js';

const formatTimeoutMs = 60_000;

const help = `Usage: npm run new:resource -- NAME [--item ITEM]

Adds a resource to the service: its part of the YAML in openapi/, a folder below src/ with its table, its handlers
and its migration, and its line in the file of src/ that calls serviceOf. Its items have an id and a name, and can be
created, listed in pages, read and deleted. Change that to what you need, beginning with the YAML.

  NAME          the name of the resource, in small letters and in the plural, such as seedbanks
  --item ITEM   one of them; by default NAME without its s, with y for ies
  --help        this text

Exit code: 0; 2 if the resource cannot be added. Then only those files were changed that are named.`;

async function main(): Promise<number> {
  const { values, positionals } = parseArguments({
    options: { item: { type: 'string' } },
    allowPositionals: true,
  });
  const [name] = positionals;
  if (name === undefined) throw new UsageError('NAME is missing, such as seedbanks');
  refuseMore(positionals, 1);
  const files = await filesOf(namesOf(name, values.item));
  checkContract(await readContractText(files.get(contractFile) ?? '', contractFile), failurePolicy);
  for (const [file, text] of files) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const written = [...files.keys()];
  for (const file of written) console.log(`Wrote ${relative(process.cwd(), file)}`);
  await format(written.filter((file) => file.endsWith('.ts')));
  const code = await codegen([]);
  if (code !== 0) return code;
  console.log(
    '\nNow change the YAML to what you need, run "npm run dev", and follow what it says. docs/adding-a-resource.md of the plant store explains each part.\nBefore you push: raise the minor number of info.version.',
  );
  return 0;
}

/**
 * @returns the texts of the files to write, by their absolute paths
 * @throws {StartError} if the resource, or one of its names, is there already
 */
async function filesOf(names: Names): Promise<Map<string, string>> {
  const { items, item, Item } = names;
  const sources = join(projectFolder, 'src');
  const folder = join(sources, items);
  const [yaml, definition, folders] = await Promise.all([
    readFile(contractFile, 'utf8'),
    findDefinition(sources),
    readdir(sources),
  ]);
  const contract = basename(contractFile, extname(contractFile));
  const all = { ...names, contract, service: definition.service };
  if (folders.includes(items)) throw new StartError(`src/${items} is there already: choose another name.`);
  const taken = [
    ['paths', `/${items}`],
    ['components', 'schemas', Item],
    ['components', 'schemas', `${Item}Id`],
  ].find((path) => hasEntry(yaml, path));
  if (taken !== undefined)
    throw new StartError(
      `${relative(projectFolder, contractFile)} has ${taken.join('.')} already: choose another name.`,
    );
  return new Map([
    [
      contractFile,
      insertIntoYaml(yaml, [
        { path: ['tags'], lines: await fill('tags.yaml', all) },
        { path: ['paths'], lines: await fill('paths.yaml', all) },
        { path: ['components', 'schemas'], lines: await fill('schemas.yaml', all) },
      ]),
    ],
    ...(await resourceFiles(folder, all, await nextNumber(sources))),
    [definition.file, insertIntoDefinition(definition.text, items, `${item}Resource`)],
  ]);
}

/** The file that defines the service. */
interface Definition {
  readonly file: string;
  readonly text: string;
  /** What the files of a resource import the door of the service by. */
  readonly service: string;
}

/** @throws {StartError} if no file of the folder calls serviceOf */
async function findDefinition(sources: string): Promise<Definition> {
  for (const name of await readdir(sources)) {
    if (!name.endsWith('.ts')) continue;
    const file = join(sources, name);
    const text = await readFile(file, 'utf8');
    // Short text: it is a file of the project, which its developers write.
    const [, service] = /^import \{[^}]*\bserviceOf\b[^}]*\} from '([^']+)';$/m.exec(text) ?? [];
    // A folder of a resource is one deeper.
    if (service !== undefined)
      return { file, text, service: service.startsWith('.') ? join('..', service) : service };
  }
  throw new StartError(
    'No file in src/ imports serviceOf: a resource has to be named where the service is defined.',
  );
}

/** @returns the number after those of all migrations, with four digits */
async function nextNumber(sources: string): Promise<string> {
  const folders = (await readdir(sources)).map((name) => join(sources, name, 'migrations'));
  const own = folders.filter((folder) => existsSync(folder));
  const names = (await Promise.all([tokenMigrations, ...own].map((folder) => readdir(folder)))).flat();
  return String(Math.max(...names.map((name) => Number.parseInt(name, 10) || 0)) + 1).padStart(4, '0');
}

/** Puts the imports in order, and breaks lines that a long name has made too long. */
async function format(files: readonly string[]): Promise<void> {
  const biome = join(projectFolder, 'node_modules', '.bin', 'biome');
  // A service of one's own may have another formatter, or none.
  if (!existsSync(biome)) return;
  // The files are named, so a .gitignore above the project must not leave them out.
  const options = ['check', '--write', '--vcs-enabled=false'];
  await promisify(execFile)(biome, [...options, ...files], { cwd: projectFolder, timeout: formatTimeoutMs });
}

await runCommand({ help, main, explain: explainServiceCommand });
