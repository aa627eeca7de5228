/**
 * Valid plants for tests, as texts and as handlers and the store get them. The members that the contract
 * requires, and that a test does not name, have their values in the first example of createPlant's body. The
 * contract is refused if that example does not fit.
 */

import { plantStore } from '../../../../src/plant-store.js';
import { type NewPlant, type Plant, plantsTable } from '../../../../src/plants/table.js';
import { exactJson, type JsonObject } from '../../../exact-json/index.js';
import { plantTexts } from '../../../kit/index.js';
import { type Member, membersOf } from '../../src/contract/document/members.js';
import { toHandlerValues } from '../../src/schema/handler-values.js';

const contract = await plantStore.readContract();
const members = membersOf(contract, plantsTable.schema);
const required = requiredMembers();

export const { newPlantText, plantText, parsedPlant, insertPlants } = plantTexts(
  Object.fromEntries(Object.entries(required).map(([name, value]) => [name, exactJson(value)])),
);

/** Finds the values of the required members in the first example of createPlant. */
function requiredMembers(): JsonObject {
  const examples = ['paths', '/plants', 'post', 'requestBody', 'content', 'application/json', 'examples'];
  const [[, first] = []] = contract.root.at(...examples)?.members() ?? [];
  const example = Object(first?.at('value')?.value);
  const names = members.filter(({ required }) => required).map(({ name }) => name);
  const missing = names.find((name) => !Object.hasOwn(example, name));
  if (missing !== undefined)
    throw new Error(
      `${contract.place(examples)}: the first example of createPlant has no "${missing}": add it.`,
    );
  return Object.fromEntries(names.map((name) => [name, example[name]]));
}

/**
 * The optional members that take any text that a name may be, and the empty one. A test of such texts uses
 * all of them, and none if the contract has none.
 */
export const optionalTexts: readonly string[] = namesOfOptionalTexts();

/** @returns an object with this text for each of `optionalTexts` */
export function withTexts(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(optionalTexts.map((name) => [name, text]));
}

function namesOfOptionalTexts(): string[] {
  const limitsOf = ({ schema: { type, pattern, maxLength, format, enum: values } }: Member) =>
    [type, pattern, maxLength, format, values].map(String).join('\n');
  const name = members.find((member) => member.name === 'name');
  return members
    .filter(({ required, schema }) => !required && !schema['minLength'])
    .filter((member) => name !== undefined && limitsOf(member) === limitsOf(name))
    .map((member) => member.name);
}

/** Makes a plant as handlers and the store get it. */
export function newPlant(given: Partial<NewPlant>): NewPlant {
  const properties = Object.fromEntries(members.map(({ name, schema }) => [name, schema]));
  const convert = toHandlerValues({ properties }) ?? ((value) => value);
  // The example fits the schema, and `toHandlerValues` gives its members the types of generated/.
  return { ...(convert({ ...required }) as NewPlant), ...given };
}

/** Makes the plant that the store returns for `newPlant` with these members. */
export function storedPlant(given: Partial<Plant>): Plant {
  const { id: _, ...stored } = newPlant(given);
  return stored;
}
