/** Valid plants for loads and attacks, by the YAML of the plant store. */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import type { Node } from '../../contract-tools/src/document/node.js';
import { examplesOf, operationsOf } from '../../contract-tools/src/document/operations.js';
import { readDocument } from '../../contract-tools/src/document/read-document.js';
import { fromYaml, writeJson } from '../../contract-tools/src/values/json.js';
import { plantTexts } from '../../kit/src/plants.js';
import { contractFile } from '../../kit/src/project.js';

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
