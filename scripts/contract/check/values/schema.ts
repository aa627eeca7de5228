/**
 * Decides whether a value fits a schema of the YAML, to the last digit. The server validates with Ajv and
 * keywords of its own (src/schema/schema.ts); this judge shares neither, so that it sees mistakes
 * there.
 */
import { pointerTo } from '../../../../src/schema/json-pointer.js';
import { decimal, isMultiple as isMultipleOf } from '../../kit/decimal.js';
import type { Node, YamlPath } from '../document/node.js';
import { isNotOf } from './formats.js';
import { Decimal, isArray, isObject, sameValue, show, type Value, type ValueObject } from './json.js';
import { lookAlike } from './look-alike.js';
import { regExpOf } from './patterns.js';

/** A place in a value that does not fit, with the keyword that says so and its place. */
export interface Misfit {
  /** A JSON pointer into the value (RFC 6901). */
  readonly pointer: string;
  readonly keyword: string;
  readonly path: YamlPath;
  readonly message: string;
}

/** OpenAPI 3.0.3, "Data Types". */
export const integerRanges: ReadonlyMap<string, readonly [bigint, bigint]> = new Map([
  ['int32', [-(2n ** 31n), 2n ** 31n - 1n]],
  ['int64', [-(2n ** 63n), 2n ** 63n - 1n]],
]);

type Complain = (keyword: string, message: string) => void;

/** Returns a schema, and all others that hold for the same value through its `allOf`. */
export function layersOf(schema: Node): Node[] {
  return [schema, ...schema.list('allOf').flatMap(layersOf)];
}

/** Whether one of the layers says that a member is only for the other direction. */
export function goesOtherWay(layers: readonly Node[], name: string): boolean {
  const members = layers.flatMap((layer) => layer.at('properties', name) ?? []).flatMap(layersOf);
  return members.some((member) => member.goesOtherWay);
}

/**
 * Judges a value.
 *
 * @param pointer the place of the value in the whole one (RFC 6901)
 * @param whole the schema that has this one in its `allOf`
 * @returns everything that does not fit; nothing if the value fits
 */
export function misfitsOf(schema: Node, value: Value, pointer = '', whole = schema): Misfit[] {
  const found: Misfit[] = [];
  const complain: Complain = (keyword, message) => {
    const path = schema.at(keyword)?.path ?? schema.path;
    found.push({ pointer, keyword, path, message: `${show(value, 60)} ${message}` });
  };
  if (value === null && schema.flag('nullable')) return [];
  if (!checkType(schema, value, complain)) return found;
  const values = schema.at('enum')?.value;
  if (Array.isArray(values) && !values.some((allowed) => sameValue(allowed, value))) {
    const alike = values.map((allowed) => lookAlike(allowed, value)).find((words) => words !== '');
    complain('enum', `is none of ${show(values)}${alike ?? ''}`);
  }
  if (typeof value === 'bigint' || value instanceof Decimal) checkNumber(schema, value, complain);
  else if (typeof value === 'string') checkString(schema, value, complain);
  else if (isArray(value)) found.push(...checkArray(schema, value, pointer, complain));
  else if (isObject(value)) found.push(...checkObject(schema, value, pointer, complain, whole));
  found.push(...schema.list('allOf').flatMap((part) => misfitsOf(part, value, pointer, whole)));
  checkBranches(schema, value, complain);
  return found;
}

function checkBranches(schema: Node, value: Value, complain: Complain): void {
  const fits = (branch: Node): boolean => misfitsOf(branch, value).length === 0;
  const not = schema.at('not');
  if (not !== undefined && fits(not)) complain('not', 'fits what it must not fit');
  if (schema.at('anyOf') !== undefined && !schema.list('anyOf').some(fits)) {
    complain('anyOf', 'fits no branch');
  }
  if (schema.at('oneOf') !== undefined && schema.list('oneOf').filter(fits).length !== 1) {
    complain('oneOf', 'does not fit exactly one branch');
  }
}

/** An integer has neither fraction nor exponent (JSON Schema Wright-00, section 4.2, as in OpenAPI 3.0). */
function checkType(schema: Node, value: Value, complain: Complain): boolean {
  const type = schema.text('type');
  if (type === undefined) return true;
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
  if (actual.includes(type)) return true;
  complain('type', `is not of type ${type}`);
  return false;
}

function checkNumber(schema: Node, value: bigint | Decimal, complain: Complain): void {
  // JavaScript compares a bigint with a number exactly.
  const number = value instanceof Decimal ? Number(value.text) : value;
  const range = integerRanges.get(schema.text('format') ?? '');
  if (range !== undefined && (number < range[0] || number > range[1])) {
    complain('format', `is no ${schema.text('format')}`);
  }
  const [minimum, maximum, step] = ['minimum', 'maximum', 'multipleOf'].map((key) => schema.number(key));
  if (minimum !== undefined && number < minimum) complain('minimum', `is less than ${minimum}`);
  if (maximum !== undefined && number > maximum) complain('maximum', `is more than ${maximum}`);
  if (number === minimum && schema.flag('exclusiveMinimum')) {
    complain('exclusiveMinimum', `is not more than ${minimum}`);
  }
  if (number === maximum && schema.flag('exclusiveMaximum')) {
    complain('exclusiveMaximum', `is not less than ${maximum}`);
  }
  if (step !== undefined && !isMultiple(value, step)) complain('multipleOf', `is no multiple of ${step}`);
}

/** Longer exponents have no use, and would not fit into memory when written out. */
const maxExponent = 400;

/** Doubles do not know that 0.3 is a multiple of 0.1. */
function isMultiple(value: bigint | Decimal, step: bigint | number): boolean {
  const text = value instanceof Decimal ? value.text : String(value);
  const [, exponent = '0'] = /e([+-]?[0-9]+)$/i.exec(text) ?? [];
  if (Math.abs(Number(exponent)) > maxExponent) return true;
  return isMultipleOf(decimal(text), decimal(String(step)));
}

function checkString(schema: Node, value: string, complain: Complain): void {
  // JSON Schema counts code points, as RFC 8259 defines characters.
  const length = [...value].length;
  checkCount(schema, length, ['minLength', 'maxLength'], 'characters', complain);
  const pattern = schema.text('pattern');
  if (pattern !== undefined && regExpOf(pattern)?.test(value) === false) {
    complain('pattern', `does not match ${pattern}`);
  }
  const format = schema.text('format');
  if (format !== undefined && isNotOf(format, value)) {
    complain('format', `is no ${format}`);
  }
}

function checkCount(
  schema: Node,
  count: number,
  [least, most]: readonly [string, string],
  unit: string,
  complain: Complain,
): void {
  const [minimum, maximum] = [schema.number(least), schema.number(most)];
  if (minimum !== undefined && count < minimum)
    complain(least, `has ${count} ${unit}, fewer than ${minimum}`);
  if (maximum !== undefined && count > maximum) complain(most, `has ${count} ${unit}, more than ${maximum}`);
}

function checkArray(schema: Node, value: readonly Value[], pointer: string, complain: Complain): Misfit[] {
  checkCount(schema, value.length, ['minItems', 'maxItems'], 'items', complain);
  if (schema.flag('uniqueItems')) {
    const twice = value.some((item, index) =>
      value.slice(0, index).some((earlier) => sameValue(earlier, item)),
    );
    if (twice) complain('uniqueItems', 'has an item twice');
  }
  const items = schema.at('items');
  return items === undefined
    ? []
    : value.flatMap((item, index) => misfitsOf(items, item, `${pointer}/${index}`));
}

function checkObject(
  schema: Node,
  value: ValueObject,
  pointer: string,
  complain: Complain,
  whole: Node,
): Misfit[] {
  const names = Object.keys(value);
  checkCount(schema, names.length, ['minProperties', 'maxProperties'], 'members', complain);
  for (const required of schema.list('required')) {
    const name = String(required.value);
    if (!names.includes(name) && !goesOtherWay(layersOf(whole), name)) {
      complain('required', `lacks the member "${name}"`);
    }
  }
  const others = schema.at('additionalProperties');
  return names.flatMap((name) => {
    const member = schema.at('properties', name);
    const below = pointerTo(pointer, name);
    const part = value[name] ?? null;
    if (member !== undefined) return misfitsOf(member, part, below);
    if (others?.value === false) complain('additionalProperties', `has a member "${name}"`);
    return others === undefined || typeof others.value === 'boolean' ? [] : misfitsOf(others, part, below);
  });
}
