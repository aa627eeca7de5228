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
import { type Path, pathOf, pointerOf, valueAt } from '../../../src/schema/json-pointer.js';

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
  const told = withoutOtherForms(tellingErrors(errors), value).map((error) => {
    const below = pathOf(error.instancePath);
    return { path: [...path, ...below], ...sentenceOf(error, valueAt(value, below)) };
  });
  // An unknown member says nothing if another error is deeper: it may belong to another form.
  const withDeeper = new Set(told.flatMap(({ path, unknown }) => (unknown ? [] : pointersTo(path))));
  const kept = told.filter(({ path, unknown }) => !unknown || !withDeeper.has(pointerOf(path)));
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

/**
 * Keeps what is said of the form that the author has written, if a value may be a text of a list or have
 * another type, such as `type` in 3.1: `type: strng` is no list, and `type: [strng]` has a wrong item.
 */
function withoutOtherForms(errors: readonly SchemaError[], value: unknown): readonly SchemaError[] {
  const pathsWith = (keyword: string): ReadonlySet<string> =>
    new Set(errors.filter((error) => error.keyword === keyword).map(({ instancePath }) => instancePath));
  const [withEnum, withType] = [pathsWith('enum'), pathsWith('type')];
  const withDeeper = new Set(
    errors.flatMap(({ instancePath }) => pointersTo(pathOf(instancePath).slice(0, -1))),
  );
  return errors.filter(({ keyword, instancePath }) => {
    const written = valueAt(value, pathOf(instancePath));
    const isText = typeof written !== 'object' || written === null;
    if (keyword === 'type') return !(isText && withEnum.has(instancePath));
    return keyword !== 'enum' || isText || !(withType.has(instancePath) || withDeeper.has(instancePath));
  });
}

/** @returns the JSON pointers of a path and of all above it */
function pointersTo(path: Path): string[] {
  return [...path.keys(), path.length].map((length) => pointerOf(path.slice(0, length)));
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
      const allowed = list(params['allowedValues']);
      if (typeof value !== 'string' && allowed.includes(String(value)))
        return { sentence: `${inQuotes(value)}.` };
      return {
        sentence: `${JSON.stringify(value)} is not allowed here: write one of ${allowed.join(', ')}.`,
      };
    }
    case 'type':
      return { sentence: `${wrongType(value, list(params['type']))}.` };
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

function wrongType(value: unknown, types: readonly string[]): string {
  const isScalar = typeof value === 'number' || typeof value === 'boolean';
  if (isScalar && types.includes('string')) return inQuotes(value);
  const without = typeof value === 'string' ? scalarIn(value) : undefined;
  const isMeant = types.some(
    (type) => type === typeof without || (type === 'integer' && Number.isInteger(without)),
  );
  const instead = isMeant ? `take the quotes away` : `write ${types.map(article).join(' or ')}`;
  return `${shown(value)} is of the wrong type: ${instead}`;
}

/** The author may not know that YAML reads `1.0` and `012` as numbers, and `null` as nothing. */
function inQuotes(value: unknown): string {
  const type = value === null ? '' : `the ${typeof value} `;
  return `this is read as ${type}${value}: write it in quotes`;
}

/** @returns the number or boolean that a text is without its quotes */
function scalarIn(text: string): unknown {
  return /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/.test(text) ? JSON.parse(text) : undefined;
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
