/** Takes schemas apart: what holds for a value, through references, `allOf` and choices of one. */

import { isObject } from '../../base/canonical.js';
import type { Node } from '../../document/node.js';
import { below } from '../values.js';
import type { Schemas, TypeName } from './shape-types.js';
import { allTypes, isNumber } from './type-names.js';

/** Keywords that limit no value. */
const annotations = [
  ...['description', 'title', 'summary', 'examples', 'deprecated', 'externalDocs'],
  ...['$defs', 'definitions', '$id', '$schema', '$comment', 'contentMediaType', 'contentSchema'],
];

/** Keywords that only say which other schemas hold. */
export const applicators: readonly string[] = ['allOf', 'oneOf', 'anyOf', 'discriminator'];

/** Lists the keywords of a schema that limit values, without documentation and unknown extensions. */
export function keywordsOf({ value }: Node): string[] {
  if (!isObject(value)) return [];
  return Object.keys(value).filter((key) => !annotations.includes(key) && !key.startsWith('x-'));
}

/** A choice that is none: it has one schema, or one beside `null`. */
interface Lone {
  readonly list: Node;
  readonly schema: Node;
  /** The alternative that allows null. */
  readonly nullAt: Node | undefined;
}

/** Returns the choices of a schema that have one alternative, or one and null. */
export function lonesOf(schema: Node, known: KnownTypes = new Map()): Lone[] {
  return ['oneOf', 'anyOf'].flatMap((key) => {
    const list = schema.at(key);
    const branches = below(list);
    const nullAt = branches.length === 2 ? branches.find(isNull) : undefined;
    const [only, ...more] = branches.filter((branch) => branch !== nullAt);
    if (list === undefined || only === undefined || more.length > 0) return [];
    // A value that fits both is refused by a `oneOf`.
    const mayFitBoth = nullAt !== undefined && key === 'oneOf';
    if (mayFitBoth && typesIn(only, known).has('null')) return [];
    return [{ list, schema: only, nullAt }];
  });
}

function isNull(schema: Node): boolean {
  return schema.text('type') === 'null' && keywordsOf(schema).length === 1;
}

/** The types of schemas, by their keys. */
type KnownTypes = Map<string, ReadonlySet<TypeName>>;

/**
 * Returns the types that a schema allows, with its `allOf`.
 *
 * @param known the schemas that were looked at on the way: many may lead to one. A schema that contains itself
 *   allows what the rest of it allows
 */
export function typesIn(schema: Node, known: KnownTypes = new Map()): ReadonlySet<TypeName> {
  const found = known.get(schema.key);
  if (found !== undefined) return found;
  known.set(schema.key, new Set(allTypes));
  const sets = [
    ownTypes(schema),
    ...schema.list('allOf').map((part) => typesIn(part, known)),
    ...lonesOf(schema, known).map((lone) => {
      const types = typesIn(lone.schema, known);
      return lone.nullAt === undefined ? types : new Set([...types, 'null' as const]);
    }),
  ];
  const types = new Set(allTypes.filter((name) => sets.every((set) => set.has(name))));
  known.set(schema.key, types);
  return types;
}

function ownTypes(schema: Node): ReadonlySet<TypeName> {
  if (schema.value === false) return new Set();
  const type = schema.at('type')?.value;
  if (type === undefined) return new Set(allTypes);
  const names = Array.isArray(type) ? type : [type];
  return new Set(
    allTypes.filter((name) => names.includes(name) || (names.includes('number') && isNumber(name))),
  );
}

/** Returns the schemas and, recursively, those in their `allOf`. A choice of one counts as that one. */
export function serviceOf(schemas: Schemas, seen = new Set<string>()): Node[] {
  return schemas.flatMap((schema) => {
    if (seen.has(schema.key)) return [];
    seen.add(schema.key);
    const lone = lonesOf(schema).map((one) => one.schema);
    return [schema, ...serviceOf([...schema.list('allOf'), ...lone], seen)];
  });
}

/** Whether there is a value that the schema does not allow, or a default. */
export function isRestricted(schema: Node): boolean {
  return serviceOf([schema]).some(
    (part) =>
      part.value === false ||
      keywordsOf(part).some((key) =>
        applicators.includes(key) ? key !== 'allOf' && part.list(key).length > 1 : true,
      ),
  );
}

/** Returns the names of the members that schemas name, in any of their alternatives. */
export function knownNames(schemas: Schemas, seen = new Set<string>()): Set<string> {
  const parts = serviceOf(schemas).filter(({ key }) => !seen.has(key));
  for (const { key } of parts) seen.add(key);
  return new Set(
    parts.flatMap((part) => [
      ...(part
        .at('properties')
        ?.members()
        .map(([name]) => name) ?? []),
      ...part.list('required').map(({ value }) => String(value)),
      ...['oneOf', 'anyOf'].flatMap((key) => [...knownNames(part.list(key), seen)]),
    ]),
  );
}
