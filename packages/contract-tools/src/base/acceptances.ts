/**
 * Reads what somebody has accepted, for `--accept` of check and diff: a list in YAML, one entry each.
 *
 *     - id: request-property-max-length-decreased
 *       operations: [POST /plants]
 *       pointer: '#/components/schemas/NewPlant/properties/name/maxLength'
 *       members: [name]
 *       what: maxLength 255 → 100
 *
 * An entry must have all of them, because an acceptance may let nothing else through: the same change of
 * another operation, another change of the same member, and a maxLength of 50 are new. The place is a
 * pointer, because the line that a report prints moves with every edit above it. One place can be that of
 * several members: a list `required` has many names, and a schema may be that of many members. So diff asks
 * for the members, too, if there are any. The JSON reports have these members with these names, so an entry
 * can be copied from there. Further members say nothing here.
 */
import { readFile } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { parse } from 'yaml';
import { memberAt } from '../../../exact-json/index.js';
import { UsageError } from './run-command.js';

/** One thing that may pass. */
export interface Acceptance {
  readonly id: string;
  readonly operation: string;
  readonly pointer: string;
  /** The members of which it may be true, from the outermost schema inwards; '' is that schema itself. */
  readonly members: readonly string[];
  readonly what: string;
  /** Where it stands, for a sentence: `accepted.yaml, entry 2`. */
  readonly place: string;
}

/**
 * @param faultOf what is wrong with an id, as a sentence; undefined if there is such an id
 * @throws {UsageError} if the file cannot be read, or an entry is not complete
 */
export async function readAcceptances(
  file: string,
  faultOf?: (id: string) => string | undefined,
): Promise<Acceptance[]> {
  const name = isAbsolute(file) ? relative(process.cwd(), file) : file;
  const entries = await readFile(file, 'utf8')
    .then((text): unknown => parse(text) ?? [])
    .catch((error: Error) => {
      throw new UsageError(`${name} cannot be read (${error.message.split('\n')[0]}).`);
    });
  return acceptancesIn(entries, name, faultOf);
}

/** @throws {UsageError} if this is not a list, or an entry is not complete */
export function acceptancesIn(
  entries: unknown,
  name: string,
  faultOf: (id: string) => string | undefined = () => undefined,
): Acceptance[] {
  if (!Array.isArray(entries))
    throw new UsageError(`${name} must be a list: begin each entry with "- id: ".`);
  return entries.flatMap((entry: unknown, index) =>
    acceptancesOf(entry, `${name}, entry ${index + 1}`, faultOf),
  );
}

function acceptancesOf(
  entry: unknown,
  place: string,
  faultOf: (id: string) => string | undefined,
): Acceptance[] {
  const refuse = (sentence: string): never => {
    throw new UsageError(`${place}: ${sentence}`);
  };
  const [id, pointer, what, operations, members = []] = [
    ...['id', 'pointer', 'what', 'operations', 'members'].map((key) => memberAt(entry, key)),
  ];
  if (typeof id !== 'string') return refuse('"id" is missing: write the id that the report prints.');
  const fault = faultOf(id);
  if (fault !== undefined) return refuse(fault);
  if (typeof pointer !== 'string') return refuse('"pointer" is missing: copy it from the JSON report.');
  if (typeof what !== 'string') return refuse('"what" is missing: copy it from the JSON report.');
  if (!Array.isArray(operations) || operations.length === 0)
    return refuse('"operations" is missing: write a list such as [POST /plants].');
  if (!Array.isArray(members)) return refuse('"members" must be a list: copy it from the JSON report.');
  const named = members.length === 0 ? [''] : members.map(String);
  return operations.map((operation: unknown) => ({
    ...{ id, operation: String(operation), pointer, members: named, what, place },
  }));
}
