/**
 * Turns what the YAML parser, the references and OpenAPI's JSON Schema find into sentences that say where the
 * fault is, and what to write instead.
 *
 * OpenAPI's JSON Schema says in most places "this, or a reference to it". If an author writes `requried:
 * true` in a parameter, Ajv reports three errors: there is an unknown member, there is no `$ref`, and none of
 * the two forms fits. Only the first one helps. So `schemaFaults` leaves out the errors of the choice itself
 * and of references that nobody has written, merges the lists of allowed values, and passes over an unknown
 * member if another error is deeper. What is left is `"requried" has no meaning here: correct its name, take
 * it away, or begin its name with "x-".`, with the line and the column.
 */
import { ContractError } from '../../../src/schema/contract-error.js';
import { type Path, pathOf, pathOfReference, valueAt } from '../../../src/schema/json-pointer.js';
import { nearestTo } from './nearest.js';
import { isReference, nodesWithData } from './nodes.js';

type PlaceOf = (path: Path) => string;

const yamlHints: Readonly<Record<string, string>> = {
  BAD_DIRECTIVE: 'take this line away',
  BAD_INDENT: 'indent it like its neighbours, with spaces',
  BLOCK_AS_IMPLICIT_KEY: 'put a nested map on lines of its own, or quote a text that has ": " in it',
  DUPLICATE_KEY: 'keep one of the two',
  MISSING_CHAR: 'close the quote or bracket, and put a space after ":" and "-"',
  MULTILINE_IMPLICIT_KEY: 'a ":" after the key is missing, or a bracket or quote before it is open',
  NON_STRING_KEY: 'write each key as a text',
  TAB_AS_INDENT: 'write spaces',
  TAG_RESOLVE_FAILED: 'take the tag away',
  UNEXPECTED_TOKEN: 'quote the text if it begins with one of *&!|>%@`{[',
};

/** @returns a sentence for a fault of the YAML parser, with what to do about it */
export function yamlFault({ code, message }: { readonly code: string; readonly message: string }): string {
  const hint = yamlHints[code];
  return hint === undefined ? `${message}.` : `${message}: ${hint}.`;
}

/**
 * Refuses references that lead nowhere. It looks at those in data, too: swagger-parser, by which the glue
 * reads the document, resolves every `$ref`, also in an example or an extension.
 *
 * @throws {ContractError} if a reference leads nowhere, or into another file
 */
export function refuseDeadReferences(document: object, place: PlaceOf): void {
  const faults: string[] = [];
  for (const [path, node] of nodesWithData(document)) {
    if (!isReference(node)) continue;
    const at = place([...path, '$ref']);
    if (!node.$ref.startsWith('#')) {
      faults.push(
        `${at}: another file is not read: bundle all files into one, such as by Redocly's "bundle".`,
      );
    } else {
      const target = pathOfReference(node.$ref);
      if (valueAt(document, target) === undefined)
        faults.push(`${at}: ${deadReference(document, target, node.$ref)}`);
    }
  }
  if (faults.length > 0) throw new ContractError(faults);
}

function deadReference(document: unknown, target: readonly string[], written: string): string {
  const siblings = valueAt(document, target.slice(0, -1));
  const names = typeof siblings === 'object' && siblings !== null ? Object.keys(siblings) : [];
  const nearest = nearestTo(target.at(-1) ?? '', names);
  const instead = names.length === 0 ? 'add it' : `write one of ${nearest.join(', ')}, or add it`;
  return `there is no ${written}: ${instead}.`;
}

interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/**
 * Picks the errors that help an author, and writes a sentence for each. If a value may have several forms,
 * Ajv reports what each of them misses, and then the choice itself: one wrong word can be ten errors.
 *
 * @param errors all that are wrong with the document, its references resolved
 * @param document the document as it is written, for the place of each error
 * @returns sentences, each with its place at the beginning
 */
export function schemaFaults(errors: readonly SchemaError[], document: unknown, place: PlaceOf): string[] {
  const telling = errors.filter(
    (error) =>
      !['oneOf', 'anyOf', 'if', 'not'].includes(error.keyword) &&
      error.params['missingProperty'] !== '$ref' &&
      !isContentBesideSchema(error, errors),
  );
  // If no error is left, two forms match at once, or exclude each other.
  const excluding = errors.filter(({ keyword, params }) => keyword === 'not' || params['passingSchemas']);
  const found = withOneEnumEach(telling.length > 0 ? telling : excluding).map((error) => {
    const path = withoutReferences(document, pathOf(error.instancePath));
    return { path, depth: path.length, ...sentenceOf(error, valueAt(document, path)) };
  });
  // An unknown member says nothing if another error is deeper: it may belong to another form.
  const told = found.filter(
    ({ path, unknown }) => !unknown || found.every((other) => other.unknown || !isWithin(other.path, path)),
  );
  return [
    ...new Set(
      told.map(
        ({ path, key, sentence }) => `${place(key === undefined ? path : [...path, key])}: ${sentence}`,
      ),
    ),
  ];
}

/**
 * @returns whether both "schema" and "content" are missing. A parameter needs one of them, and the schema is
 * the usual one.
 */
function isContentBesideSchema(error: SchemaError, errors: readonly SchemaError[]): boolean {
  return (
    error.params['missingProperty'] === 'content' &&
    errors.some(
      ({ instancePath, params }) =>
        instancePath === error.instancePath && params['missingProperty'] === 'schema',
    )
  );
}

/** Merges the errors of several forms that each report the values of their own `enum`. */
function withOneEnumEach(errors: readonly SchemaError[]): SchemaError[] {
  const merged = new Map<string, SchemaError>();
  for (const error of errors) {
    const key = error.keyword === 'enum' ? error.instancePath : `${merged.size}`;
    const allowed = [merged.get(key), error].flatMap((each) => each?.params['allowedValues'] ?? []);
    merged.set(key, error.keyword === 'enum' ? { ...error, params: { allowedValues: allowed } } : error);
  }
  return [...merged.values()];
}

function isWithin(inner: Path, outer: Path): boolean {
  return outer.every((key, index) => inner[index] === key);
}

function sentenceOf(
  { keyword, params, message = 'is not valid' }: SchemaError,
  value: unknown,
): { sentence: string; key?: string; unknown?: boolean } {
  const list = (values: unknown) => [values].flat().map(String);
  switch (keyword) {
    case 'additionalProperties': {
      const key = String(params['additionalProperty']);
      const instead = 'correct its name, take it away, or begin its name with "x-"';
      return { key, unknown: true, sentence: `"${key}" has no meaning here: ${instead}.` };
    }
    case 'required':
      return { sentence: `"${params['missingProperty']}" is missing: add it.` };
    case 'enum': {
      const allowed = list(params['allowedValues']).join(', ');
      return { sentence: `${JSON.stringify(value)} is not allowed here: write one of ${allowed}.` };
    }
    case 'type':
      return {
        sentence: `${JSON.stringify(value)} is of the wrong type: write ${list(params['type']).map(article).join(' or ')}.`,
      };
    case 'minItems':
      return { sentence: `this list is too short: it needs ${params['limit']} or more items.` };
    case 'minProperties':
      return { sentence: `this map is too small: it needs ${params['limit']} or more members.` };
    case 'not':
    case 'oneOf':
      return { sentence: 'two members here exclude each other: keep one.' };
    default:
      return { sentence: `this ${message}.` };
  }
}

function article(type: string): string {
  const words: Readonly<Record<string, string>> = {
    array: 'a list ("[…]" or "- …")',
    object: 'a map ("key: value")',
  };
  return words[type] ?? `a ${type}`;
}

/**
 * @returns the path in the document as it is written: if it leads through a `$ref`, it goes on at the target
 */
function withoutReferences(document: unknown, path: Path): Path {
  let written: Path = [];
  for (const key of path) {
    written = [...written, key];
    for (;;) {
      const node = valueAt(document, written);
      if (typeof node !== 'object' || node === null || !isReference(node)) break;
      written = pathOfReference(node.$ref);
    }
  }
  return written;
}
