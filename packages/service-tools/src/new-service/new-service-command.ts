/**
 * Runs the program new-service: writes into a folder what a service of one's own begins with. Its resource is made of
 * the templates of new-resource.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseArguments, refuseMore, runCommand, UsageError } from '../../../contract-tools/base.js';
import { StartError } from '../../../service/layer.js';
import { codegen } from '../codegen/codegen-command.js';
import { namesOf } from '../new-resource/names.js';
import { fill, resourceFiles } from '../new-resource/templates.js';
import { explainServiceCommand } from '../npm/explain.js';
import { sharedParts } from './shared-parts.js';

const scripts = {
  start: 'exec node --import tsx src/main.ts',
  dev: 'exec dev',
  codegen: 'codegen',
  'new:resource': 'new-resource',
  token: 'node --import tsx src/main.ts token',
};

/** The migration 0001 is that of the service itself, for tokens. */
const firstNumber = '0002';

const gitignore = 'node_modules/\ndist/\n.data/\n.env\n';

const help = `Usage: npx --no -- new-service FOLDER

Writes a service into an empty folder, with one resource, whose items have an id and a name: its contract in openapi/, its
sources in src/, and what follows from the contract in generated/. The service is named after the folder.

  FOLDER   the folder, such as . for the one you are in. It may have what npm and git write into it: package.json gets the
           npm scripts, and keeps what else it has.
  --help   this text

Exit code: 0; 2 if the folder has other files. Then nothing was written.`;

/** What installing the packages, and `git init`, leave in an empty folder. */
const ofTools = /^(?:node_modules|package\.json|package-lock\.json|\.npmrc|\.git|.*\.tgz)$/;

async function main(): Promise<number> {
  const { positionals } = parseArguments({ allowPositionals: true });
  const [target] = positionals;
  if (target === undefined) throw new UsageError('FOLDER is missing, such as .');
  refuseMore(positionals, 1);
  const folder = resolve(target);
  const found = existsSync(folder) ? await readdir(folder) : [];
  const other = found.find((name) => !ofTools.test(name));
  if (other !== undefined)
    throw new StartError(`${join(target, other)} is there already: name an empty folder, or a new one.`);
  const name = nameOf(folder);
  const files = await filesOf(name);
  files.set('package.json', await manifestOf(join(folder, 'package.json'), name));
  for (const [file, text] of files) {
    const path = join(folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    console.log(`Wrote ${relative(process.cwd(), path)}`);
  }
  const generated = join(folder, 'generated');
  await mkdir(generated);
  const code = await codegen([], [{ contract: join(folder, contractOf(name)), generated }]);
  if (code === 0)
    console.log(
      `\nNow run "npm start" in ${folder}. Then change ${contractOf(name)} to what you need, run "npm run dev", and follow what it says.`,
    );
  return code;
}

/** @returns a name for the package, and for files: that of the folder, in small letters, digits and hyphens */
function nameOf(folder: string): string {
  const words = basename(folder)
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return words?.join('-') ?? 'service';
}

function contractOf(name: string): string {
  return join('openapi', `${name}.yaml`);
}

/** @returns the texts of the files, by their paths in the folder */
async function filesOf(name: string): Promise<Map<string, string>> {
  const names = { ...namesOf('items'), contract: name, service: '@plant-store/service', title: name };
  const parts = {
    ...names,
    ...(await sharedParts(names, name)),
    tags: await fill('tags.yaml', names),
    paths: await fill('paths.yaml', names),
    schemas: await fill('schemas.yaml', names),
  };
  return new Map([
    ['.gitignore', gitignore],
    ['tsconfig.json', await fill('service/tsconfig.json.text', names)],
    ['redocly.yaml', await fill('service/redocly.yaml', names)],
    [contractOf(name), await fill('service/contract.yaml', parts)],
    [join('src', 'main.ts'), await fill('service/main.ts.text', names)],
    [join('src', 'service.ts'), await fill('service/service.ts.text', names)],
    ...(await resourceFiles(join('src', names.items), names, firstNumber)),
  ]);
}

/** @returns the package.json, which keeps what npm has written there when it installed the packages */
async function manifestOf(file: string, name: string): Promise<string> {
  const given = existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : {};
  const own = { name, version: '1.0.0', private: true, ...given, type: 'module' };
  return `${JSON.stringify({ ...own, scripts: { ...given.scripts, ...scripts } }, undefined, 2)}\n`;
}

await runCommand({ help, main, explain: explainServiceCommand });
