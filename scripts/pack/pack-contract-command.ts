/**
 * Runs `npm run pack:contract`: packs the contract as the npm package `plant-store-contract`. It is a package
 * of its own, because clients do not need the service's dependencies.
 */
import { join, relative, resolve } from 'node:path';
import { parseArguments, runCommand } from '../../packages/contract-tools/base.js';
import { ContractError } from '../../packages/exact-json/index.js';
import { contractFile, projectFolder } from '../../packages/kit/index.js';
import type { Contract } from '../../packages/service/layer.js';
import { explainServiceCommand, readContract } from '../../packages/service-tools/index.js';
import { packageFiles, packageName, packedDocument } from './files.js';
import { packTarball } from './tarball.js';

const help = `Usage: npm run pack:contract [-- OPTIONS]

Packs the contract as an npm package: YAML, JSON, types, and a client that sends every int64 exactly.

  --out FOLDER      where the tarball goes; by default dist/
  --contract FILE   the OpenAPI document; by default openapi/plants.yaml
  --help            this text

Exit code: 0; 2 if it could not be packed, such as for a version that was packed before with another document.`;

async function main(): Promise<number> {
  const options = {
    out: { type: 'string', default: join(projectFolder, 'dist') },
    contract: { type: 'string', default: contractFile },
  } as const;
  const { values } = parseArguments({ options });
  const target = resolve(values.out);
  const contract = await readContract(resolve(values.contract));
  await refuseOtherDocument(target, contract);
  const tarball = await packTarball(await packageFiles(contract), target);
  console.log(relative(process.cwd(), tarball));
  return 0;
}

/** @throws {ContractError} if this version was packed before with another document */
async function refuseOtherDocument(target: string, { version, text, place }: Contract): Promise<void> {
  const tarball = `${packageName}-${version}.tgz`;
  const packed = await packedDocument(join(target, tarball));
  if (packed === undefined || packed === text) return;
  throw new ContractError(
    `${place(['info', 'version'])}: ${tarball} has this version with another document: raise the version, or remove that file.`,
  );
}

await runCommand({ help, main, explain: explainServiceCommand });
