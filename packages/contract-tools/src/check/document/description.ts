/** What the operations of a document say together, for the probes: their errors, and the rules of the run. */

import type { JsonObject, Path } from '../../../../exact-json/index.js';
import type { Scheme } from '../../document/credentials.js';
import type { Node } from '../../document/node.js';
import {
  type Excluded,
  type Operation,
  operationsOf,
  type Paths,
  pathsOf,
} from '../../document/operations.js';
import type { ApiDocument } from '../../document/read-document.js';
import type { Response } from '../../document/responses.js';
import { allRules, type Rules } from './rules.js';

export interface Description {
  /** The file as its author wrote it, with its integers as bigints. */
  readonly written: JsonObject;
  readonly operations: readonly Operation[];
  /** The operations that are not tried, because no request of them can be written. */
  readonly excluded: readonly Excluded[];
  readonly paths: Paths;
  /** The security scheme that most operations take; undefined if none does. */
  readonly usualScheme: Scheme | undefined;
  /** The schema that all documented errors share; undefined if they have several, or none. */
  readonly errorSchema: Node | undefined;
  /** The media types of errors. */
  readonly errorTypes: readonly string[];
  /** Members that are the status in every example of an error: so they must be in every error. */
  readonly statusMembers: readonly string[];
  /** The rules that hold beyond OpenAPI and HTTP. */
  readonly rules: Rules;
  /** `openapi/plants.yaml:12:3` */
  place(path: Path): string;
}

/**
 * @param isTried which operations to describe; by default all that can be tried
 * @throws {ContractError} if none of the operations can be tried
 */
export function describe(
  document: ApiDocument,
  rules = allRules,
  isTried?: (operation: Operation) => boolean,
): Description {
  const { operations: all, excluded, usualScheme } = operationsOf(document, true);
  const operations = all.filter(isTried ?? (() => true));
  const errors = operations.flatMap(errorsOf);
  return {
    written: document.written,
    operations,
    excluded: isTried === undefined ? excluded : [],
    paths: pathsOf(operations),
    usualScheme,
    errorSchema: commonSchema(errors),
    errorTypes: [...new Set(errors.flatMap(({ content }) => [...content.keys()]))],
    statusMembers: statusMembers(errors),
    rules,
    place: (path) => document.place(path),
  };
}

/** The keys of the document: `200`, `4XX`, `default`. */
export function keysOf({ responses }: Operation): string[] {
  return [...new Set(Array.from(responses.values(), ({ key }) => key))];
}

/** The documented errors. `default` is about errors if successes are documented beside it. */
function errorsOf({ responses }: Operation): Response[] {
  const documented = [...new Set(responses.values())];
  const hasSuccess = documented.some(({ key }) => key.startsWith('2'));
  return documented.filter(({ key }) => /^[45]/.test(key) || (key === 'default' && hasSuccess));
}

/** Whether a key of `responses` covers a status. */
function isOf(key: string, status: bigint | number | undefined): boolean {
  return key === 'default'
    ? status !== undefined
    : key === String(status) || key === `${String(status).charAt(0)}XX`;
}

function commonSchema(errors: readonly Response[]): Node | undefined {
  const schemas = errors.flatMap(({ content }) => [...content.values()]);
  const [first] = schemas;
  return schemas.every((schema) => schema?.key === first?.key) ? first : undefined;
}

function statusMembers(errors: readonly Response[]): string[] {
  const examples = errors.flatMap(({ key, node }) =>
    node.list('content').flatMap((media) => {
      const values = media.list('examples').map((example) => example.at('value'));
      return values.flatMap((value) => (value === undefined ? [] : { key, value }));
    }),
  );
  const names = new Set(examples.flatMap(({ value }) => value.members().map(([name]) => name)));
  return [...names].filter((name) => examples.every(({ key, value }) => isOf(key, value.number(name))));
}
