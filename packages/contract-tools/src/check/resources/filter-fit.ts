/** Decides whether a filter of a list lets an item through. */
import { compareDecimals, decimal } from '../../base/decimal.js';
import type { Filter } from '../../resources/list-parameters.js';
import { Decimal, memberOf, sameValue, type Value } from '../../values/json.js';

/** `either` if the document does not decide it. */
type Fit = 'in' | 'out' | 'either';

/** The values that an item shows of what a filter is about; several if it has a list of them. */
export function partsFor({ member: { name }, key }: Filter, item: Value): Value[] | undefined {
  const member = memberOf(item, name);
  const part = key === undefined ? member : memberOf(member, key);
  return part === undefined ? undefined : [part].flat();
}

/** @param asked what the filter asks for; of a list, an item has to have one */
export function fitOf(filter: Filter, item: Value, asked: Value): Fit {
  const { comparison, kind, key, parameter } = filter;
  const parts = partsFor(filter, item);
  const wanted = [asked].flat();
  if (comparison !== 'is') return compared(filter, parts?.[0], asked);
  if (asked === true && !parts?.includes(true) && isInAddition(parameter)) return 'either';
  // Some servers leave out a member that has its usual value: false, 0, or one of an enum.
  if (parts === undefined)
    return kind === 'enum' || wanted.includes(false) || wanted.includes(0n) ? 'either' : 'out';
  if (parts.some((part) => wanted.some((one) => isSame(part, one, kind)))) return 'in';
  // A text within a map may be searched for a part of it.
  const isSearched = kind === 'text' && key !== undefined;
  const hasPart = (part: Value, one: Value): boolean =>
    String(part).toLowerCase().includes(String(one).toLowerCase());
  return isSearched && parts.some((part) => wanted.some((one) => hasPart(part, one))) ? 'either' : 'out';
}

/** Whether a parameter adds items to those that are shown in any case: "archived ones are shown, too". */
function isInAddition({ description }: Filter['parameter']): boolean {
  return (
    /\b(?:also|as well|in addition|includ\w+|too)\b/i.test(description) && !/\bonly\b/i.test(description)
  );
}

/** RFC 9562, section 4: the letters of a UUID are read in any case. */
export function isSame(shown: Value, asked: Value, kind: Filter['kind']): boolean {
  if (kind === 'uuid') return String(shown).toLowerCase() === String(asked).toLowerCase();
  return sameValue(shown, asked);
}

/** Members whose null means that something has no beginning or no end, so that each moment is within. */
const openEnds = /(?:from|since|start|begin|due|end|expir|until|valid|to$)/i;

function compared(filter: Filter, shown: Value | undefined, asked: Value): Fit {
  const { comparison, kind, member } = filter;
  if (shown === null && !openEnds.test(member.name)) return 'out';
  const order = orderOf(kind, shown ?? null, asked);
  if (order === undefined) return 'either';
  if (order === 0) return equalFit(filter);
  const isAbove = comparison === 'after' || comparison === 'gt' || comparison === 'gte';
  return order > 0 === isAbove ? 'in' : 'out';
}

const leavesOutEqual =
  /\(exclusive\)|\bstrictly\s(?:after|before|earlier|greater|later|less|more)\b|\bnot\s(?:one\s|those\s)?(?:\w+\s)?(?:at|on)\sthis\b|\bexactly\s(?:then|there|at this|on this)\b[^.;]{0,40}\s(?:left out|excluded|not (?:one|included))/i;

/**
 * Whether a value fits that is the same as the one that is asked for. A server may keep more digits of a time or a fraction
 * than it shows, and "after" may leave out an equal value or not, unless the document says it.
 */
function equalFit({ comparison, kind, parameter: { description } }: Filter): Fit {
  if (leavesOutEqual.test(description)) return 'out';
  const isExact = kind === 'integer' || kind === 'date';
  if (!isExact || comparison === 'after' || comparison === 'before') return 'either';
  return comparison === 'gte' || comparison === 'lte' ? 'in' : 'out';
}

/** @returns undefined if nothing says which of the two comes first */
function orderOf(kind: Filter['kind'], one: Value, other: Value): number | undefined {
  if (kind === 'integer' || kind === 'number') {
    const [mine, theirs] = [one, other].map((value) =>
      typeof value === 'bigint' || value instanceof Decimal
        ? decimal(value instanceof Decimal ? value.text : String(value))
        : undefined,
    );
    return mine && theirs && compareDecimals(mine, theirs);
  }
  const order = Date.parse(String(one)) - Date.parse(String(other));
  return Number.isNaN(order) ? undefined : order;
}
