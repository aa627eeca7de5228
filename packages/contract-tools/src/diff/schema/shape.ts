/**
 * A schema with its references and its `allOf` resolved, so that two ways to write the same schema have the
 * same shape.
 */
import { exactJson, isMap, pointerOf } from '../../../../exact-json/index.js';
import { type Decimal, decimal, leastCommonMultiple } from '../../base/decimal.js';
import type { Node } from '../../document/node.js';
import { type At, below, digitsOf } from '../values.js';
import { boundsOf } from './bounds.js';
import { applicators, isRestricted, keywordsOf, lonesOf, serviceOf } from './parts.js';
import type { Schemas, Shape } from './shape-types.js';
import { nullPlaceOf, typesOf } from './types.js';

/** The shapes of single schemas, by their values, and by where these are used. */
const known = new WeakMap<object, Map<string, Shape>>();

/**
 * Returns the shape of schemas that must all hold. That of a single one is made once, because each operation
 * that uses it asks for it, and so does each alternative that it is compared with.
 *
 * @throws {TypeError} if there is no schema
 */
export function shapeOf(schemas: Schemas): Shape {
  const [only, ...more] = schemas;
  if (only === undefined || more.length > 0 || !isMap(only.value)) return newShape(schemas);
  const use = pointerOf(only.entry);
  const found = known.get(only.value)?.get(use);
  if (found !== undefined) return found;
  const shape = newShape(schemas);
  known.set(only.value, (known.get(only.value) ?? new Map<string, Shape>()).set(use, shape));
  return shape;
}

function newShape(schemas: Schemas): Shape {
  const parts = serviceOf(schemas);
  const [first] = parts;
  if (first === undefined) throw new TypeError('A shape needs a schema.');
  const having = (key: string) => parts.flatMap((part) => part.at(key) ?? []);
  const texts = (key: string) => having(key).map((at) => ({ value: String(at.value), at }));
  const lones = parts.flatMap((part) => lonesOf(part));
  const isLone = (list: Node): boolean => lones.some((lone) => lone.list.key === list.key);
  const choices = ['oneOf', 'anyOf']
    .flatMap(having)
    .filter((list) => list.members().length > 0 && !isLone(list));
  const isChoiceOnly = parts.flatMap(keywordsOf).every((key) => applicators.includes(key));
  return {
    schemas,
    parts,
    node: first,
    types: typesOf(schemas, parts),
    nullAt: nullPlaceOf(parts),
    bounds: boundsOf(parts),
    multipleOf: multipleOf(parts),
    values: valuesOf(parts),
    // An empty pattern fits every text.
    patterns: texts('pattern').filter(({ value }) => value !== ''),
    formats: [
      // The format `password` only asks a form to hide what is typed (OpenAPI 3.0.3, Data Types).
      ...texts('format').filter(({ value }) => value !== 'password'),
      ...texts('contentEncoding').map(({ value, at }) => ({ value: formatOfEncoding(value), at })),
    ],
    unique: having('uniqueItems').find(({ value }) => value === true) ?? having('uniqueItems')[0],
    ...membersOf(parts),
    required: new Map(
      having('required').flatMap((list) => below(list).map(({ value }) => [String(value), list])),
    ),
    choices,
    isMereChoice: choices.length === 1 && isChoiceOnly && lones.every(({ nullAt }) => nullAt === undefined),
    nots: having('not'),
    discriminator: having('discriminator')[0],
    whole: new Map(['xml', 'default'].flatMap((key) => wholeOf(parts, key))),
  };
}

/** What OpenAPI 3.0 calls the format `byte` is this encoding in later versions (3.1.0, section 4.8.24). */
function formatOfEncoding(encoding: string): string {
  return encoding === 'base64' ? 'byte' : encoding;
}

function wholeOf(parts: Schemas, key: string): [string, At<string>][] {
  for (const part of parts) {
    const at = part.at(key);
    if (at !== undefined) return [[key, { value: exactJson(at.value), at }]];
  }
  return [];
}

function multipleOf(parts: Schemas): At<Decimal> | undefined {
  return parts.reduce((known: At<Decimal> | undefined, part) => {
    const at = part.at('multipleOf');
    const number = part.number('multipleOf');
    if (at === undefined || number === undefined) return known;
    const own = decimal(digitsOf(number));
    return { value: known === undefined ? own : leastCommonMultiple(known.value, own), at };
  }, undefined);
}

function valuesOf(parts: Schemas): At<readonly string[]> | undefined {
  const besideNull = new Set(
    parts
      .flatMap((part) => lonesOf(part).flatMap((lone) => (lone.nullAt ? serviceOf([lone.schema]) : [])))
      .map(({ key }) => key),
  );
  return parts.reduce((known: At<readonly string[]> | undefined, part) => {
    const at = part.at('enum');
    if (at === undefined) return known;
    const own = new Set(below(at).map(({ value }) => exactJson(value)));
    if (besideNull.has(part.key)) own.add('null');
    return { value: [...own].filter((value) => known?.value.includes(value) ?? true), at };
  }, undefined);
}

/** What a schema of an object says of its members' names and schemas. */
interface Naming {
  readonly named: ReadonlyMap<string, Node>;
  readonly patterns: readonly (readonly [string, Node])[];
  readonly others: Node | undefined;
  /** The schema of members that neither this schema nor one within it names. */
  readonly unevaluated: Node | undefined;
  /** The members that this schema or one within it names, if there is a schema of those that none names. */
  readonly evaluated: ReadonlySet<string>;
  readonly evaluatedPatterns: readonly string[];
}

function membersOf(parts: Schemas): Pick<Shape, 'members' | 'forbidden' | 'patternMembers' | 'others'> {
  const namings = parts.map(namingOf);
  const names = new Set(namings.flatMap(({ named }) => [...named.keys()]));
  const members = new Map<string, Schemas>();
  const forbidden = new Set<string>();
  for (const name of names) {
    // A schema without the member applies its schema for all other members to it.
    const schemas = namings.flatMap((naming) => schemasFor(name, naming));
    if (schemas.some(({ value }) => value === false)) forbidden.add(name);
    else
      members.set(
        name,
        schemas.filter(({ value }) => value !== true),
      );
  }
  const patternMembers = new Map<string, Schemas>();
  for (const [pattern, schema] of namings.flatMap(({ patterns }) => patterns))
    patternMembers.set(pattern, [...(patternMembers.get(pattern) ?? []), schema]);
  const others = namings.flatMap(({ others: own, unevaluated }) => own ?? unevaluated ?? []);
  return {
    members,
    forbidden,
    patternMembers,
    others: {
      closed: others.find((node) => node.value === false),
      schemas: others.filter(isRestricted),
    },
  };
}

function namingOf(schema: Node): Naming {
  const others = schema.at('additionalProperties');
  const within = schema.at('unevaluatedProperties') === undefined ? [] : serviceOf([schema]);
  const isOpen = within.every((part) => part.at('additionalProperties') === undefined);
  return {
    named: new Map(schema.at('properties')?.members()),
    patterns: schema.at('patternProperties')?.members() ?? [],
    others,
    unevaluated: isOpen ? schema.at('unevaluatedProperties') : undefined,
    evaluated: new Set(
      within.flatMap(
        (part) =>
          part
            .at('properties')
            ?.members()
            .map(([name]) => name) ?? [],
      ),
    ),
    evaluatedPatterns: within.flatMap(
      (part) =>
        part
          .at('patternProperties')
          ?.members()
          .map(([name]) => name) ?? [],
    ),
  };
}

function schemasFor(name: string, naming: Naming): Node[] {
  const { named, patterns, others, unevaluated, evaluated, evaluatedPatterns } = naming;
  const own = named.get(name);
  const matching = patterns.filter(([pattern]) => fitsPattern(name, pattern)).map(([, schema]) => schema);
  const found = own === undefined ? matching : [own, ...matching];
  if (found.length > 0) return found;
  if (others !== undefined) return [others];
  const isEvaluated = evaluated.has(name) || evaluatedPatterns.some((pattern) => fitsPattern(name, pattern));
  return unevaluated === undefined || isEvaluated ? [] : [unevaluated];
}

/** Whether a name fits a pattern of `patternProperties`. */
export function fitsPattern(name: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(name);
  } catch {
    // JavaScript does not read it: no client does.
    return false;
  }
}
