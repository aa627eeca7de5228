import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import SwaggerParser from '@apidevtools/swagger-parser';
import type { OpenAPIV3 } from 'openapi-types';
import {
  isAlias,
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
import { type Operation, operationsOf } from './operations.js';

export { ContractError } from './contract-error.js';
export type { Operation } from './operations.js';

/** Keys and indexes, from the top of the document down. */
type Path = readonly (string | number)[];

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
  /** Where a node of the document stands in the file: `openapi/plants.yaml:12:3`. */
  place(path: Path): string;
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
  const { document, resolved, place } = await parseContract(text, relative(process.cwd(), file));
  if (!document.openapi?.startsWith('3.0.')) {
    throw new ContractError(`${place(['openapi'])}: this is not OpenAPI 3.0.`);
  }
  return { file, text, document, operations: operationsOf(resolved, place), place };
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
): Promise<ContractDocument & { readonly resolved: OpenAPIV3.Document }> {
  const lines = new LineCounter();
  const yaml = parseDocument(text, { lineCounter: lines, intAsBigInt: true, prettyErrors: false });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const [fault] = yaml.errors;
  if (fault !== undefined) throw new ContractError(`${at(fault.pos[0])}: ${fault.message}`);
  if (!isMap(yaml.contents)) throw new ContractError(`${at(0)}: an OpenAPI document is a map.`);

  keepExactIntegers(yaml);
  const place = (path: Path) => at(offsetOf(yaml, path));
  return { ...(await validated(yaml, name, place)), place };
}

/** The offset of the node at `path`, or of the nearest one above it that stands in the file. */
function offsetOf(yaml: YamlDocument, path: Path): number {
  const node = yaml.getIn(path, true);
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
    Scalar(role, scalar) {
      if (typeof scalar.value !== 'bigint') return;
      // `200:` and `"200":` are the same key, and JavaScript knows the latter.
      scalar.value = role === 'key' ? String(scalar.value) : Number(scalar.value);
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
): Promise<{ document: OpenAPIV3.Document; resolved: OpenAPIV3.Document }> {
  try {
    // What is not OpenAPI is refused by the next statements.
    const document = yaml.toJS() as OpenAPIV3.Document;
    // The parser resolves references in place, so it gets a copy; it types its result for all versions.
    const resolved = (await SwaggerParser.validate(structuredClone(document), {
      resolve: { external: false },
      dereference: { circular: 'ignore' },
    })) as OpenAPIV3.Document;
    return { document, resolved };
  } catch (error) {
    // The parser lists faults by JSON pointers, one a line.
    const message = messageOf(error).trimEnd();
    throw new ContractError(
      `${name}: ${message.replaceAll(/^ *#(\/\S*)/gm, (_, pointer: string) => `${place(pathOf(pointer))}:`)}`,
    );
  }
}

/** RFC 6901: `/paths/~1plants` → `paths`, `/plants` */
function pathOf(pointer: string): string[] {
  const keys = pointer.split('/').slice(1);
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}
