/**
 * Turns what a published schema has against a document into sentences that say where the fault is, and what
 * to write instead.
 *
 * The schemas say in most places "this, or a reference to it". If an author writes `requried: true` in a
 * parameter of 3.0, Ajv reports three errors: there is an unknown member, there is no `$ref`, and none of the
 * two forms fits. Only the first one helps. So `schemaFaults` leaves out the errors of the choice itself and
 * of references that nobody has written, merges the lists of allowed values, and passes over an unknown
 * member if another error is deeper. What is left is `"requried" has no meaning here: correct its name, take
 * it away, or begin its name with "x-".`, with the line and the column.
 */
import { type Path, pathOf, valueAt } from '../../../src/schema/json-pointer.js';

type PlaceOf = (path: Path) => string;

export interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/**
 * Picks the errors that help an author, and writes a sentence for each. If a value may have several forms,
 * Ajv reports what each of them misses, and then the choice itself: one wrong word can be ten errors.
 *
 * @param errors all that are wrong with the value
 * @param path where the value stands in the document
 * @returns sentences, each with its place at the beginning
 */
export function schemaFaults(
  errors: readonly SchemaError[],
  value: unknown,
  path: Path,
  place: PlaceOf,
): string[] {
  const told = tellingErrors(errors).map((error) => {
    const below = pathOf(error.instancePath);
    return { path: [...path, ...below], ...sentenceOf(error, valueAt(value, below)) };
  });
  // An unknown member says nothing if another error is deeper: it may belong to another form.
  const kept = told.filter(
    ({ path, unknown }) => !unknown || told.every((other) => other.unknown || !isWithin(other.path, path)),
  );
  return [
    ...new Set(
      kept.map(
        ({ path, key, sentence }) => `${place(key === undefined ? path : [...path, key])}: ${sentence}`,
      ),
    ),
  ];
}

/** These only say that something within them is wrong, which another error says better. */
const choices: ReadonlySet<string> = new Set([
  'oneOf',
  'anyOf',
  'if',
  'not',
  'propertyNames',
  'false schema',
]);

function tellingErrors(errors: readonly SchemaError[]): readonly SchemaError[] {
  const telling = errors.filter(
    (error) =>
      !choices.has(error.keyword) &&
      error.params['missingProperty'] !== '$ref' &&
      !isContentBesideSchema(error, errors),
  );
  // If no error is left, two forms match at once, or exclude each other.
  const excluding = errors.filter(({ keyword, params }) => keyword === 'not' || params['passingSchemas']);
  const left = errors.filter(({ keyword }) => keyword !== 'if');
  return withOneEnumEach([telling, excluding, left].find((some) => some.length > 0) ?? []);
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
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const key = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
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
        sentence: `${shown(value)} is of the wrong type: write ${list(params['type']).map(article).join(' or ')}.`,
      };
    case 'minItems':
      return { sentence: `this list is too short: it needs ${params['limit']} or more items.` };
    case 'minProperties':
      return { sentence: `this map is too small: it needs ${params['limit']} or more members.` };
    case 'const':
      return {
        sentence: `${JSON.stringify(value)} is not allowed here: write ${String(params['allowedValue'])}.`,
      };
    case 'false schema':
      return { sentence: 'this excludes a member beside it: keep one of them.' };
    case 'propertyNames':
      return { sentence: `"${params['propertyName']}" is not allowed as a name here: choose another.` };
    case 'contains':
      return {
        sentence: `this list has ${params['maxContains'] === undefined ? 'too few' : 'too many'} of one kind.`,
      };
    case 'not':
    case 'oneOf':
      return { sentence: 'two members here exclude each other: keep one.' };
    default:
      return { sentence: `this ${message}.` };
  }
}

/** A long value would hide the sentence. */
function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function article(type: string): string {
  const words: Readonly<Record<string, string>> = {
    array: 'a list ("[…]" or "- …")',
    object: 'a map ("key: value")',
  };
  return words[type] ?? `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}
