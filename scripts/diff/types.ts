import type { At, Node } from './node.js';

/** The types of OpenAPI 3.0, with `number` split: a `fraction` is a number that is not an integer. */
export type TypeName = 'null' | 'boolean' | 'integer' | 'fraction' | 'string' | 'array' | 'object';

export const allTypes: readonly TypeName[] = [
  'null',
  'boolean',
  'integer',
  'fraction',
  'string',
  'array',
  'object',
];

/** The types that every part allows. */
export function typesOf(parts: readonly Node[]): At<ReadonlySet<TypeName>> {
  const [first] = parts;
  if (first === undefined) throw new TypeError('A type needs a schema.');
  const sets = parts.map(ownTypes);
  const shared = allTypes.filter((name) => sets.every((set) => set.includes(name)));
  // OpenAPI 3.0.3 gives `nullable` no meaning without `type` beside it, but
  // `{ nullable: true, allOf: [{ $ref: … }] }` is how people write it, and generators believe them.
  const meant = first.is('nullable') && first.text('type') === undefined && !shared.includes('null');
  return {
    value: new Set(meant ? [...shared, 'null' as const] : shared),
    at: parts.flatMap((part) => part.get('type') ?? [])[0] ?? first,
  };
}

function ownTypes(schema: Node): readonly TypeName[] {
  const type = schema.text('type');
  if (type === undefined) return allTypes;
  const own = allTypes.filter((name) => name === type || (type === 'number' && isNumber(name)));
  return schema.is('nullable') ? [...own, 'null'] : own;
}

function isNumber(name: TypeName): boolean {
  return name === 'integer' || name === 'fraction';
}
