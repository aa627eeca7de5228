import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import SwaggerParser from '@apidevtools/swagger-parser';
import type { OpenAPIV3 } from 'openapi-types';
import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document as YamlDocument,
} from 'yaml';
import { ContractError, messageOf } from './contract-error.js';
import { refuseDeadReferences, schemaFaults, yamlFault } from './document-faults.js';
import type { JsonValue } from './json.js';
import { type Operation, operationsOf } from './operations.js';

export { ContractError } from './contract-error.js';
export type { Operation } from './operations.js';

/** Keys and indexes, from the top of the document down. */
export type Path = readonly (string | number)[];

export interface Contract {
  /** The file that it was read from, and its text, byte for byte. */
  readonly file: string;
  readonly text: string;
  /**
   * The document as written, references unresolved. Where an integer does not fit a double, its
   * neighbour `x-exact-…` has its digits: `maximum: 9223372036854775807` comes with
   * `x-exact-maximum: '9223372036854775807'`, and an `enum` with a list of digits.
   */
  readonly document: OpenAPIV3.Document;
  readonly operations: readonly Operation[];
  /** The document with its references resolved. */
  readonly resolved: OpenAPIV3.Document;
  /** Where a node of the document stands in the file: `openapi/plants.yaml:12:3`. */
  place(path: Path): string;
  /** The value of a node as `parseJson` would read it, to the last digit. */
  exactly(path: Path): JsonValue;
}

/** What holds for any contract, whether or not this server could serve it. */
export type ContractDocument = Pick<Contract, 'document' | 'place'>;

/** The keywords that hold numbers which must not lose a digit. Examples are not among them: nothing reads those. */
const exactKeywords: ReadonlySet<unknown> = new Set(['minimum', 'maximum', 'multipleOf', 'enum', 'default']);

/**
 * Reads and validates an OpenAPI 3.0 document.
 *
 * @throws {ContractError} where it is no YAML, no valid OpenAPI, or asks for what this server does not do
 */
export async function readContract(file: string): Promise<Contract> {
  const text = await readFile(file, 'utf8');
  return readContractText(text, file);
}

/** The same for a text that the file has, had or shall have. */
export async function readContractText(text: string, file: string): Promise<Contract> {
  const parsed = await parseContract(text, relative(process.cwd(), file));
  return { file, text, ...parsed, operations: operationsOf(parsed.resolved, parsed.place) };
}

/**
 * Validates the text of an OpenAPI document, which need not stand in a file; `name` is what its places
 * begin with.
 *
 * @throws {ContractError} where it is no YAML or no valid OpenAPI
 */
export async function parseContract(
  text: string,
  name: string,
): Promise<Pick<Contract, 'document' | 'resolved' | 'place' | 'exactly'>> {
  const lines = new LineCounter();
  const yaml = parseDocument(text, { lineCounter: lines, intAsBigInt: true, prettyErrors: false });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const [fault] = yaml.errors;
  if (fault !== undefined) throw new ContractError(`${at(fault.pos[0])}: ${yamlFault(fault)}`);
  if (!isMap(yaml.contents)) throw new ContractError(`${at(0)}: an OpenAPI document is a map.`);

  nameKeysByText(yaml);
  const place = (path: Path) => at(offsetOf(yaml, path));
  const [document, resolved] = await validated(yaml.clone(), name, place);
  return { document, resolved, place, exactly: (path) => exactValue(yaml, nodeAt(yaml, path)) };
}

/** Where an alias stands in place of a node, the node that it names; `getIn` goes through none. */
function nodeAt(yaml: YamlDocument, path: Path): unknown {
  return path.reduce<unknown>((outer, key) => {
    const node = isAlias(outer) ? outer.resolve(yaml) : outer;
    return isCollection(node) ? node.get(key, true) : undefined;
  }, yaml.contents);
}

/** The offset of the node at `path`, or of the nearest one above it that stands in the file. */
function offsetOf(yaml: YamlDocument, path: Path): number {
  const node = nodeAt(yaml, path);
  return isNode(node) && node.range ? node.range[0] : offsetOf(yaml, path.slice(0, -1));
}

/** Turns the YAML's integers into numbers, and adds `x-exact-…` beside the keywords that lose digits by it. */
function keepExactIntegers(yaml: YamlDocument): void {
  visit(yaml, {
    Map(_, map) {
      for (const { key, value } of [...map.items]) {
        if (!isScalar(key) || !exactKeywords.has(key.value)) continue;
        const digits = exactDigits(yaml, value);
        if (digits !== undefined) map.set(`x-exact-${key.value}`, yaml.createNode(digits));
      }
    },
  });
  // Only now: an alias may name a number that stands above it.
  visit(yaml, {
    Scalar(_, scalar) {
      if (typeof scalar.value === 'bigint') scalar.value = Number(scalar.value);
    },
  });
}

/** `200:` and `"200":` are the same key, `true:` and `"true":` are, and JavaScript knows the latter. */
function nameKeysByText(yaml: YamlDocument): void {
  visit(yaml, {
    Scalar(role, scalar) {
      if (role === 'key') scalar.value = String(scalar.value);
    },
  });
}

/** The digits of an integer, or of a list with one, that no double holds; undefined for any other node. */
function exactDigits(yaml: YamlDocument, node: unknown): string | string[] | undefined {
  const value = isAlias(node) ? node.resolve(yaml) : node;
  if (isSeq(value)) {
    const items = value.items.map((item) => (isAlias(item) ? item.resolve(yaml) : item));
    return items.some((item) => exactDigits(yaml, item) !== undefined) ? items.map(String) : undefined;
  }
  if (!isScalar(value) || typeof value.value !== 'bigint') return undefined;
  return BigInt(Number(value.value)) === value.value ? undefined : String(value.value);
}

/** The document as written, and with its references resolved. */
async function validated(
  yaml: YamlDocument,
  name: string,
  place: Contract['place'],
): Promise<[document: OpenAPIV3.Document, resolved: OpenAPIV3.Document]> {
  keepExactIntegers(yaml);
  // What is not OpenAPI is refused by the next statements.
  const document = toJs(yaml, name);
  const version = String(document.openapi);
  if (!version.startsWith('3.0.')) {
    const later = /^3\.[1-9]/.test(version)
      ? ' (docs/openapi-3-1.md says what a later version would take)'
      : '';
    throw new ContractError(
      `${place(['openapi'])}: this is not OpenAPI 3.0: write "openapi: 3.0.3"${later}.`,
    );
  }
  const missing = ['info', 'paths'].filter((member) => !Object.hasOwn(document, member));
  if (missing.length > 0) {
    throw new ContractError(
      missing.map((member) => `${place([])}: "${member}" is missing: add it.`).join('\n'),
    );
  }
  refuseDeadReferences(document, place);
  try {
    // The parser resolves references in place, so it gets a copy; it types its result for all versions.
    const resolved = (await SwaggerParser.validate(structuredClone(document), {
      resolve: { external: false },
      dereference: { circular: 'ignore' },
    })) as OpenAPIV3.Document;
    return [document, resolved];
  } catch (error) {
    const { details } = error as { details?: Parameters<typeof schemaFaults>[0] };
    throw new ContractError(
      details === undefined
        ? `${place([])}: ${messageOf(error).trimEnd()}`
        : schemaFaults(details, document, place).join('\n'),
    );
  }
}

function toJs(yaml: YamlDocument, name: string): OpenAPIV3.Document {
  try {
    return yaml.toJS() as OpenAPIV3.Document;
  } catch (error) {
    // An alias that names nothing, or too many of them.
    throw new ContractError(`${name}:1:1: ${messageOf(error)}.`);
  }
}

/** A node as `parseJson` would read it: integers are bigints, and `12.0` is none. */
function exactValue(yaml: YamlDocument, written: unknown): JsonValue {
  const node = isAlias(written) ? written.resolve(yaml) : written;
  if (isSeq(node)) return node.items.map((item) => exactValue(yaml, item));
  if (isMap(node)) {
    return Object.fromEntries(node.items.map(({ key, value }) => [String(key), exactValue(yaml, value)]));
  }
  // What YAML has beyond JSON, such as dates, is text in this version of YAML. `{ a }` has no node for the value.
  return isScalar(node) ? (node.value as JsonValue) : null;
}
