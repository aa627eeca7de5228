/** Valid plants for loads and attacks, by the YAML of the plant store. */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import {
  examplesOf,
  fromYaml,
  type Node,
  operationsOf,
  readDocument,
  writeJson,
} from '../../contract-tools/index.js';
import { contractFile, plantTexts } from '../../kit/index.js';

export const { newPlantText, plantText, insertPlants } = plantTexts(await requiredMembers());

/**
 * Finds the values of the required members in the first example of createPlant's body.
 *
 * @throws {Error} if there is no such operation, or if its example lacks a member
 */
async function requiredMembers(): Promise<Record<string, string>> {
  const name = relative(process.cwd(), contractFile);
  const { operations } = operationsOf(readDocument(await readFile(contractFile, 'utf8'), name));
  const body = operations.find(({ id }) => id === 'createPlant')?.body;
  const media = body?.node.at('content', body.mediaType);
  if (body === undefined || media === undefined) throw new Error(`${name}: createPlant has no body.`);
  const [example] = examplesOf(media);
  const texts = requiredNames(body.schema).map((member) => {
    const value = example?.at(member);
    if (value !== undefined) return [member, writeJson(fromYaml(value.value))];
    throw new Error(`${media.place}: the first example of createPlant has no "${member}": add it.`);
  });
  return Object.fromEntries(texts);
}

/** @returns the names of the members that a schema requires, also by its `allOf` */
function requiredNames(schema: Node): string[] {
  const own = schema.list('required').map(({ value }) => String(value));
  return [...new Set([...own, ...schema.list('allOf').flatMap(requiredNames)])];
}
