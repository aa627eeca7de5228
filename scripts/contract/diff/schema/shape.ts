/**
 * A schema with its references and its `allOf` resolved, so that two ways to write the same schema have the
 * same shape.
 */
import { canonical } from '../../kit/canonical.js';
import { type Decimal, decimal, leastCommonMultiple } from '../../kit/decimal.js';
import { type At, digitsOf, type Node } from '../node.js';
import { type Bounds, boundsOf } from './bounds.js';
import { keywordsOf } from './fingerprint.js';
import { type TypeName, typesOf } from './types.js';

/** Keywords that only say which other schemas hold. */
const applicators = ['allOf', 'oneOf', 'anyOf', 'discriminator'];

/** Schemas that must all hold for one value: those of an `allOf`, or a single one. */
export type Schemas = readonly Node[];

export interface Shape {
  readonly schemas: Schemas;
  /** The first of the schemas. */
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
  /** Whether there is nothing but one choice. */
  readonly isMereChoice: boolean;
  readonly nots: readonly Node[];
  readonly discriminator: Node | undefined;
  /** Keywords that are compared as a whole: `xml` and `default`. */
  readonly whole: ReadonlyMap<string, At<string>>;
}

/** @throws {TypeError} if there is no schema */
export function shapeOf(schemas: Schemas): Shape {
  const parts = partsOf(schemas);
  const [first] = parts;
  if (first === undefined) throw new TypeError('A shape needs a schema.');
  const having = (key: string) => parts.flatMap((part) => part.get(key) ?? []);
  const texts = (key: string) => having(key).map((at) => ({ value: String(at.value), at }));
  const choices = ['oneOf', 'anyOf'].flatMap(having).filter((list) => list.children().length > 1);
  return {
    schemas,
    node: first,
    types: typesOf(parts),
    nullable: having('nullable').find(({ value }) => value === true) ?? having('nullable')[0],
    bounds: boundsOf(parts),
    multipleOf: multipleOf(parts),
    values: valuesOf(parts),
    // An empty pattern fits every text.
    patterns: texts('pattern').filter(({ value }) => value !== ''),
    // The format `password` only asks a form to hide what is typed (OpenAPI 3.0.3, Data Types).
    formats: texts('format').filter(({ value }) => value !== 'password'),
    unique: having('uniqueItems').find(({ value }) => value === true) ?? having('uniqueItems')[0],
    items: having('items'),
    ...membersOf(parts),
    required: new Map(
      having('required').flatMap((list) => list.children().map(({ value }) => [String(value), list])),
    ),
    choices,
    isMereChoice: choices.length === 1 && parts.flatMap(keywordsOf).every((key) => applicators.includes(key)),
    nots: having('not'),
    discriminator: having('discriminator')[0],
    whole: new Map(['xml', 'default'].flatMap((key) => wholeOf(parts, key))),
  };
}

/** Whether there is a value that the schema does not allow, or a default. */
export function isRestricted(schema: Node): boolean {
  const isChoice = (part: Node, key: string) => (part.get(key)?.children().length ?? 0) > 1;
  return partsOf([schema]).some((part) =>
    keywordsOf(part).some((key) =>
      applicators.includes(key) ? key !== 'allOf' && isChoice(part, key) : true,
    ),
  );
}

/** Returns the names of the members that schemas name, in any of their alternatives. */
export function knownNames(schemas: Schemas, seen = new Set<string>()): Set<string> {
  const parts = partsOf(schemas).filter(({ key }) => !seen.has(key));
  for (const { key } of parts) seen.add(key);
  return new Set(
    parts.flatMap((part) => [
      ...(part.get('properties')?.members().keys() ?? []),
      ...(part.get('required')?.children() ?? []).map(({ value }) => String(value)),
      ...['oneOf', 'anyOf'].flatMap((key) => [...knownNames(part.get(key)?.children() ?? [], seen)]),
    ]),
  );
}

/** Returns the schemas and, recursively, those in their `allOf`. A choice of one counts as that one. */
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
    if (at !== undefined) return [[key, { value: part.digits(key) ?? canonical(at.value), at }]];
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
      schemas: others.flatMap((node) => node ?? []).filter(isRestricted),
    },
  };
}
