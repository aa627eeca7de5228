import type { Direction } from './change.js';
import { compareChoices, compareDiscriminators } from './choice.js';
import { compareTypes } from './compare-types.js';
import { compareKeywords, compareWholes } from './keywords.js';
import { compareMembers } from './members.js';
import { isMereChoice, type Schemas, type Shape, shapeOf } from './shape.js';
import { judge, type SchemaFinding, type Walk } from './walk.js';

export function compareSchemas(base: Schemas, next: Schemas, direction: Direction): SchemaFinding[] {
  const seen = new Set<string>();
  const walk: Walk = {
    direction,
    compare(base, next, member) {
      const pair = [base, next].map((schemas) => schemas.map(({ key }) => key).join()).join(' → ');
      if (seen.has(pair)) return [];
      seen.add(pair);
      if (base.length === 0 || next.length === 0) return compareWithAnything(base, next, walk, member);
      return compareShapes(shapeOf(base), shapeOf(next), walk, member);
    },
  };
  return walk.compare(base, next, '');
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
    ...(shared.includes('array') ? walk.compare(base.items, next.items, `${member}[]`) : []),
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

function compareWithAnything(base: Schemas, next: Schemas, walk: Walk, member: string): SchemaFinding[] {
  const [before] = base;
  const [after] = next;
  const judged = judge(walk, member);
  if (before !== undefined)
    return [judged({ effect: 'wider', at: before, what: 'any value is allowed now' })];
  if (after === undefined) return [];
  return [judged({ effect: 'narrower', at: after, what: 'no longer any value is allowed' })];
}
