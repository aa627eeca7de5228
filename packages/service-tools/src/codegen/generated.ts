/** Writes the two files in `generated/`, a .ts and a .json, which are called as the YAML is. */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { documentOf } from './contract-document.js';
import { typesOf } from './contract-types.js';
import type { WrittenContract } from './read-contract.js';
import { askSwaggerParser } from './second-opinion.js';

/**
 * Writes both files into a folder. It leaves a file alone that would not change.
 *
 * @throws {ContractError} if a reader of others refuses the document (second-opinion.ts)
 */
export async function generate(contract: WrittenContract, folder: string): Promise<void> {
  for (const { file, text } of await changesOf(contract, folder)) await writeFile(file, text);
}

/**
 * @returns the paths of the files that differ from what `generate` would write
 * @throws {ContractError} as `generate` does
 */
export async function staleFiles(contract: WrittenContract, folder: string): Promise<string[]> {
  const changes = await changesOf(contract, folder);
  return changes.map(({ file }) => file);
}

async function changesOf(
  contract: WrittenContract,
  folder: string,
): Promise<{ file: string; text: string }[]> {
  await askSwaggerParser(contract.document);
  const name = basename(contract.file, extname(contract.file));
  const files = [
    { file: join(folder, `${name}.ts`), text: await typesOf(contract) },
    { file: join(folder, `${name}.json`), text: documentOf(contract) },
  ];
  const written = await Promise.all(files.map(({ file }) => readFile(file, 'utf8').catch(() => undefined)));
  return files.filter(({ text }, index) => text !== written[index]);
}
