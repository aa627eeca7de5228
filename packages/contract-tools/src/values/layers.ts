/**
 * Finds the schemas that hold for one value together.
 *
 * A value of a schema must fit the schemas of its `allOf`, too, and those of their `allOf`: such a set of
 * schemas is called layers here, and everything that makes or compares values works with layers. Schemas may
 * share others: if each refers twice to the next one, 26 deep, the last one is reached in 67 million ways, so
 * each schema counts once.
 *
 * Many documents write "or null" as a choice: `anyOf: [{ $ref: … }, { type: 'null' }]`. Beside null, such a
 * choice has one alternative only, which is a layer as in `allOf`.
 */
import type { Direction, Node } from '../document/node.js';

/** By the schema, then by the direction of its values. A schema is the same object however it was reached. */
const known = new WeakMap<object, Map<Direction | undefined, readonly Node[]>>();

/** Returns a schema, and all others that hold for the same value unless it is null. */
export function layersOf(schema: Node): readonly Node[] {
  const { value, direction } = schema;
  // `true` and `false` are schemas, too.
  if (typeof value !== 'object' || value === null) return [schema];
  const ofSchema = known.get(value) ?? new Map<Direction | undefined, readonly Node[]>();
  const layers = ofSchema.get(direction) ?? findLayers(schema);
  known.set(value, ofSchema.set(direction, layers));
  return layers;
}

function findLayers(schema: Node): readonly Node[] {
  const found = new Map<unknown, Node>();
  const visit = (layer: Node): void => {
    if (found.has(identityOf(layer))) return;
    found.set(identityOf(layer), layer);
    for (const part of layer.list('allOf')) visit(part);
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const alternative = besideNull(layer, keyword);
      if (alternative !== undefined) visit(alternative);
    }
  };
  visit(schema);
  return [...found.values()];
}

/** The schemas of several that all hold for one value, each once. */
export function allLayersOf(schemas: readonly Node[]): readonly Node[] {
  const [first, ...others] = schemas;
  if (first !== undefined && others.length === 0) return layersOf(first);
  const all = schemas.flatMap(layersOf);
  return [...new Map(all.map((layer) => [identityOf(layer), layer])).values()];
}

/** What tells a schema from others: the same object however it was reached; a boolean is only itself. */
export function identityOf(schema: Node): unknown {
  return typeof schema.value === 'object' && schema.value !== null ? schema.value : schema.key;
}

/** Numbers schemas, so that several together have a key. */
const numbers = new WeakMap<object, number>();
let lastNumber = 0;

/** Tells these schemas, in this order and for values of this direction, from all others. */
export function keyOf(schemas: readonly Node[]): string {
  return schemas
    .map((schema) => {
      const { value, direction = '' } = schema;
      if (typeof value !== 'object' || value === null) return `${schema.key}${direction}`;
      const number = numbers.get(value) ?? ++lastNumber;
      numbers.set(value, number);
      return `${number}${direction}`;
    })
    .join(' ');
}

/** @returns the only alternative of a choice beside null; undefined if there are others, or no null */
export function besideNull(schema: Node, keyword: 'anyOf' | 'oneOf'): Node | undefined {
  const branches = schema.list(keyword);
  if (branches.length !== 2) return undefined;
  const others = branches.filter((branch) => branch.text('type') !== 'null');
  return others.length === 1 ? others[0] : undefined;
}

/** The alternatives of a schema, of which a value fits one or several; "or null" is none. */
export function branchesOf(layer: Node): Node[] {
  return (['oneOf', 'anyOf'] as const).flatMap((keyword) =>
    besideNull(layer, keyword) === undefined ? layer.list(keyword) : [],
  );
}

/** Whether a schema says by itself that a value may be null. */
export function namesNull(schema: Node): boolean {
  const type = schema.at('type')?.value;
  if (type === 'null' || (Array.isArray(type) && type.includes('null'))) return true;
  return (['anyOf', 'oneOf'] as const).some((keyword) => besideNull(schema, keyword) !== undefined);
}

/** Whether one of the layers says that a member is only for the other direction. */
export function goesOtherWay(layers: readonly Node[], name: string): boolean {
  const members = allLayersOf(layers.flatMap((layer) => layer.at('properties', name) ?? []));
  return members.some((member) => member.goesOtherWay);
}

/** The schemas of one item of an array: those of its place, or those of all items. */
export function itemSchemas(layers: readonly Node[], index: number): Node[] {
  return layers.flatMap((layer) => layer.at('prefixItems', index) ?? layer.at('items') ?? []);
}

/** The types that a schema allows; undefined if it names none. */
export function namedTypes(layer: Node): readonly string[] | undefined {
  const type = layer.at('type')?.value;
  return type === undefined ? undefined : [type].flat().map(String);
}
