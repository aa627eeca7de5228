import type { Node } from '../document/node.js';
import type { ApiDocument } from '../document/read-document.js';
import type { Change } from './change.js';

const steps = ['major', 'minor', 'patch'] as const;
type Step = (typeof steps)[number];

/**
 * Says why the version of the new contract does not tell its consumers what changed (Semantic Versioning
 * 2.0.0): breaking changes need a higher major version, additions a higher minor one, and all other visible
 * changes a higher patch.
 *
 * @returns what to do, such as "raise the minor version"; undefined if the version fits
 */
export function versionFault(
  changes: readonly Pick<Change, 'breaking' | 'adds'>[],
  base: ApiDocument,
  next: ApiDocument,
): string | undefined {
  const needed = stepFor(changes);
  const [before, after] = [numbersOf(base), numbersOf(next)];
  if (before === undefined || after === undefined) {
    return needed === undefined ? undefined : `raise the ${needed} version, as MAJOR.MINOR.PATCH`;
  }
  const at = before.findIndex((number, place) => number !== after[place]);
  const given = at === -1 ? steps.length : at;
  if (at !== -1 && (after[at] ?? 0n) < (before[at] ?? 0n)) return 'the version goes down';
  if (needed === undefined || given <= steps.indexOf(needed)) return undefined;
  return `raise the ${needed} version`;
}

function stepFor(changes: readonly Pick<Change, 'breaking' | 'adds'>[]): Step | undefined {
  if (changes.some(({ breaking }) => breaking)) return 'major';
  if (changes.some(({ adds }) => adds)) return 'minor';
  return changes.length > 0 ? 'patch' : undefined;
}

/** @returns `info.version` of a document */
export function versionOf(root: Node): string {
  return root.at('info')?.text('version') ?? '';
}

/** Major, minor and patch; undefined if the version has not exactly these three. */
function numbersOf({ root }: ApiDocument): readonly bigint[] | undefined {
  const [, ...numbers] = /^(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(versionOf(root)) ?? [];
  return numbers.length === 0 ? undefined : numbers.map(BigInt);
}
