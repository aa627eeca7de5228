/**
 * `npm run pack:contract`: packs the contract as the npm package `plant-store-contract`. A separate package,
 * because clients do not need the service's dependencies.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Contract, ContractError, readContract } from '../../../src/contract/document/document.js';
import { contractFile, projectFolder } from '../../../src/project.js';
import { parseArguments, runCommand } from '../../kit/command.js';
import { packageFiles, packageName, packedDocument } from './files.js';

async function main(): Promise<number> {
  const options = {
    out: { type: 'string', default: join(projectFolder, 'dist') },
    contract: { type: 'string', default: contractFile },
  } as const;
  const { values } = parseArguments({ options });
  const target = resolve(values.out);
  const contract = await readContract(resolve(values.contract));
  await refuseOtherDocument(target, contract);
  const folder = await mkdtemp(join(tmpdir(), 'contract-'));
  try {
    for (const [name, content] of await packageFiles(contract)) await writeFile(join(folder, name), content);
    await mkdir(target, { recursive: true });
    const npm = ['pack', '--silent', '--pack-destination', target];
    const { stdout } = await promisify(execFile)('npm', npm, { cwd: folder });
    console.log(relative(process.cwd(), join(target, stdout.trim())));
    return 0;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** @throws {ContractError} if this version was packed before with another document */
async function refuseOtherDocument(target: string, { document, text, place }: Contract): Promise<void> {
  const tarball = `${packageName}-${document.info.version}.tgz`;
  const packed = await packedDocument(join(target, tarball));
  if (packed === undefined || packed === text) return;
  throw new ContractError(
    `${place(['info', 'version'])}: ${tarball} has this version with another document: raise the version, or remove that file.`,
  );
}

await runCommand(main, 1);
