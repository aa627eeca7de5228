/** Chooses the values that filters of a list are asked for, and tells whether an item has one of them. */
import { randomUUID } from 'node:crypto';
import type { Filter } from '../../resources/list-parameters.js';
import { sameValue, type Value } from '../../values/json.js';
import { fits, plainValue } from '../../values/valid-values.js';

/** Two values with which items are made. */
export function valuesFor({ parameter, kind, choices }: Omit<Filter, 'member'>): Value[] {
  switch (kind) {
    case 'enum':
      return choices.slice(0, 2);
    case 'boolean':
      return [true, false];
    case 'uuid':
      return [randomUUID(), randomUUID()];
    case 'integer': {
      const plain = plainValue([parameter.schema]);
      return typeof plain === 'bigint' ? [plain, plain + 1n] : [plain];
    }
  }
}

/** A value of the parameter that none of the items has. */
export function otherValue(filter: Omit<Filter, 'member'>, shown: readonly Value[]): Value | undefined {
  const { parameter, kind, choices } = filter;
  const greatest = shown.reduce<bigint>(
    (most, part) => (typeof part === 'bigint' && part > most ? part : most),
    0n,
  );
  const candidates: readonly Value[] =
    kind === 'enum'
      ? choices
      : kind === 'integer'
        ? [greatest + 1_000_003n, greatest + 1n, 0n]
        : valuesFor(filter);
  return candidates.find(
    (value) => fits([parameter.schema], value) && !shown.some((part) => isSame(part, value, kind)),
  );
}

/** RFC 9562, section 4: the letters of a UUID are read in any case. */
export function isSame(shown: Value, asked: Value, kind: Filter['kind']): boolean {
  if (kind === 'uuid') return String(shown).toLowerCase() === String(asked).toLowerCase();
  return sameValue(shown, asked);
}

/** Some servers leave out a member that has its usual value: false, 0, or one of an enum. */
export function isLetThrough(shown: Value | undefined, asked: Value, kind: Filter['kind']): boolean {
  if (shown !== undefined) return isSame(shown, asked, kind);
  return kind === 'enum' || asked === false || asked === 0n;
}
