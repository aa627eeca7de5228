/**
 * Decides whether a value fits a schema of JSON Schema 2020-12, to the last digit. The server validates with
 * Ajv and keywords of its own (packages/service/src/schema/schema.ts); this judge shares neither, so that it sees mistakes
 * there.
 *
 * It differs from JSON Schema in two places on purpose. An integer has neither fraction nor exponent, as
 * OpenAPI 3.0 has it. A null that a list of types admits is not looked at further: readers disagree about
 * `type: [string, 'null']` beside an `enum` without null, which people write for `nullable: true`.
 *
 * The cost: each layer of a schema is asked once for each value (layers.ts). A value that is known to fit is
 * not asked again, and each schema remembers what it was asked last. Without that, a chain of 26 schemas, each
 * of which is `oneOf` the next one twice, would ask the last one 67 million times.
 */
import { type Path, pointerTo } from '../../../exact-json/index.js';
import type { Node } from '../document/node.js';
import {
  Decimal,
  fromYaml,
  isArray,
  isObject,
  sameValue,
  show,
  type Value,
  type ValueObject,
} from './json.js';
import { besideNull, goesOtherWay, identityOf, layersOf, namedTypes, namesNull } from './layers.js';
import { lookAlike } from './look-alike.js';
import { patternOf } from './patterns.js';
import { type Complain, checkCount, checkNumber, checkString } from './scalars.js';
import { unevaluatedItems, unevaluatedMembers } from './unevaluated.js';

/** A place in a value that does not fit, with the keyword that says so and its place. */
export interface Violation {
  /** A JSON pointer into the value (RFC 6901). */
  readonly pointer: string;
  readonly keyword: string;
  readonly path: Path;
  readonly message: string;
}

/** The objects and arrays that fit, by their schemas and directions. Values never change. */
const fitting = new WeakMap<object, Map<unknown, Set<string | undefined>>>();

interface Verdict {
  readonly value: Value;
  readonly pointer: string;
  readonly violations: readonly Violation[];
}

/** What each schema was asked last, by its direction. */
const lastVerdicts = new WeakMap<object, Map<string | undefined, Verdict>>();

/**
 * Judges a value.
 *
 * @param pointer the place of the value in the whole one (RFC 6901)
 * @returns everything that does not fit; nothing if the value fits
 */
export function violationsOf(schema: Node, value: Value, pointer = ''): readonly Violation[] {
  const { value: written, direction } = schema;
  if (typeof written !== 'object' || written === null) return judge(schema, value, pointer);
  const ofSchema = lastVerdicts.get(written) ?? new Map<string | undefined, Verdict>();
  const last = ofSchema.get(direction);
  if (last !== undefined && last.value === value) return movedTo(pointer, last);
  const violations = judge(schema, value, pointer);
  lastVerdicts.set(written, ofSchema.set(direction, { value, pointer, violations }));
  return violations;
}

/** The same violations of the same value at another place. */
function movedTo(pointer: string, { violations, pointer: before }: Verdict): readonly Violation[] {
  if (pointer === before) return violations;
  return violations.map((violation) => ({
    ...violation,
    pointer: pointer + violation.pointer.slice(before.length),
  }));
}

function judge(schema: Node, value: Value, pointer: string): readonly Violation[] {
  const isPart = typeof value === 'object' && value !== null;
  const [identity, { direction }] = [identityOf(schema), schema];
  if (isPart && fitting.get(value)?.get(identity)?.has(direction) === true) return [];
  const layers = value === null ? layersForNull(schema) : layersOf(schema);
  const all = layers.flatMap((layer) => violationsOfLayer(layer, value, pointer, schema));
  // Two ways to one schema find the same violation.
  const found = [...new Set(all)];
  if (isPart && found.length === 0) {
    const ofValue = fitting.get(value) ?? new Map<unknown, Set<string | undefined>>();
    ofValue.set(identity, (ofValue.get(identity) ?? new Set()).add(direction));
    fitting.set(value, ofValue);
  }
  return found;
}

/** Whether a value fits a schema. */
function isFit(schema: Node, value: Value): boolean {
  return violationsOf(schema, value).length === 0;
}

/** A null that the schema admits by itself need not fit what else its `allOf` says. */
function layersForNull(schema: Node): readonly Node[] {
  const found = new Map<unknown, Node>();
  const visit = (layer: Node): void => {
    if (found.has(identityOf(layer))) return;
    found.set(identityOf(layer), layer);
    if (!isNullable(layer)) for (const part of layer.list('allOf')) visit(part);
  };
  visit(schema);
  return [...found.values()];
}

/** Whether a list of types, or a choice, admits null. */
function isNullable(layer: Node): boolean {
  return namesNull(layer) && layer.text('type') !== 'null';
}

function violationsOfLayer(schema: Node, value: Value, pointer: string, whole: Node): Violation[] {
  if (schema.value === true) return [];
  const found: Violation[] = [];
  const complain: Complain = (keyword, message) => {
    const path = schema.at(keyword)?.path ?? schema.path;
    found.push({ pointer, keyword, path, message: `${show(value, 60)} ${message}` });
  };
  if (schema.value === false) {
    complain('false', 'is not allowed here');
    return found;
  }
  if (value === null && isNullable(schema)) return [];
  if (!checkType(schema, value, complain)) return found;
  const values = schema.at('enum')?.value;
  if (Array.isArray(values)) {
    const allowed = values.map(fromYaml);
    if (!allowed.some((one) => sameValue(one, value))) {
      const alike = allowed.map((one) => lookAlike(one, value)).find((words) => words !== '');
      complain('enum', `is none of ${show(allowed)}${alike ?? ''}`);
    }
  }
  if (typeof value === 'bigint' || value instanceof Decimal) checkNumber(schema, value, complain);
  else if (typeof value === 'string') checkString(schema, value, complain);
  else if (isArray(value)) found.push(...checkArray(schema, value, pointer, complain));
  else if (isObject(value)) found.push(...checkObject(schema, value, pointer, complain, whole));
  checkBranches(schema, value, complain);
  found.push(...checkCondition(schema, value, pointer));
  return found;
}

function checkBranches(schema: Node, value: Value, complain: Complain): void {
  const not = schema.at('not');
  if (not !== undefined && isFit(not, value)) complain('not', 'fits what it must not fit');
  // Beside null, a choice of two has one alternative, which is a layer (layers.ts).
  const isChoice = (keyword: 'anyOf' | 'oneOf'): boolean =>
    schema.at(keyword) !== undefined && (value === null || besideNull(schema, keyword) === undefined);
  if (isChoice('anyOf') && !schema.list('anyOf').some((branch) => isFit(branch, value))) {
    complain('anyOf', 'fits no branch');
  }
  if (isChoice('oneOf') && schema.list('oneOf').filter((branch) => isFit(branch, value)).length !== 1) {
    complain('oneOf', 'does not fit exactly one branch');
  }
}

function checkCondition(schema: Node, value: Value, pointer: string): readonly Violation[] {
  const condition = schema.at('if');
  const consequence = condition && schema.at(isFit(condition, value) ? 'then' : 'else');
  return consequence === undefined ? [] : violationsOf(consequence, value, pointer);
}

/** An integer has neither fraction nor exponent (JSON Schema Wright-00, section 4.2, as in OpenAPI 3.0). */
function checkType(schema: Node, value: Value, complain: Complain): boolean {
  const types = namedTypes(schema);
  if (types === undefined) return true;
  const actual =
    typeof value === 'bigint'
      ? ['integer', 'number']
      : value instanceof Decimal
        ? ['number']
        : isArray(value)
          ? ['array']
          : value === null
            ? ['null']
            : [typeof value];
  if (types.some((type) => actual.includes(type))) return true;
  complain('type', `is not of type ${types.join(' or ')}`);
  return false;
}

function checkArray(schema: Node, value: readonly Value[], pointer: string, complain: Complain): Violation[] {
  checkCount(schema, value.length, ['minItems', 'maxItems'], 'items', complain);
  if (schema.flag('uniqueItems')) {
    const twice = value.some((item, index) =>
      value.slice(0, index).some((earlier) => sameValue(earlier, item)),
    );
    if (twice) complain('uniqueItems', 'has an item twice');
  }
  checkContained(schema, value, complain);
  const first = schema.list('prefixItems');
  const rest = schema.at('items');
  if (rest?.value === false && value.length > first.length)
    complain('items', `has more than ${first.length} items`);
  const unevaluated = schema.at('unevaluatedItems');
  const unseen = unevaluated === undefined ? [] : unevaluatedItems(schema, value, isFit);
  if (unevaluated?.value === false && unseen.length > 0)
    complain('unevaluatedItems', 'has items that no schema names');
  return [
    ...value.flatMap((item, index) => {
      const node = first[index] ?? (rest?.value === false ? undefined : rest);
      return node === undefined ? [] : violationsOf(node, item, `${pointer}/${index}`);
    }),
    ...(unevaluated === undefined || unevaluated.value === false ? [] : unseen).flatMap((index) =>
      unevaluated === undefined ? [] : violationsOf(unevaluated, value[index] ?? null, `${pointer}/${index}`),
    ),
  ];
}

function checkContained(schema: Node, value: readonly Value[], complain: Complain): void {
  const contained = schema.at('contains');
  if (contained === undefined) return;
  const count = value.filter((item) => isFit(contained, item)).length;
  const [least, most] = [schema.number('minContains') ?? 1, schema.number('maxContains')];
  if (count < least) {
    const keyword = schema.at('minContains') === undefined ? 'contains' : 'minContains';
    complain(keyword, `has ${count} items of "contains", fewer than ${least}`);
  }
  if (most !== undefined && count > most)
    complain('maxContains', `has ${count} items of "contains", more than ${most}`);
}

function checkObject(
  schema: Node,
  value: ValueObject,
  pointer: string,
  complain: Complain,
  whole: Node,
): Violation[] {
  const names = Object.keys(value);
  checkCount(schema, names.length, ['minProperties', 'maxProperties'], 'members', complain);
  for (const required of schema.list('required')) {
    const name = String(required.value);
    if (!Object.hasOwn(value, name) && !goesOtherWay(layersOf(whole), name)) {
      complain('required', `lacks the member "${name}"`);
    }
  }
  checkDependencies(schema, value, complain);
  const nameSchema = schema.at('propertyNames');
  const wrong = nameSchema && names.find((name) => !isFit(nameSchema, name));
  if (wrong !== undefined) complain('propertyNames', `has a member of the wrong name "${wrong}"`);
  return [
    ...names.flatMap((name) => checkMember(schema, value, name, pointer, complain)),
    ...checkUnevaluated(schema, value, pointer, complain),
    ...(schema.at('dependentSchemas')?.members() ?? [])
      .filter(([name]) => Object.hasOwn(value, name))
      .flatMap(([, node]) => violationsOf(node, value, pointer)),
  ];
}

function checkMember(
  schema: Node,
  value: ValueObject,
  name: string,
  pointer: string,
  complain: Complain,
): readonly Violation[] {
  const named = schema.at('properties', name);
  const byPattern = (schema.at('patternProperties')?.members() ?? [])
    .filter(([pattern]) => patternOf(pattern)?.test(name) === true)
    .map(([, node]) => node);
  const nodes = [...(named === undefined ? [] : [named]), ...byPattern];
  const [below, part] = [pointerTo(pointer, name), value[name] ?? null];
  if (nodes.length > 0) return nodes.flatMap((node) => violationsOf(node, part, below));
  const others = schema.at('additionalProperties');
  if (others?.value === false) complain('additionalProperties', `has a member "${name}"`);
  return others === undefined || typeof others.value === 'boolean' ? [] : violationsOf(others, part, below);
}

function checkDependencies(schema: Node, value: ValueObject, complain: Complain): void {
  for (const [name, needed] of schema.at('dependentRequired')?.members() ?? []) {
    if (!Object.hasOwn(value, name)) continue;
    const missing = needed.members().find(([, node]) => !Object.hasOwn(value, String(node.value)));
    if (missing !== undefined)
      complain('dependentRequired', `has "${name}", and lacks the member "${String(missing[1].value)}"`);
  }
}

function checkUnevaluated(
  schema: Node,
  value: ValueObject,
  pointer: string,
  complain: Complain,
): Violation[] {
  const unevaluated = schema.at('unevaluatedProperties');
  if (unevaluated === undefined) return [];
  const names = unevaluatedMembers(schema, value, isFit);
  if (unevaluated.value !== false)
    return names.flatMap((name) => violationsOf(unevaluated, value[name] ?? null, pointerTo(pointer, name)));
  for (const name of names) complain('unevaluatedProperties', `has a member "${name}"`);
  return [];
}
