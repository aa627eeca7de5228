/**
 * Valid plants for tests and tools. They name only the members that they are about. All other members that
 * the contract requires are added here, with their values in the first example of createPlant's body. The
 * contract is refused if that example does not fit, so a new required member needs no change of a test.
 */
import pg from 'pg';
import { membersOf } from '../../src/contract/document/members.js';
import { type NewPlant, type Plant, plantsTable } from '../../src/plants/table.js';
import { exactJson } from '../../src/schema/exact-json.js';
import { toHandlerValues } from '../../src/schema/handler-values.js';
import { type JsonObject, type JsonValue, parseJson } from '../../src/schema/json.js';
import { valueAt } from '../../src/schema/json-pointer.js';
import { readOwnContract } from '../../src/start/own-contract.js';
import { quoted, toParameter } from '../../src/store/columns/columns.js';
import { columnsOf } from '../../src/store/table.js';

/** The most levels of the example: document/operations.ts allows no deeper body. */
const maxDepth = 1_000;

const contract = await readOwnContract();
const members = membersOf(contract, plantsTable.schema);
const requiredNames = members.filter(({ required }) => required).map(({ name }) => name);

const required = requiredMembers();

/** Reads the values of the required members as `parseJson` does. generated/ has them as doubles. */
function requiredMembers(): JsonObject {
  const examples = ['paths', '/plants', 'post', 'requestBody', 'content', 'application/json', 'examples'];
  const [first = ''] = Object.keys(Object(valueAt(contract.document, examples)));
  const written = valueAt(contract.document, [...examples, first, 'value']);
  const example = Object(parseJson(JSON.stringify(written), maxDepth));
  const missing = requiredNames.find((name) => !Object.hasOwn(example, name));
  if (missing !== undefined)
    throw new Error(
      `${contract.place(examples)}: the first example of createPlant has no "${missing}": add it.`,
    );
  return Object.fromEntries(requiredNames.map((name) => [name, example[name]]));
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

/** The members to name in JSON. Those that are undefined are left out. */
type Named = { readonly [Name in keyof NewPlant]?: JsonValue | undefined };

/**
 * Writes the JSON of a plant, for the body of a create.
 *
 * @param given members, or a text, which keeps its bytes, even if it is not valid: what is missing goes
 *   before its last brace
 */
export function newPlantText(given: string | Named): string {
  return typeof given === 'string' ? withRequired(given) : textOf({ ...given, ...required, ...given });
}

/**
 * Writes the JSON that the service answers for a plant with these members: its serializer writes required
 * ones first.
 */
export function plantText(given: Named): string {
  const { id: _, ...members } = { ...required, ...given };
  return textOf(members);
}

/** Reads the plant of `plantText` by `JSON.parse`. */
export function parsedPlant(given: Named): unknown {
  return JSON.parse(plantText(given));
}

function withRequired(text: string): string {
  const end = text.lastIndexOf('}');
  const missing = Object.entries(required).filter(([name]) => !new RegExp(`"${name}"\\s*:`).test(text));
  const added = textOf(Object.fromEntries(missing)).slice(1, -1);
  if (end === -1 || added === '') return text;
  const isEmpty = text.slice(0, end).trimEnd().endsWith('{');
  return `${text.slice(0, end)}${isEmpty ? '' : ','}${added}${text.slice(end)}`;
}

/** Writes the members in their order, which `exactJson` does not keep. */
function textOf(named: Readonly<Record<string, JsonValue | undefined>>): string {
  const written = Object.entries(named).flatMap(([name, value]) =>
    value === undefined ? [] : `${JSON.stringify(name)}:${exactJson(value)}`,
  );
  return `{${written.join(',')}}`;
}

/**
 * Writes the SQL statement that stores plants without the service.
 *
 * @param rows a query whose columns are owner, id, name and tag
 */
export function insertPlants(rows: string): string {
  const named = ['id', 'name', 'tag'];
  const columns = columnsOf(contract, plantsTable).filter(
    ({ name }) => requiredNames.includes(name) && !named.includes(name),
  );
  const names = columns.map(({ name }) => `, ${quoted(name)}`).join('');
  const values = columns.map(
    (column) => `, ${pg.escapeLiteral(String(toParameter(column, required)))}::${column.type}`,
  );
  return `INSERT INTO plants (owner, id, name, tag${names}) SELECT row.*${values.join('')} FROM (${rows}) AS row`;
}
