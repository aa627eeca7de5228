/**
 * Compares the keywords of one schema that say nothing of its members or items, such as `enum` and `format`.
 */

import { decimalText, isMultiple } from '../../base/decimal.js';
import type { Node } from '../../document/node.js';
import { type Difference, effectOf } from '../change.js';
import { changeBy, type Effect } from '../ids.js';
import { type At, shown } from '../values.js';
import { compareAllBounds } from './bounds.js';
import type { Shape } from './shape-types.js';

/** Pairs of formats: the second allows all values of the first, and more. */
const widerFormats: readonly (readonly [string, string])[] = [
  ['int32', 'int64'],
  ['int32', 'double'],
  ['float', 'double'],
];

export function compareKeywords(base: Shape, next: Shape): Difference[] {
  const both = (name: 'string' | 'integer' | 'array') =>
    base.types.value.has(name) && next.types.value.has(name);
  return [
    ...compareEnums(base, next),
    ...compareAllBounds(base, next),
    ...(both('string') ? compareTexts('pattern', base.patterns, next.patterns, next.node) : []),
    ...compareFormats(base, next),
    ...(both('integer') ? compareMultiples(base, next) : []),
    ...(both('array') ? compareUniqueness(base, next) : []),
  ];
}

function compareEnums(base: Shape, next: Shape): Difference[] {
  const before = base.values;
  const after = next.values;
  const at = (after ?? before)?.at ?? next.node;
  if (before === undefined || after === undefined) {
    if (before === after) return [];
    return after === undefined
      ? [{ kind: 'enum-removed', at, what: 'any value is allowed now, not only those of an enum' }]
      : [{ kind: 'enum-added', at, what: `only ${after.value.join(', ')} are allowed now` }];
  }
  const lost = before.value.filter((value) => !after.value.includes(value));
  const gained = after.value.filter((value) => !before.value.includes(value));
  return [
    ...lost.map(
      (value): Difference => ({ kind: 'enum-value-removed', at, what: `enum value ${value} removed` }),
    ),
    ...gained.map(
      (value): Difference => ({
        kind: 'enum-value-added',
        adds: true,
        at,
        what: `enum value ${value} added`,
      }),
    ),
  ];
}

function compareFormats(base: Shape, next: Shape): Difference[] {
  const [before, ...more] = base.formats;
  const [after, ...others] = next.formats;
  if (before === undefined || after === undefined || more.length + others.length > 0) {
    return compareTexts('format', base.formats, next.formats, next.node);
  }
  if (before.value === after.value) return [];
  let effect: Effect = 'other';
  for (const [narrow, wide] of widerFormats) {
    if (before.value === narrow && after.value === wide) effect = 'wider';
    if (before.value === wide && after.value === narrow) effect = 'narrower';
  }
  return [
    { kind: `format-${changeBy(effect)}`, at: after.at, what: `format ${before.value} → ${after.value}` },
  ];
}

/** Compares the patterns, or the formats, of two schemas: a value must fit each of them. */
function compareTexts(
  keyword: 'pattern' | 'format',
  before: readonly At<string>[],
  after: readonly At<string>[],
  node: Node,
): Difference[] {
  const texts = (list: readonly At<string>[]) => [...new Set(list.map(({ value }) => value))];
  // The fewer patterns there are, the more values fit them. So the two lists are exchanged.
  const effect = effectOf(texts(after), texts(before));
  const said = (list: readonly At<string>[]) => texts(list).map(shown).join(' and ') || 'none';
  const at = (after[0] ?? before[0])?.at ?? node;
  return effect === undefined
    ? []
    : [{ kind: `${keyword}-${changeBy(effect)}`, at, what: `${keyword} ${said(before)} → ${said(after)}` }];
}

function compareMultiples(base: Shape, next: Shape): Difference[] {
  const before = base.multipleOf;
  const after = next.multipleOf;
  const at = (after ?? before)?.at ?? next.node;
  const said = (one: typeof before) => (one === undefined ? 'none' : decimalText(one.value));
  const narrower = after !== undefined && (before === undefined || isMultiple(after.value, before.value));
  const wider = before !== undefined && (after === undefined || isMultiple(before.value, after.value));
  if (narrower === wider && (narrower || before === undefined)) return [];
  const effect = narrower ? 'narrower' : wider ? 'wider' : 'other';
  return [
    { kind: `multiple-of-${changeBy(effect)}`, at, what: `multipleOf ${said(before)} → ${said(after)}` },
  ];
}

function compareUniqueness(base: Shape, next: Shape): Difference[] {
  const before = base.unique?.value === true;
  const after = next.unique?.value === true;
  const at = next.unique ?? base.unique ?? next.node;
  if (before === after) return [];
  return [
    after
      ? { kind: 'unique-items-added', at, what: 'items must be unique now' }
      : { kind: 'unique-items-removed', at, what: 'items need no longer be unique' },
  ];
}

/** Compares a keyword whose value has no parts that are compared one by one. Any other value is "other". */
export function compareWhole(keyword: 'xml' | 'default', base: Shape, next: Shape): Difference[] {
  const before = base.whole.get(keyword);
  const after = next.whole.get(keyword);
  const at = (after ?? before)?.at ?? next.node;
  if (before?.value === after?.value) return [];
  return [
    {
      kind: `${keyword}-changed`,
      at,
      what: `${keyword} ${before?.value ?? 'none'} → ${after?.value ?? 'none'}`,
    },
  ];
}
