import { breaks, type Direction } from './change.js';
import { compareChoices, compareDiscriminators } from './choice.js';
import { compareKeywords, compareWholes } from './keywords.js';
import { compareMembers } from './members.js';
import type { Node } from './node.js';
import { type Difference, isMereChoice, type Schemas, type Shape, shapeOf } from './shape.js';
import { compareTypes } from './types.js';

/** A difference between two schemas, with its verdict. */
export interface SchemaFinding {
  readonly breaking: boolean;
  readonly adds?: boolean | undefined;
  readonly at: Node;
  /** The member that it is about, from the outermost schema inwards: `plants[].name`; '' for itself. */
  readonly member: string;
  readonly what: string;
}

/** One walk through two schemas. */
export interface Walk {
  readonly direction: Direction;
  /** The pairs that were compared already: schemas may contain themselves, and each other. */
  readonly seen: Set<string>;
}

export function compareSchemas(base: Schemas, next: Schemas, walk: Walk, member = ''): SchemaFinding[] {
  const pair = [base, next].map((schemas) => schemas.map(({ key }) => key).join()).join(' → ');
  if (walk.seen.has(pair)) return [];
  walk.seen.add(pair);
  if (base.length === 0 || next.length === 0) return compareWithAnything(base, next, walk, member);
  return compareShapes(shapeOf(base), shapeOf(next), walk, member);
}

function compareShapes(base: Shape, next: Shape, walk: Walk, member: string): SchemaFinding[] {
  const judged = judge(walk, member);
  // A choice of one schema on one side may be a single schema on the other.
  if (isMereChoice(base) !== isMereChoice(next)) {
    return compareChoices(base, next, walk, member);
  }
  const types = compareTypes(base, next).map(judged);
  const shared = [...base.types.value].filter((name) => name !== 'null' && next.types.value.has(name));
  if (shared.length === 0 && types.length > 0) return types;
  return [
    ...types,
    ...compareKeywords(base, next).map(judged),
    ...(shared.includes('object') ? compareMembers(base, next, walk, member) : []),
    ...(shared.includes('array') ? compareSchemas(base.items, next.items, walk, `${member}[]`) : []),
    ...compareChoices(base, next, walk, member),
    ...compareDiscriminators(base, next).map(judged),
    // The server fills in defaults of a request; nobody fills in those of a response.
    ...compareWholes(
      base,
      next,
      walk.direction === 'request' ? ['not', 'xml', 'default'] : ['not', 'xml'],
    ).map(judged),
  ];
}

/** Turns a difference into a finding about `member`. */
export function judge({ direction }: Walk, member: string): (difference: Difference) => SchemaFinding {
  return ({ effect, adds, at, what }) => ({ breaking: breaks(effect, direction), adds, at, member, what });
}

function compareWithAnything(base: Schemas, next: Schemas, walk: Walk, member: string): SchemaFinding[] {
  const [before] = base;
  const [after] = next;
  const judged = judge(walk, member);
  if (before !== undefined)
    return [judged({ effect: 'wider', at: before, what: 'any value is allowed now' })];
  if (after === undefined) return [];
  return [judged({ effect: 'narrower', at: after, what: 'no longer any value is allowed' })];
}
