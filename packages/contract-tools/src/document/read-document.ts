/**
 * Reads a document of OpenAPI 3.0, 3.1 or 3.2: the one reader of check, diff, lint, mock and codegen.
 *
 * 1. The text becomes a value, with integers as bigints, and the place of each node (yaml.ts). A fault of the
 *    YAML ends the reading here.
 * 2. The version is looked at, and the whole is compared with the published schema of that version
 *    (validity.ts), then with what no schema can say (references.ts). Faults that change no meaning are
 *    mended in a copy (harmless-faults.ts).
 * 3. The document is written in one form, in the terms of JSON Schema 2020-12, whatever its version (form.ts).
 *
 * Everything behind the reader sees the form only, through nodes (node.ts). For example, `maximum:
 * 9223372036854775806` in line 12 is the bigint 9223372036854775806n, and a fault at it begins with
 * `openapi/plants.yaml:12:18: `.
 *
 * The cost: three packages and their time, which a start of the service does not pay: it reads the form that
 * codegen has written.
 */
import { ContractError, type JsonObject, type JsonValue, type Path } from '../../../exact-json/index.js';
import { formOf, type Version, writtenPath } from './form.js';
import { withoutHarmlessFaults } from './harmless-faults.js';
import { Node } from './node.js';
import { operationFaults, referenceFaults } from './references.js';
import { invalidities } from './validity.js';
import { readYaml } from './yaml.js';

/** A valid document, in the form that all versions share. */
export interface ApiDocument {
  /** The beginning of each place: a path, or a commit and a path. */
  readonly name: string;
  /** The text of the document, byte for byte. */
  readonly text: string;
  /** What the document says of its version, such as 3.0.3. */
  readonly openapi: string;
  readonly version: Version;
  /** The document as its author wrote it: with integers as bigints, and in the words of its version. */
  readonly written: JsonObject;
  /** The form, from its top. */
  readonly root: Node;
  /**
   * A sentence for each fault, with its place, beside which the rest can be read: two operations with one id,
   * a parameter of the path that nothing describes, a name that `required` has twice.
   */
  readonly faults: readonly string[];
  /** @returns where a path of the form stands in the text, such as `openapi/plants.yaml:12:3` */
  place(path: Path): string;
}

const supported = 'write "openapi: 3.0.3", or a version of 3.1 or 3.2, such as 3.1.2';

/**
 * @param text the YAML, or JSON
 * @param name what each place begins with, such as `openapi/plants.yaml`
 * @throws {ContractError} if this is not a valid document of OpenAPI 3.0, 3.1 or 3.2
 */
export function readDocument(text: string, name: string): ApiDocument {
  const { value: written, merges, place: placeInText } = readYaml(text, name);
  const { openapi, version } = versionOf(written, placeInText);
  const { document, faults, place: placeOf } = valid(written, version, placeInText);
  const doubles = withDoubles(document);
  const unreadable = referenceFaults(doubles, placeOf);
  if (unreadable.length > 0) throw new ContractError(unreadable);
  const form = formOf(document, version);
  const place = (path: Path): string => placeOf(writtenPath(form, path));
  return {
    name,
    text,
    openapi,
    version,
    written,
    root: Node.root({ value: form.value, place }),
    faults: [...merges, ...faults, ...operationFaults(doubles, placeOf)],
    place,
  };
}

interface Valid {
  readonly document: JsonObject;
  readonly faults: readonly string[];
  /** @returns where a path of the document stands in the text */
  place(path: Path): string;
}

/**
 * @returns the document as it was written, or a copy without its harmless faults
 * @throws {ContractError} if it has others
 */
function valid(written: JsonObject, version: Version, place: (path: Path) => string): Valid {
  const doubles = withDoubles(written);
  const all = invalidities(doubles, version, place);
  if (all.length === 0) return { document: written, faults: [], place };
  const { document, faults, pathBefore } = withoutHarmlessFaults(written, doubles, version, place);
  if (faults.length === 0) throw new ContractError(all);
  const placeOf = (path: Path): string => place(pathBefore(path));
  const others = invalidities(withDoubles(document), version, placeOf);
  if (others.length > 0) throw new ContractError(others);
  return { document, faults, place: placeOf };
}

/** @throws {ContractError} if this is no version that can be read */
function versionOf(
  document: JsonObject,
  place: (path: Path) => string,
): { openapi: string; version: Version } {
  const { openapi, swagger } = document;
  if (swagger !== undefined) {
    throw new ContractError(
      `${place(['swagger'])}: Swagger ${swagger} is not supported: convert the document to OpenAPI 3.0, 3.1 or 3.2.`,
    );
  }
  if (openapi === undefined) throw new ContractError(`${place([])}: "openapi" is missing: ${supported}.`);
  if (typeof openapi !== 'string')
    throw new ContractError(`${place(['openapi'])}: the version is a text with three numbers: ${supported}.`);
  const [, version] = /^(3\.[012])\.\d+(?:-.+)?$/.exec(openapi) ?? [];
  if (version === '3.0' || version === '3.1' || version === '3.2') return { openapi, version };
  throw new ContractError(`${place(['openapi'])}: OpenAPI ${openapi} is not supported: ${supported}.`);
}

/** @returns a copy whose integers are doubles, for validators that know no bigint */
export function withDoubles(value: JsonValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(withDoubles);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withDoubles(member)]));
}
