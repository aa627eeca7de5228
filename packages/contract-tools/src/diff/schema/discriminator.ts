/**
 * Compares discriminators: the member whose value selects a schema, and which value selects which.
 *
 * A value selects a schema by the `mapping`. A component that the mapping does not lead to is selected by its
 * own name, so to rename it changes what is sent (OpenAPI 3.0.3, Discriminator Object).
 */
import { pathOfReference } from '../../../../exact-json/index.js';
import type { Node } from '../../document/node.js';
import { effectOf } from '../change.js';
import { changeBy } from '../ids.js';
import { below } from '../values.js';
import type { Shape } from './shape-types.js';
import { inMember, type SchemaChange, type Spot, type Walk } from './walk.js';

export function compareDiscriminators(base: Shape, next: Shape, walk: Walk, spot: Spot): SchemaChange[] {
  const judged = inMember(spot.member);
  const before = base.discriminator;
  const after = next.discriminator;
  const at = after ?? before ?? next.node;
  const member = [before, after].map((node) => node?.text('propertyName') ?? 'none');
  if (member[0] !== member[1]) {
    // If there is a discriminator, its member must name one of the schemas.
    const how = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
    return [judged({ kind: `discriminator-${how}`, at, what: `discriminator ${member.join(' → ')}` })];
  }
  const [selected, selectedNow] = [selectedBy(before, base), selectedBy(after, next)];
  const [values, valuesNow] = [[...selected.keys()], [...selectedNow.keys()]];
  const effect = effectOf(values, valuesNow);
  const said = (list: readonly string[]) => list.join(', ') || 'none';
  const what = `values of the discriminator ${said(values)} → ${said(valuesNow)}`;
  return [
    ...(effect === undefined ? [] : [judged({ kind: `discriminator-values-${changeBy(effect)}`, at, what })]),
    ...[...selected].flatMap(([value, old]) => {
      const now = selectedNow.get(value);
      return old && now ? walk.compare([old], [now], spot.member, spot.known) : [];
    }),
  ];
}

/** Returns the schema that each value selects; undefined for one that is in another document. */
function selectedBy(discriminator: Node | undefined, shape: Shape): Map<string, Node | undefined> {
  if (discriminator === undefined) return new Map();
  const mapping = (discriminator.at('mapping')?.members() ?? []).map(([value, target]) => {
    const text = String(target.value);
    const keys = text.startsWith('#') ? pathOfReference(text) : ['components', 'schemas', text];
    return [value, discriminator.fromRoot(keys)] as const;
  });
  const mapped = mapping.map(([, schema]) => schema?.key);
  const named = shape.choices
    .flatMap(below)
    .filter(({ path, key }) => path[0] === 'components' && path.length === 3 && !mapped.includes(key))
    .map((schema) => [String(schema.path.at(-1)), schema] as const);
  return new Map([...named, ...mapping]);
}
