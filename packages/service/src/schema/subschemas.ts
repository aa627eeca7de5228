/**
 * Where schemas stand within a schema (JSON Schema 2020-12, sections 10 and 11), and whether they are about the
 * same value or about a part of it.
 */
import type { ContractSchema } from './contract-schema.js';

/** What stands under a keyword: a schema, or a map or a list of them. */
interface Applicator {
  readonly holds: 'one' | 'map' | 'list';
  /** Whether the schemas there say something of the same value. */
  readonly ofSameValue: boolean;
}

const applicators: ReadonlyMap<string, Applicator> = new Map([
  ['allOf', { holds: 'list', ofSameValue: true }],
  ['anyOf', { holds: 'list', ofSameValue: true }],
  ['oneOf', { holds: 'list', ofSameValue: true }],
  ['not', { holds: 'one', ofSameValue: true }],
  ['if', { holds: 'one', ofSameValue: true }],
  ['then', { holds: 'one', ofSameValue: true }],
  ['else', { holds: 'one', ofSameValue: true }],
  ['dependentSchemas', { holds: 'map', ofSameValue: true }],
  ['properties', { holds: 'map', ofSameValue: false }],
  ['patternProperties', { holds: 'map', ofSameValue: false }],
  ['additionalProperties', { holds: 'one', ofSameValue: false }],
  ['unevaluatedProperties', { holds: 'one', ofSameValue: false }],
  ['propertyNames', { holds: 'one', ofSameValue: false }],
  ['items', { holds: 'one', ofSameValue: false }],
  ['prefixItems', { holds: 'list', ofSameValue: false }],
  ['unevaluatedItems', { holds: 'one', ofSameValue: false }],
  ['contains', { holds: 'one', ofSameValue: false }],
]);

/** @returns what stands under a keyword of a schema; undefined if no schema does */
export function applicatorOf(keyword: string): Applicator | undefined {
  return applicators.get(keyword);
}

/** Yields the schemas directly within one. */
function* schemasWithin(
  schema: ContractSchema,
): Generator<{ readonly part: ContractSchema; readonly ofSameValue: boolean }> {
  for (const [keyword, value] of Object.entries(schema)) {
    const applicator = applicators.get(keyword);
    if (applicator === undefined || typeof value !== 'object' || value === null) continue;
    const { holds, ofSameValue } = applicator;
    for (const part of holds === 'one' ? [value] : Object.values(value)) yield { part, ofSameValue };
  }
}

/** @returns the keywords that hold schemas, each of which is replaced by what `convert` makes of it */
export function convertedWithin<Made>(
  schema: ContractSchema,
  convert: (part: ContractSchema) => Made,
): Record<string, unknown> {
  const converted = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    const applicator = applicators.get(keyword);
    if (applicator === undefined || typeof value !== 'object' || value === null) return [];
    if (applicator.holds === 'list') return [[keyword, [...Object.values(value)].map(convert)]];
    if (applicator.holds === 'one') return [[keyword, convert(value as ContractSchema)]];
    const members = Object.entries(value).map(([name, part]) => [name, convert(part)]);
    return [[keyword, Object.fromEntries(members)]];
  });
  return Object.fromEntries(converted);
}

/**
 * Finds the schemas that contain themselves.
 *
 * @throws {Error} if one does so without a member or an item between, because a check would never end
 */
export function endlessWithin(schema: ContractSchema): Set<ContractSchema> {
  const endless = new Set<ContractSchema>();
  const done = new Set<ContractSchema>();
  const visit = (part: ContractSchema, above: readonly ContractSchema[], ofSameValue: number): void => {
    const round = above.indexOf(part);
    if (round >= ofSameValue) throw new Error('a schema is its own alternative or a part of its own "allOf"');
    if (round >= 0) endless.add(part);
    if (done.has(part)) return;
    done.add(part);
    const within = [...above, part];
    for (const { part: below, ofSameValue: isSame } of schemasWithin(part))
      visit(below, within, isSame ? ofSameValue : within.length);
  };
  visit(schema, [], 0);
  return endless;
}
