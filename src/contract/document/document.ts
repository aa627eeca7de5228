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
import type { JsonValue } from '../json.js';
import { ContractError, messageOf } from './contract-error.js';
import { refuseDeadReferences, schemaFaults, yamlFault } from './document-faults.js';
import type { Path } from './json-pointer.js';
import { openapiErrors } from './openapi-schema.js';
import { type Operation, operationsOf } from './operations.js';
import { dropReferenceSiblings } from './reference-siblings.js';

export { ContractError } from './contract-error.js';
export type { Operation } from './operations.js';

export interface Contract {
  readonly file: string;
  /** Byte for byte. */
  readonly text: string;
  /** As written, with `$ref`, but nothing beside it. `x-exact-…` has digits that no double holds. */
  readonly document: OpenAPIV3.Document;
  readonly operations: readonly Operation[];
  /** With each `$ref` replaced. */
  readonly resolved: OpenAPIV3.Document;
  /** `openapi/plants.yaml:12:3` */
  place(path: Path): string;
}

/** As the YAML has it, and not yet generated/. */
export interface WrittenContract extends Contract {
  /** As `parseJson` would read it. */
  exactly(path: Path): JsonValue;
}

/** Valid, even if this server cannot serve it. */
export type ContractDocument = Pick<Contract, 'document' | 'place'>;

/** Their numbers must not lose a digit. */
const exactKeywords: ReadonlySet<unknown> = new Set(['minimum', 'maximum', 'multipleOf', 'enum', 'default']);

/** @throws {ContractError} if the file is not valid, or this server cannot serve it */
export async function readContract(file: string): Promise<WrittenContract> {
  return readContractText(await readFile(file, 'utf8'), file);
}

/** @throws {ContractError} as `readContract` does */
export async function readContractText(text: string, file: string): Promise<WrittenContract> {
  const parsed = await parseContract(text, relative(process.cwd(), file));
  return { file, text, ...parsed, operations: operationsOf(parsed.resolved, parsed.place) };
}

/**
 * @param name begins each place
 * @throws {ContractError} if the text is not valid
 */
export async function parseContract(
  text: string,
  name: string,
): Promise<Pick<WrittenContract, 'document' | 'resolved' | 'place' | 'exactly'>> {
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

/** Follows aliases, unlike `getIn`. */
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

/** Adds `x-exact-…` if digits get lost. */
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
  // Last, because aliases refer to numbers above.
  visit(yaml, {
    Scalar(_, scalar) {
      if (typeof scalar.value === 'bigint') scalar.value = Number(scalar.value);
    },
  });
}

/** `200:` and `true:` become text. */
function nameKeysByText(yaml: YamlDocument): void {
  visit(yaml, {
    Scalar(role, scalar) {
      if (role === 'key') scalar.value = String(scalar.value);
    },
  });
}

function exactDigits(yaml: YamlDocument, node: unknown): string | string[] | undefined {
  const value = isAlias(node) ? node.resolve(yaml) : node;
  if (isSeq(value)) {
    const items = value.items.map((item) => (isAlias(item) ? item.resolve(yaml) : item));
    return items.some((item) => exactDigits(yaml, item) !== undefined) ? items.map(String) : undefined;
  }
  if (!isScalar(value) || typeof value.value !== 'bigint') return undefined;
  return BigInt(Number(value.value)) === value.value ? undefined : String(value.value);
}

async function validated(
  yaml: YamlDocument,
  name: string,
  place: Contract['place'],
): Promise<[document: OpenAPIV3.Document, resolved: OpenAPIV3.Document]> {
  keepExactIntegers(yaml);
  const document = toJs(yaml, name);
  dropReferenceSiblings(document);
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
    throw new ContractError(missing.map((member) => `${place([])}: "${member}" is missing: add it.`));
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
  // The parser changes its argument. Its return type covers all OpenAPI versions.
  return (await SwaggerParser.dereference(structuredClone(document), {
    resolve: { external: false },
    dereference: { circular: 'ignore' },
  })) as OpenAPIV3.Document;
}

function toJs(yaml: YamlDocument, name: string): OpenAPIV3.Document {
  try {
    // `validated` checks the type.
    return yaml.toJS() as OpenAPIV3.Document;
  } catch (error) {
    // An alias without an anchor, or too many.
    throw new ContractError(`${name}:1:1: ${messageOf(error)}.`);
  }
}

/** Integers are bigints, but not `12.0`. */
function exactValue(yaml: YamlDocument, written: unknown): JsonValue {
  const node = isAlias(written) ? written.resolve(yaml) : written;
  if (isSeq(node)) return node.items.map((item) => exactValue(yaml, item));
  if (isMap(node)) {
    return Object.fromEntries(node.items.map(({ key, value }) => [String(key), exactValue(yaml, value)]));
  }
  // YAML 1.2 has no dates. `{ a }` has no value.
  return isScalar(node) ? (node.value as JsonValue) : null;
}
