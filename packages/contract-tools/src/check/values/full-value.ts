/** Makes a value with all its members, each of which differs from its default, so that a loss of it shows. */
import type { Node } from '../../document/node.js';
import { typeOf } from '../../values/bounds.js';
import { fromYaml, sameValue, type Value } from '../../values/json.js';
import { allLayersOf, itemSchemas } from '../../values/layers.js';
import { membersOf } from '../../values/sites.js';
import { fits, plainValue } from '../../values/valid-values.js';
import { boundaryValues } from './boundary-values.js';

/** A schema can contain itself. */
const deepest = 3;

export function fullValue(schemas: readonly Node[], depth = 0): Value {
  const layers = allLayersOf(schemas);
  const plain = plainValue(schemas);
  const full = (value: Value): Value => (fits(schemas, value) ? value : plain);
  if (typeOf(layers) === 'object' && depth < deepest) {
    const members = membersOf(layers).map(
      ({ name, schemas: below }) => [name, fullValue(below, depth + 1)] as const,
    );
    return full(Object.fromEntries(members));
  }
  if (typeOf(layers) === 'array' && depth < deepest) {
    const items = itemSchemas(layers, 0);
    return items.length === 0 ? plain : full([fullValue(items, depth + 1)]);
  }
  const usual = defaultOf(schemas);
  const isUsual = (value: Value): boolean => usual !== undefined && sameValue(value, usual);
  if (!isUsual(plain)) return plain;
  return boundaryValues(schemas).find(({ value }) => value !== null && !isUsual(value))?.value ?? plain;
}

/** The documented default; undefined if there is none. */
export function defaultOf(schemas: readonly Node[]): Value | undefined {
  const [written] = allLayersOf(schemas).flatMap((layer) => layer.at('default') ?? []);
  return written === undefined ? undefined : fromYaml(written.value);
}
