/**
 * Lets breaking changes through that somebody has accepted. A file names them, one entry each:
 *
 *     - id: request-property-max-length-decreased
 *       operations: [POST /plants]
 *       pointer: '#/components/schemas/NewPlant/properties/name/maxLength'
 *       what: maxLength 255 → 100
 *
 * An entry must have all four members, because an acceptance may let nothing else through: the same change of
 * another operation, another change of the same member, and a maxLength of 50 are new breaks. The place is a
 * pointer, because the line that a report prints moves with every edit above it. The changes of the JSON report
 * have these members with these names, so an entry can be copied from there. Further members say nothing here.
 */
import { readFile } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { parse } from 'yaml';
import { memberAt } from '../../../src/schema/json-pointer.js';
import { nearestTo } from '../document/nearest.js';
import { UsageError } from '../kit/command.js';
import type { Change } from './change.js';
import { changeIds, isChangeId } from './ids.js';

/** One breaking change that may pass. */
export interface Acceptance extends Pick<Change, 'id' | 'operation' | 'pointer' | 'what'> {
  /** Where it stands, for a sentence: `accepted.yaml, entry 2`. */
  readonly place: string;
}

/** @throws {UsageError} if the file cannot be read, or an entry is not complete */
export async function readAcceptances(file: string): Promise<Acceptance[]> {
  const name = isAbsolute(file) ? relative(process.cwd(), file) : file;
  const entries = await readFile(file, 'utf8')
    .then((text): unknown => parse(text) ?? [])
    .catch((error: Error) => {
      throw new UsageError(`${name} cannot be read (${error.message.split('\n')[0]}).`);
    });
  if (!Array.isArray(entries))
    throw new UsageError(`${name} must be a list: begin each entry with "- id: ".`);
  return entries.flatMap((entry: unknown, index) => acceptancesOf(entry, `${name}, entry ${index + 1}`));
}

function acceptancesOf(entry: unknown, place: string): Acceptance[] {
  const refuse = (sentence: string): never => {
    throw new UsageError(`${place}: ${sentence}`);
  };
  const [id, pointer, what, operations] = ['id', 'pointer', 'what', 'operations'].map((key) =>
    memberAt(entry, key),
  );
  if (typeof id !== 'string') return refuse('"id" is missing: write the id that the report prints.');
  if (!isChangeId(id))
    return refuse(`there is no id "${id}": write ${nearestTo(id, [...changeIds.keys()]).join(', or ')}.`);
  if (typeof pointer !== 'string') return refuse('"pointer" is missing: copy it from the JSON report.');
  if (typeof what !== 'string') return refuse('"what" is missing: copy it from the JSON report.');
  if (!Array.isArray(operations) || operations.length === 0)
    return refuse('"operations" is missing: write a list such as [POST /plants].');
  return operations.map((operation: unknown) => ({ id, operation: String(operation), pointer, what, place }));
}

/**
 * @returns the changes, in which an accepted one no longer breaks; and a sentence for each acceptance that lets
 *   nothing through
 */
export function accept(
  changes: readonly Change[],
  acceptances: readonly Acceptance[],
): { readonly changes: readonly Change[]; readonly stale: readonly string[] } {
  const keyOf = ({ id, operation, pointer, what }: Omit<Acceptance, 'place'>): string =>
    JSON.stringify([id, operation, pointer, what]);
  const named = new Set(acceptances.map(keyOf));
  const breaking = new Set(changes.filter((change) => change.breaking).map(keyOf));
  return {
    changes: changes.map((change) =>
      change.breaking && named.has(keyOf(change)) ? { ...change, breaking: false, accepted: true } : change,
    ),
    stale: acceptances
      .filter((acceptance) => !breaking.has(keyOf(acceptance)))
      .map(
        ({ id, operation, pointer, what, place }) =>
          `${place} accepts nothing: ${operation} has no breaking change ${id} at ${pointer} with "${what}". Take it away.`,
      ),
  };
}
