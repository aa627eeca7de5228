/** The command line of `plant-store token`: its help, and what it may ask for. */
import { isOwner, maxOwnerLength } from '../identity/owner.js';
import { tokenCommand } from '../project.js';
import { parseArguments, UsageError } from './arguments.js';

export const usage = () => `Access tokens in the service's database: DATABASE_URL, or the embedded one.

  ${tokenCommand} issue OWNER [--expires-in 30d]   print a new token for OWNER, and nothing else
  ${tokenCommand} list [OWNER]                     list all tokens, or those of OWNER, with their times
  ${tokenCommand} revoke ID                        end a token; services notice within 5 seconds
  ${tokenCommand} revoke --owner OWNER             end all tokens of OWNER

  --expires-in takes a number with s, m, h or d; without it, a token does not expire.`;

/** What the command line asks for. Without `lifetimeMs`, a token does not expire. */
export type Command =
  | { readonly name: 'issue'; readonly owner: string; readonly lifetimeMs: number | undefined }
  | { readonly name: 'list'; readonly owner: string | undefined }
  | { readonly name: 'revoke'; readonly id: bigint }
  | { readonly name: 'revoke all'; readonly owner: string };

const unitsMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** A token may be good for a hundred years. */
const maxLifetimeMs = 36_525 * 86_400_000;

/** @throws {UsageError} if the command line is wrong */
export function readCommand(parameters: string[]): Command {
  const { values, positionals } = parseArguments({
    args: parameters,
    allowPositionals: true,
    options: { 'expires-in': { type: 'string' }, owner: { type: 'string' } },
  });
  const [name, argument, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(`"${rest[0]}" is one argument too many.`);
  if (values['expires-in'] !== undefined && name !== 'issue')
    throw new UsageError('--expires-in works only with "issue".');
  if (values.owner !== undefined && (name !== 'revoke' || argument !== undefined))
    throw new UsageError('--owner works only with "revoke", and without an ID.');
  switch (name) {
    case 'issue':
      return { name, owner: readOwner(argument), lifetimeMs: readLifetimeMs(values['expires-in']) };
    case 'list':
      return { name, owner: argument === undefined ? undefined : readOwner(argument) };
    case 'revoke':
      if (values.owner !== undefined) return { name: 'revoke all', owner: readOwner(values.owner) };
      return { name, id: readId(argument) };
    default:
      throw new UsageError(
        name === undefined
          ? 'The command is missing: write issue, list or revoke.'
          : `"${name}" is not a command: write issue, list or revoke.`,
      );
  }
}

function readOwner(owner = ''): string {
  if (isOwner(owner)) return owner;
  throw new UsageError(`OWNER must be a name of 1 to ${maxOwnerLength} printable characters.`);
}

function readLifetimeMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, number, unit = ''] = /^([1-9][0-9]*)([smhd])$/.exec(text) ?? [];
  const lifetimeMs = Number(number) * (unitsMs[unit] ?? Number.NaN);
  if (lifetimeMs <= maxLifetimeMs) return lifetimeMs;
  throw new UsageError('--expires-in must be a number with s, m, h or d, such as 30d; at most 100 years.');
}

function readId(id = ''): bigint {
  if (/^[1-9][0-9]{0,17}$/.test(id)) return BigInt(id);
  throw new UsageError('ID must be the number of a token: "list OWNER" shows it.');
}
