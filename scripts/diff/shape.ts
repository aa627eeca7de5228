/**
 * A schema with its references and its `allOf` resolved, so that two ways to write the same schema have the
 * same shape.
 */
import { canonical, isObject } from '../kit/canonical.js';
import { type Bounds, boundsOf } from './bounds.js';
import { type Decimal, decimal, leastCommonMultiple } from './decimal.js';
import { fingerprint } from './fingerprint.js';
import { type At, digitsOf, type Node } from './node.js';
import { type TypeName, typesOf } from './types.js';

/** Schemas that must all hold: those of an `allOf`, or a single one. */
export type Schemas = readonly Node[];

export interface Shape {
  /** The schema of this shape, with references followed. */
  readonly node: Node;
  readonly types: At<ReadonlySet<TypeName>>;
  /** The place of `nullable`, if it is given. */
  readonly nullable: Node | undefined;
  readonly bounds: Bounds;
  readonly multipleOf: At<Decimal> | undefined;
  /** The values by their canonical texts, integers with all their digits. */
  readonly values: At<readonly string[]> | undefined;
  readonly patterns: readonly At<string>[];
  readonly formats: readonly At<string>[];
  readonly unique: Node | undefined;
  readonly items: Schemas;
  readonly members: ReadonlyMap<string, Schemas>;
  readonly required: ReadonlyMap<string, Node>;
  /** Members that no schema names: forbidden (`closed`), or restricted by schemas (if any). */
  readonly others: { readonly closed: Node | undefined; readonly schemas: Schemas };
  /** The schemas of each `oneOf` and `anyOf` with a choice. */
  readonly choices: readonly Node[];
  readonly discriminator: Node | undefined;
  /** Keywords that are compared as a whole: `not`, `xml` and `default`. */
  readonly whole: ReadonlyMap<string, At<string>>;
}

export function shapeOf(schemas: Schemas): Shape {
  const parts = partsOf(schemas);
  const [first] = parts;
  if (first === undefined) throw new TypeError('A shape needs a schema.');
  const having = (key: string) => parts.flatMap((part) => part.get(key) ?? []);
  const texts = (key: string) => having(key).map((at) => ({ value: String(at.value), at }));
  return {
    node: first,
    types: typesOf(parts),
    nullable: having('nullable').find(({ value }) => value === true) ?? having('nullable')[0],
    bounds: boundsOf(parts),
    multipleOf: multipleOf(parts),
    values: valuesOf(parts),
    patterns: texts('pattern'),
    formats: texts('format'),
    unique: having('uniqueItems').find(({ value }) => value === true) ?? having('uniqueItems')[0],
    items: having('items'),
    ...membersOf(parts),
    required: new Map(
      having('required').flatMap((list) => list.children().map(({ value }) => [String(value), list])),
    ),
    choices: ['oneOf', 'anyOf'].flatMap(having).filter((list) => list.children().length > 1),
    discriminator: having('discriminator')[0],
    whole: new Map(['not', 'xml', 'default'].flatMap((key) => wholeOf(parts, key))),
  };
}

/** Whether the shape consists of nothing but one choice. */
export function isMereChoice({ choices: [choice, ...more], node }: Shape): boolean {
  if (choice === undefined || more.length > 0 || !isBare(node)) return false;
  return choice.key === node.get('oneOf')?.key || choice.key === node.get('anyOf')?.key;
}

/** Whether a schema consists of nothing but one list of other schemas. */
export function isBare({ value }: Node): boolean {
  const words = ['description', 'title', 'example', 'deprecated', 'externalDocs', 'discriminator'];
  return isObject(value) && Object.keys(value).filter((key) => !words.includes(key)).length === 1;
}

/** The schemas and, recursively, those in their `allOf`; a choice of one counts as that one. */
function partsOf(schemas: Schemas, seen = new Set<string>()): Node[] {
  return schemas.flatMap((schema) => {
    if (seen.has(schema.key)) return [];
    seen.add(schema.key);
    const lone = ['oneOf', 'anyOf'].flatMap((key) => {
      const branches = schema.get(key)?.children() ?? [];
      return branches.length === 1 ? branches : [];
    });
    return [schema, ...partsOf([...(schema.get('allOf')?.children() ?? []), ...lone], seen)];
  });
}

function wholeOf(parts: Schemas, key: string): [string, At<string>][] {
  for (const part of parts) {
    const at = part.get(key);
    if (at !== undefined) return [[key, { value: part.digits(key) ?? fingerprint(at), at }]];
  }
  return [];
}

function multipleOf(parts: Schemas): At<Decimal> | undefined {
  return parts.reduce((known: At<Decimal> | undefined, part) => {
    const at = part.get('multipleOf');
    const digits = part.digits('multipleOf');
    if (at === undefined || digits === undefined) return known;
    const own = decimal(digits);
    return { value: known === undefined ? own : leastCommonMultiple(known.value, own), at };
  }, undefined);
}

function valuesOf(parts: Schemas): At<readonly string[]> | undefined {
  return parts.reduce((known: At<readonly string[]> | undefined, part) => {
    const at = part.get('enum');
    if (at === undefined) return known;
    const exact = part.get('x-exact-enum')?.children();
    const own = at
      .children()
      .map(({ value }, index) =>
        typeof value === 'number' ? String(exact?.[index]?.value ?? digitsOf(value)) : canonical(value),
      );
    return known === undefined
      ? { value: own, at }
      : { value: own.filter((value) => known.value.includes(value)), at };
  }, undefined);
}

function membersOf(parts: Schemas): Pick<Shape, 'members' | 'others'> {
  const named = parts.map((part) => part.get('properties')?.members() ?? new Map<string, Node>());
  const others = parts.map((part) => part.get('additionalProperties'));
  const members = new Map<string, Schemas>();
  for (const name of new Set(named.flatMap((own) => [...own.keys()]))) {
    // A schema without the member applies its schema for all other members to it.
    const schemas = parts.map((_, index) => named[index]?.get(name) ?? others[index]);
    if (schemas.some((schema) => schema?.value === false)) continue;
    members.set(
      name,
      schemas.flatMap((schema) => schema ?? []).filter(({ value }) => value !== true),
    );
  }
  return {
    members,
    others: {
      closed: others.find((node) => node?.value === false),
      // `{}` allows anything, as `true` does.
      schemas: others
        .flatMap((node) => node ?? [])
        .filter(({ value }) => isObject(value) && Object.keys(value).length > 0),
    },
  };
}
