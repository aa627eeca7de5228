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
import { type Path, pathOf, pointerOf, valueAt } from '../../../exact-json/index.js';
import { type SchemaError, sentenceOf } from './fault-sentences.js';

type PlaceOf = (path: Path) => string;

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
  const pointersWithFaults = new Set(told.flatMap(({ path }) => pointersTo(path)));
  // An unknown member says nothing if another error is deeper: it may belong to another form.
  const withDeeper = new Set(told.flatMap(({ path, unknown }) => (unknown ? [] : pointersTo(path))));
  // OpenAPI's schemas call all members of an object unknown if one of them is wrong within.
  const doubtful = new Set(
    told.flatMap(({ path, key, unknown }) => {
      const within = pointerOf(key === undefined ? path : [...path, key]);
      return unknown && pointersWithFaults.has(within) ? [pointerOf(path)] : [];
    }),
  );
  const kept = told.filter(
    ({ path, unknown }) => !unknown || !(withDeeper.has(pointerOf(path)) || doubtful.has(pointerOf(path))),
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
  // A parameter needs "schema" or "content". If both are missing, the schema is the usual one.
  const withoutSchema = pointersOf(errors, ({ params }) => params['missingProperty'] === 'schema');
  const telling = errors.filter(
    ({ keyword, propertyName, instancePath, params }) =>
      (!choices.has(keyword) || propertyName !== undefined) &&
      params['missingProperty'] !== '$ref' &&
      !(params['missingProperty'] === 'content' && withoutSchema.has(instancePath)),
  );
  // If no error is left, two forms match at once, or exclude each other.
  const isNot = ({ keyword }: SchemaError): boolean => keyword === 'not';
  const not = errors.filter(isNot);
  const withNot = pointersOf(errors, isNot);
  const bothForms = errors.filter(
    ({ instancePath, params }) => params['passingSchemas'] && !withNot.has(instancePath),
  );
  const excluding = [...not, ...bothForms];
  const left = errors.filter(({ keyword }) => keyword !== 'if');
  const told = [telling, excluding, left].find((some) => some.length > 0) ?? [];
  return withOneEnumEach(withOneChoiceEach(withoutEmptyResponses(told)));
}

/**
 * A map of answers without a status lacks "default", is too small, or has a name that is none. Only the last
 * of these helps, and of the others one is enough.
 */
function withoutEmptyResponses(errors: readonly SchemaError[]): readonly SchemaError[] {
  const lacksDefault = ({ params, schemaPath }: SchemaError): boolean =>
    params['missingProperty'] === 'default' && schemaPath?.endsWith('/then/required') === true;
  const withUnknown = pointersOf(errors, ({ keyword }) => keyword === 'unevaluatedProperties');
  const withoutDefault = pointersOf(errors, lacksDefault);
  return errors.filter((error) => {
    if (lacksDefault(error)) return !withUnknown.has(error.instancePath);
    return error.keyword !== 'minProperties' || !withoutDefault.has(error.instancePath);
  });
}

/** Merges the errors of `anyOf` that each ask for another member: one of them is enough. */
function withOneChoiceEach(errors: readonly SchemaError[]): readonly SchemaError[] {
  const merged = new Map<string, SchemaError>();
  for (const error of errors) {
    const [choice] = /^.*\/anyOf(?=\/\d+\/required$)/.exec(error.schemaPath ?? '') ?? [];
    const key = choice === undefined ? `${merged.size}` : `${error.instancePath} ${choice}`;
    const earlier = merged.get(key);
    const names = [earlier, error].flatMap((one) => one?.params['missingProperty'] ?? []);
    merged.set(key, earlier === undefined ? error : { ...error, params: { missingProperty: names } });
  }
  return [...merged.values()];
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
  const withEnum = pointersOf(errors, ({ keyword }) => keyword === 'enum');
  const withType = pointersOf(errors, ({ keyword }) => keyword === 'type');
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

/**
 * A document can have an error at each of 10,000 operations, so none looks through all errors.
 *
 * @returns the JSON pointers at which some error is like this
 */
function pointersOf(
  errors: readonly SchemaError[],
  isLike: (error: SchemaError) => boolean,
): ReadonlySet<string> {
  return new Set(errors.filter(isLike).map(({ instancePath }) => instancePath));
}

/** @returns the JSON pointers of a path and of all above it */
function pointersTo(path: Path): string[] {
  return [...path.keys(), path.length].map((length) => pointerOf(path.slice(0, length)));
}
