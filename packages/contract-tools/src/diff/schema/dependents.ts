/**
 * Compares what the presence of one member asks of the others (`dependentRequired`, `dependentSchemas`), and what
 * all names must fit (`propertyNames`).
 *
 * An object without that member is free of it. So the more is asked, the fewer objects are allowed, as if it were
 * asked of all, and the comparison is the same.
 */
import type { Node } from '../../document/node.js';
import { compareEntries } from '../entries.js';
import { below as nodesBelow } from '../values.js';
import { below } from './members.js';
import type { Schemas, Shape } from './shape-types.js';
import { inMember, type SchemaChange, type Spot, type Walk } from './walk.js';

export function compareDependents(base: Shape, next: Shape, walk: Walk, spot: Spot): SchemaChange[] {
  const told = inMember(spot.member);
  const names = ({ parts }: Shape) => parts.flatMap((part) => part.at('propertyNames') ?? []);
  return [
    ...compareEntries<Node, SchemaChange>(neededBeside(base), neededBeside(next), {
      both: () => [],
      removed: (at, pair) => [told({ kind: 'dependent-required-removed', at, what: `no longer ${pair}` })],
      added: (at, pair) => [told({ kind: 'dependent-required-added', at, what: `${pair} now` })],
    }),
    ...compareEntries<Schemas, SchemaChange>(schemasBeside(base), schemasBeside(next), {
      both: (old, now) => walk.compare(old, now, spot.member, spot.known),
      removed: ([at = base.node], name) => [
        told({ kind: 'dependent-schema-removed', at, what: `a schema beside \`${name}\` no longer holds` }),
      ],
      added: ([at = next.node], name) => [
        told({ kind: 'dependent-schema-added', at, what: `a schema beside \`${name}\` holds now` }),
      ],
    }),
    ...walk.compare(names(base), names(next), below(spot.member, '(name)')),
  ];
}

/** Returns the members that are required beside others, each with the list that says so. */
function neededBeside({ parts }: Shape): Map<string, Node> {
  return new Map(
    parts
      .flatMap((part) => part.at('dependentRequired')?.members() ?? [])
      .flatMap(([name, list]) =>
        nodesBelow(list).map(
          ({ value }) => [`\`${String(value)}\` required beside \`${name}\``, list] as const,
        ),
      ),
  );
}

function schemasBeside({ parts }: Shape): Map<string, Schemas> {
  const schemas = new Map<string, Schemas>();
  for (const [name, schema] of parts.flatMap((part) => part.at('dependentSchemas')?.members() ?? []))
    schemas.set(name, [...(schemas.get(name) ?? []), schema]);
  return schemas;
}
