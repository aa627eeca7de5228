/**
 * Compares what a request sent with what an answer shows of it, as far as the document promises that the two
 * are the same.
 *
 * No document says that an answer shows what was sent: the checker infers it, because both schemas name the
 * member. The document may contradict that. A create may take `labels: ["bug"]` and show `labels: [{ "name":
 * "bug" }]`, take `owner: 5` and show `{ "id": 5 }`, or take `price: 1` and show `"1"`. So two values are
 * compared only as far as the two schemas have values in common, place by place:
 *
 * 1. If the answer's schema does not allow what was sent, a correct server has to show something else.
 * 2. If the request's schema allows no value of the JSON type that is shown, such as the object that `oneOf:
 *    [integer, object]` allows beside the id, then the answer shows the value in another form.
 *
 * In both cases the place is left out, and `uncompared` names it, so that the report can say so. Everything
 * around it is compared. Equality is that of the schemas: a member that may be null may as well be absent, a
 * `float` has single precision, and an instant has several spellings.
 */
import type { Node } from '../../document/node.js';
import { Decimal, isArray, isObject, sameValue, type Value } from '../../values/json.js';
import {
  allLayersOf,
  branchesOf,
  identityOf,
  itemSchemas,
  layersOf,
  namedTypes,
  namesNull,
} from '../../values/layers.js';
import { violationsOf } from '../../values/schema.js';
import { membersOf } from '../../values/sites.js';
import { fits } from '../../values/valid-values.js';

interface Comparison {
  readonly differs: boolean;
  /** The places that were not compared: the names of members that lead there, such as `owner/name`. */
  readonly uncompared: readonly string[];
}

/** A value, and all schemas that hold for it in its direction. */
interface Side {
  readonly schemas: readonly Node[];
  /** Undefined if the member is absent. */
  readonly value: Value | undefined;
  /** Whether the object around must have it. */
  readonly isRequired?: boolean;
}

interface Options {
  /** Whether a member that was not sent must be absent, null or its default. */
  readonly judgesUnsent: boolean;
}

/** @param place the names of members that lead to the two values */
export function compare(sent: Side, shown: Side, options: Options, place: string): Comparison {
  const [a, b] = [sent.value, shown.value];
  // A server may fill in what it was not sent.
  if (a === undefined) return verdict(options.judgesUnsent && !mayStandForNothing(sent, shown));
  if (a === null && b === undefined) return verdict(false);
  if (isObject(a) && isObject(b)) return compareObjects(sent, shown, options, place);
  if (isArray(a) && isArray(b)) return compareArrays(sent, shown, options, place);
  if (!canShow(shown.schemas, a) || !isOfTypeOf(sent.schemas, b)) return uncomparedAt(place);
  return verdict(b === undefined || !sameScalar([...layersAt(sent), ...layersAt(shown)], a, b));
}

function verdict(differs: boolean): Comparison {
  return { differs, uncompared: [] };
}

function uncomparedAt(place: string): Comparison {
  return { differs: false, uncompared: [place] };
}

function together(comparisons: readonly Comparison[]): Comparison {
  return {
    differs: comparisons.some(({ differs }) => differs),
    uncompared: comparisons.flatMap(({ uncompared }) => uncompared),
  };
}

/**
 * Whether what is shown can stand for a value that was not sent: null, its default, an object of such members, or
 * anything if the answer must have the member, and it cannot be null.
 */
function mayStandForNothing(sent: Side, shown: Side): boolean {
  if (shown.isRequired === true && !fits(shown.schemas, null)) return true;
  const layers = [...layersAt(sent), ...layersAt(shown)];
  if (shown.value === undefined || layers.some((layer) => layer.at('default') !== undefined)) return true;
  if (shown.value === null) return layers.some(namesNull);
  return isObject(shown.value) && hasOnlyDefaults(sent, shown);
}

/** Whether each member of an object that was not sent is one that a server fills in, such as a default. */
function hasOnlyDefaults(sent: Side, shown: Side): boolean {
  const [taken, given] = [membersAt(sent), membersAt(shown)];
  return (
    given.values.size > 0 &&
    [...given.values].every(([name, value]) => {
      const [ofSent = [], ofShown = []] = [taken.schemasOf(name), given.schemasOf(name)];
      // What a client cannot send, such as a readOnly member, is the server's own.
      return (
        ofSent.length === 0 ||
        ofSent.flatMap(layersOf).some((schema) => schema.flag('readOnly')) ||
        mayStandForNothing(
          { schemas: ofSent, value: undefined },
          { schemas: ofShown, value, isRequired: given.requires(name) },
        )
      );
    })
  );
}

/**
 * Compares the members that both schemas name. A member that a schema does not name is ignored, as JSON
 * Schema does, unless the schema names none at all: then it is open, and keeps everything.
 */
function compareObjects(sent: Side, shown: Side, options: Options, place: string): Comparison {
  const [a, b] = [membersAt(sent), membersAt(shown)];
  const names = [...new Set([...a.values.keys(), ...b.values.keys()])];
  return together(
    names.flatMap((name) => {
      const [taken, given] = [a.schemasOf(name), b.schemasOf(name)];
      if (taken === undefined || given === undefined) return [];
      const [mine, theirs] = [a.values.get(name), b.values.get(name)];
      // In a map of any names, one more name is another value.
      if (a.isOpen && b.isOpen && mine === undefined) return [verdict(true)];
      const below = { schemas: given, value: theirs, isRequired: b.requires(name) };
      return [compare({ schemas: taken, value: mine }, below, options, `${place}/${name}`)];
    }),
  );
}

interface Members {
  readonly values: ReadonlyMap<string, Value>;
  readonly isOpen: boolean;
  /** The schemas of a member; undefined if it takes no part in the comparison. */
  schemasOf(name: string): readonly Node[] | undefined;
  requires(name: string): boolean;
}

function membersAt(side: Side): Members {
  const layers = layersAt(side);
  const named = new Map(membersOf(layers).map((member) => [member.name, member]));
  const others = layers
    .flatMap((layer) => layer.at('additionalProperties') ?? [])
    .filter(({ value }) => typeof value === 'object');
  const isOpen = layers.every((layer) => layer.at('properties') === undefined);
  return {
    values: new Map(Object.entries(isObject(side.value) ? side.value : {})),
    isOpen,
    schemasOf(name) {
      const schemas = named.get(name)?.schemas;
      if (schemas === undefined) return isOpen ? others : undefined;
      return schemas.flatMap(layersOf).some((schema) => schema.flag('writeOnly')) ? undefined : schemas;
    },
    requires: (name) => named.get(name)?.required === true,
  };
}

function compareArrays(sent: Side, shown: Side, options: Options, place: string): Comparison {
  const [mine, theirs] = [elementsOf(sent), elementsOf(shown)];
  const [taken, given] = [itemsAt(sent), itemsAt(shown)];
  if (mine.length !== theirs.length) {
    const haveInCommon =
      mine.every((item) => canShow(given, item)) && theirs.every((item) => isOfTypeOf(taken, item));
    return haveInCommon ? verdict(true) : uncomparedAt(place);
  }
  return together(
    mine.map((item, index) =>
      compare({ schemas: taken, value: item }, { schemas: given, value: theirs[index] }, options, place),
    ),
  );
}

function elementsOf({ value }: Side): readonly Value[] {
  return isArray(value) ? value : [];
}

function itemsAt(side: Side): Node[] {
  return itemSchemas(layersAt(side), 0);
}

/** All schemas that hold for a value, with the branches of `oneOf` and `anyOf` that it fits. */
function layersAt({ schemas, value }: Side): readonly Node[] {
  const found = new Map<unknown, Node>();
  const visit = (layer: Node): void => {
    if (found.has(identityOf(layer))) return;
    found.set(identityOf(layer), layer);
    for (const branch of branchesOf(layer))
      if (value !== undefined && violationsOf(branch, value).length === 0) layersOf(branch).forEach(visit);
  };
  allLayersOf(schemas).forEach(visit);
  return [...found.values()];
}

/** Whether an answer may show a value as it was sent. Of an object or an array, each part is asked apart. */
function canShow(schemas: readonly Node[], sent: Value): boolean {
  return isObject(sent) || isArray(sent) ? isOfTypeOf(schemas, sent) : fits(schemas, sent);
}

/** Whether the schemas allow some value of the JSON type that this one has; null and nothing are of each. */
function isOfTypeOf(
  schemas: readonly Node[],
  value: Value | undefined,
  known = new Map<unknown, boolean>(),
): boolean {
  if (value === null || value === undefined) return true;
  return allLayersOf(schemas).every((layer) => {
    const before = known.get(identityOf(layer));
    if (before !== undefined) return before;
    // A schema that leads back to itself says nothing more there.
    known.set(identityOf(layer), true);
    const branches = branchesOf(layer);
    const types = namedTypes(layer);
    const isOwn =
      types === undefined ||
      types.includes(typeNameOf(value)) ||
      (types.includes('integer') && isNumber(value));
    const isAllowed =
      isOwn && (branches.length === 0 || branches.some((branch) => isOfTypeOf([branch], value, known)));
    known.set(identityOf(layer), isAllowed);
    return isAllowed;
  });
}

function typeNameOf(value: Value): string {
  if (isNumber(value)) return 'number';
  return isArray(value) ? 'array' : typeof value;
}

function isNumber(value: Value): value is bigint | Decimal {
  return typeof value === 'bigint' || value instanceof Decimal;
}

/**
 * Compares two values of the schemas. Integers are compared to the last digit, and other numbers as doubles or
 * floats, because a server may keep them so (RFC 8259, section 6).
 */
export function sameScalar(layers: readonly Node[], a: Value, b: Value): boolean {
  if (isNumber(a) && isNumber(b) && layers.some((layer) => namedTypes(layer)?.includes('number') === true)) {
    const [mine, theirs] = [numberOf(a), numberOf(b)];
    const isSingle = layers.some((layer) => layer.text('format') === 'float');
    return mine === theirs || (isSingle && Math.fround(mine) === Math.fround(theirs));
  }
  const isMoment = layers.some((layer) => layer.text('format') === 'date-time');
  return sameValue(a, b) || (isMoment && sameInstant(a, b));
}

function numberOf(value: bigint | Decimal): number {
  return Number(value instanceof Decimal ? value.text : value);
}

/** RFC 3339, section 5.6: an instant has several spellings, with or without a fraction, "Z" or "+00:00". */
function sameInstant(a: Value, b: Value): boolean {
  return typeof a === 'string' && typeof b === 'string' && Date.parse(a) === Date.parse(b);
}
