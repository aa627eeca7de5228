/**
 * `npm run pack:contract`: the contract as an npm package, `plant-store-contract`, for those who depend on a
 * version of it. A package of its own, because whoever installs it wants none of the service's dependencies.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { readContract } from '../src/contract/document.js';
import { jsonDocument } from '../src/front-door/json-document.js';
import { contractFile, projectFolder } from '../src/project.js';

const { values } = parseArgs({ options: { out: { type: 'string', default: join(projectFolder, 'dist') } } });
const target = resolve(values.out);
const contract = await readContract(contractFile);
const { info } = contract.document;

const manifest = {
  name: 'plant-store-contract',
  version: info.version,
  description: `The OpenAPI document of ${info.title}, and its TypeScript types.`,
  license: info.license?.name,
  type: 'module',
  exports: {
    '.': { types: './plants.ts' },
    './openapi.yaml': './plants.yaml',
    './openapi.json': './plants.json',
    './package.json': './package.json',
  },
};

const folder = await mkdtemp(join(tmpdir(), 'contract-'));
try {
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await writeFile(join(folder, 'plants.yaml'), contract.text);
  await writeFile(join(folder, 'plants.json'), jsonDocument(contract, ''));
  for (const [name, from] of [
    ['plants.ts', 'generated/plants.ts'],
    ['CHANGELOG.md', 'CHANGELOG.md'],
    ['LICENSE', 'LICENSE'],
  ] as const) {
    await copyFile(join(projectFolder, from), join(folder, name));
  }
  await mkdir(target, { recursive: true });
  const npm = ['pack', '--silent', '--pack-destination', target];
  const { stdout } = await promisify(execFile)('npm', npm, { cwd: folder });
  console.log(relative(process.cwd(), join(target, stdout.trim())));
} finally {
  await rm(folder, { recursive: true });
}
