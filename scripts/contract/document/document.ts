/**
 * Reads the YAML of a contract, for the commands: codegen, lint, diff, mock and the check. The service itself
 * starts from what codegen has written (start/generated.ts).
 *
 * A YAML parser and a validator would do for a valid document, but not for an author. A number such as
 * 9007199254740993 would be rounded before anybody looks at it, and a fault would be told by a path such as
 * `/paths/~1plants/post/responses/200` instead of a line. So `parseContract` keeps the YAML's nodes beside
 * the document:
 *
 * 1. The text becomes nodes, with integers as bigints. A fault of the YAML ends the reading here.
 * 2. The nodes become a plain document. `withDoubles` makes its integers numbers, and writes the digits that a
 *    double would lose into `x-exact-…` beside them.
 * 3. What stands beside a `$ref` is dropped, as OpenAPI says.
 * 4. The version is checked, then the references, and then all of it by OpenAPI's own JSON Schema.
 * 5. operations.ts reads the operations, and refuses what this server cannot serve.
 *
 * Every fault begins with a place: `place(path)` looks for the node at that path, or for the nearest one
 * above it, and makes its offset a line and a column.
 *
 * For example, `maximum: 9223372036854775806` in line 12 becomes `maximum: 9223372036854776000,
 * x-exact-maximum: '9223372036854775806'`, and a fault at it begins with `openapi/plants.yaml:12:18: `.
 *
 * The cost: two packages and their time, which a start of the service does not pay.
 */
import SwaggerParser from '@apidevtools/swagger-parser';
import type { OpenAPIV3 } from 'openapi-types';
import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  LineCounter,
  parseDocument,
  visit,
  type Document as YamlDocument,
} from 'yaml';
import { ContractError, messageOf } from '../../../src/schema/contract-error.js';
import type { JsonObject, JsonValue } from '../../../src/schema/json.js';
import { type Path, valueAt } from '../../../src/schema/json-pointer.js';
import { refuseDeadReferences, schemaFaults, yamlFault } from './document-faults.js';
import { openapiErrors } from './openapi-schema.js';
import { dropReferenceSiblings } from './reference-siblings.js';

/** A valid document of OpenAPI, with the place of each of its nodes. */
export interface ParsedDocument {
  /**
   * The document with its `$ref`, but without what stands beside them. `x-exact-…` has digits that no double
   * holds.
   */
  readonly document: OpenAPIV3.Document;
  /** The document with each `$ref` replaced by what it leads to. */
  readonly resolved: OpenAPIV3.Document;
  /** @returns where the path stands in the YAML, such as `openapi/plants.yaml:12:3` */
  place(path: Path): string;
  /**
   * @returns the value at the path as `parseJson` would read it: integers are bigints, and no digit is lost
   */
  exactly(path: Path): JsonValue;
}

/** As much of a document as diff reads. */
export type ContractDocument = Pick<ParsedDocument, 'document' | 'place'>;

/** The keywords whose numbers must not lose a digit. */
const exactKeywords: ReadonlySet<unknown> = new Set(['minimum', 'maximum', 'multipleOf', 'enum', 'default']);

/**
 * Reads a document that this server need not be able to serve.
 *
 * @param text the YAML
 * @param name what each place begins with, such as `openapi/plants.yaml`
 * @throws {ContractError} if the document is not valid
 */
export async function parseContract(text: string, name: string): Promise<ParsedDocument> {
  const lines = new LineCounter();
  const yaml = parseDocument(text, {
    lineCounter: lines,
    intAsBigInt: true,
    // `200:` and `true:` would otherwise be a number and a boolean.
    stringKeys: true,
    // `!!timestamp`, `!!set` and the like would otherwise be values that JSON does not have.
    resolveKnownTags: false,
    prettyErrors: false,
  });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  // A tag that the parser does not know is only a warning, and its value a text.
  const [fault] = [...yaml.errors, ...yaml.warnings];
  if (fault !== undefined) throw new ContractError(`${at(fault.pos[0])}: ${yamlFault(fault)}`);
  if (yaml.directives?.yaml.version === '1.1') {
    // Its dates are not values of JSON, and it reads `yes` as a boolean.
    throw new ContractError(`${at(text.search(/^%YAML/m))}: YAML 1.1 is not supported: take this line away.`);
  }
  if (!isMap(yaml.contents))
    throw new ContractError(`${at(0)}: an OpenAPI document is a map: begin it with "openapi: 3.0.3".`);

  refuseCircles(yaml, at);
  const place = (path: Path) => at(offsetOf(yaml, path));
  const exact = toJson(yaml, name);
  const [document, resolved] = await validated(exact, place);
  // A path that leads somewhere leads to a value of JSON.
  return { document, resolved, place, exactly: (path) => valueAt(exact, path) as JsonValue };
}

/** @throws {ContractError} if an alias stands within the node that it repeats, which would have no end */
function refuseCircles(yaml: YamlDocument, at: (offset: number) => string): void {
  visit(yaml, {
    Alias(_key, alias, ancestors) {
      const repeated = alias.resolve(yaml);
      if (repeated === undefined || !ancestors.some((node) => node === repeated)) return;
      const { source: name, range } = alias;
      throw new ContractError(
        `${at(range?.[0] ?? 0)}: *${name} stands within &${name}, and would have no end: write it out.`,
      );
    },
  });
}

/** @returns the node at a path. It follows aliases, which the library's `getIn` does not. */
function nodeAt(yaml: YamlDocument, path: Path): unknown {
  return path.reduce<unknown>((outer, key) => {
    const node = isAlias(outer) ? outer.resolve(yaml) : outer;
    return isCollection(node) ? node.get(key, true) : undefined;
  }, yaml.contents);
}

function offsetOf(yaml: YamlDocument, path: Path): number {
  const node = nodeAt(yaml, path);
  return isNode(node) && node.range ? node.range[0] : offsetOf(yaml, path.slice(0, -1));
}

/** @returns a copy whose integers are doubles, with `x-exact-…` beside those that have lost digits */
function withDoubles(value: JsonValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(withDoubles);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value);
  const exact = members.flatMap(([name, member]) => {
    const digits = exactKeywords.has(name) ? lostDigits(member) : undefined;
    return digits === undefined ? [] : [[`x-exact-${name}`, digits] as const];
  });
  return Object.fromEntries([...members.map(([name, member]) => [name, withDoubles(member)]), ...exact]);
}

/**
 * @returns the digits that a double would lose, for each item if the value is a list; undefined if it loses
 * none
 */
function lostDigits(value: JsonValue): string | string[] | undefined {
  if (Array.isArray(value)) {
    return value.some((item) => lostDigits(item) !== undefined) ? value.map(String) : undefined;
  }
  if (typeof value !== 'bigint') return undefined;
  // JavaScript compares a bigint with a number exactly.
  return value < Number(value) || value > Number(value) ? String(value) : undefined;
}

/** @throws {ContractError} if it is not a valid document of OpenAPI 3.0 */
async function validated(
  exact: JsonObject,
  place: ParsedDocument['place'],
): Promise<[document: OpenAPIV3.Document, resolved: OpenAPIV3.Document]> {
  // What follows checks whether it is such a document.
  const document = withDoubles(exact) as OpenAPIV3.Document;
  dropReferenceSiblings(document);
  const version = String(document.openapi);
  if (!version.startsWith('3.0.')) {
    const later = /^3\.[1-9]/.test(version) ? ' (docs/openapi.md says what a later version would take)' : '';
    throw new ContractError(
      `${place(['openapi'])}: this is not OpenAPI 3.0: write "openapi: 3.0.3"${later}.`,
    );
  }
  const missing = ['info', 'paths'].filter((member) => !Object.hasOwn(document, member));
  if (missing.length > 0) {
    throw new ContractError(missing.map((member) => `${place([])}: "${member}" is missing: add it.`));
  }
  // The parser would refuse it with the place of the whole document.
  if (typeof document.info.version === 'number') {
    throw new ContractError(
      `${place(['info', 'version'])}: the version is a number here: write it in quotes, such as "1.0.0".`,
    );
  }
  refuseDeadReferences(document, place);
  const resolved = await dereferenced(document).catch((error) => {
    throw new ContractError(`${place([])}: ${messageOf(error).trimEnd()}`);
  });
  const errors = openapiErrors(resolved);
  if (errors.length > 0) throw new ContractError(schemaFaults(errors, document, place));
  return [document, resolved];
}

async function dereferenced(document: OpenAPIV3.Document): Promise<OpenAPIV3.Document> {
  // The parser changes its argument, hence the copy. Its return type covers all versions of OpenAPI.
  return (await SwaggerParser.dereference(structuredClone(document), {
    resolve: { external: false },
    dereference: { circular: 'ignore' },
  })) as OpenAPIV3.Document;
}

/**
 * @returns the document, in which integers are bigints. `12.0` is not one: it was written with a fraction
 * @throws {ContractError} if an alias leads nowhere, or so many aliases repeat each other that the document
 * would explode
 */
function toJson(yaml: YamlDocument, name: string): JsonObject {
  try {
    // The top is a map. A scalar of YAML 1.2 is a value of JSON if it has no tag and is finite.
    return yaml.toJS() as JsonObject;
  } catch (error) {
    throw new ContractError(`${name}:1:1: ${messageOf(error)}.`);
  }
}
