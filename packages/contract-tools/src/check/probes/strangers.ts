/**
 * Lists the callers whom an operation must refuse: with no credentials, with every kind of wrong ones, with those
 * of another scheme, and with a part of what it asks for at once.
 */
import { type Credential, type Presented, present, type Scheme } from '../../document/credentials.js';
import type { Operation } from '../../document/operations.js';
import type { Held } from '../document/accounts.js';
import { shellText } from '../requests/curl.js';
import type { ProbeRun } from './probe-run.js';

/** RFC 6750, section 3.1: an error code if a token came, none if no bearer token came. Others say nothing. */
export type Challenge = 'invalid_token' | 'no error' | 'any';

/** A caller who must be refused. */
export interface Stranger {
  readonly why: string;
  readonly credentials: readonly Presented[];
  readonly challenge: Challenge;
  /** Whether the credentials are good, but not those that the operation asks for, or not all of them. */
  readonly isPartlyGood?: boolean;
}

/** Lists callers with no credentials, with every kind of wrong ones, and with those of another scheme. */
export function strangersTo({ accounts }: ProbeRun, operation: Operation): Stranger[] {
  const { first, revoked } = accounts;
  const met = first.met(operation);
  const good = met.map((held) => held.map(shownOf));
  const wrong = met.flatMap((held) =>
    held.flatMap((one): Stranger[] => {
      const others = held.filter((other) => other !== one).map(shownOf);
      const old = revoked.credentialOf(one);
      const impostor = impostors[one.scheme.kind](one.scheme, one.credential);
      if (old !== undefined) impostor.push(unknown('a token that was revoked', one.scheme, old));
      return [
        ...(others.length === 0 ? [] : [partial(one, others)]),
        ...impostor.map((stranger) => ({
          ...stranger,
          credentials: [...stranger.credentials, ...others],
          isPartlyGood: others.length > 0,
        })),
      ];
    }),
  );
  const named = operation.requirements.flat().map(({ name }) => name);
  const foreign = first.held
    .filter(({ name }) => !named.includes(name))
    .map(
      (one): Stranger => ({
        why: `the credentials of ${one.name}, which it does not ask for`,
        credentials: [shownOf(one)],
        challenge: 'any',
        isPartlyGood: true,
      }),
    );
  const isGood = ({ credentials }: Stranger): boolean =>
    good.some((parts) => parts.every((part) => credentials.some((one) => isSameShown(one, part))));
  const all = [nobody, ...wrong, ...foreign].filter((stranger) => !isGood(stranger));
  // Two schemes may have impostors in common, such as one without a scheme.
  return [...new Map(all.map((stranger) => [keyOf(stranger), stranger])).values()];
}

const nobody: Stranger = { why: 'no credentials', credentials: [], challenge: 'no error' };

/** A caller who shows only a part of what the operation asks for at once. */
function partial({ name }: Held, others: readonly Presented[]): Stranger {
  return {
    why: `no credentials of ${name}, which it also asks for`,
    credentials: others,
    challenge: 'any',
    isPartlyGood: true,
  };
}

export function shownOf({ scheme, credential }: Held): Presented {
  return present(scheme, credential);
}

function isSameShown(one: Presented, other: Presented): boolean {
  return one.in === other.in && one.name === other.name && one.text === other.text;
}

function keyOf({ credentials }: Stranger): string {
  return JSON.stringify(credentials.map(({ in: place, name, text }) => [place, name, text]));
}

const impostors: Readonly<Record<Scheme['kind'], (scheme: Scheme, good: Credential) => Stranger[]>> = {
  bearer: (scheme, good) => [
    inAuthorization('another scheme', literal('Basic dXNlcjpwYXNzd29yZA=='), 'no error'),
    inAuthorization('the token without a scheme', good),
    inAuthorization('the scheme alone', literal('Bearer')),
    unknown('a token of one letter', scheme, literal('x')),
    inAuthorization('characters that no token has', literal('Bearer <>"')),
    ...altered('the token', scheme, good),
    inUpperCase('the token', scheme, good),
  ],
  // RFC 9110, section 11.4: a 401 is for credentials that are missing, invalid or partial.
  basic: (scheme, good) => [
    unknown('a user and a password of one letter', scheme, literal('x:x')),
    unknown('no colon', scheme, literal('x')),
    inAuthorization('another scheme', literal('Bearer x')),
    inAuthorization('the scheme alone', literal('Basic')),
    inAuthorization('characters that base64 does not have', literal('Basic <>"')),
    unknown('another user', scheme, { text: `x${good.text}`, shell: `x${good.shell}` }),
    // Some servers take a key for the name of the user, and look at no password.
    ...(good.text.endsWith(':') ? [] : altered('user:password', scheme, good)),
  ],
  apiKey: (scheme, good) => [
    unknown('a key of one letter', scheme, literal('x')),
    unknown('an empty key', scheme, literal('')),
    inUpperCase('the key', scheme, good),
    ...altered('the key', scheme, good),
  ],
};

function literal(text: string): Credential {
  return { text, shell: shellText(text) };
}

/** @param value the whole value of the header */
function inAuthorization(why: string, value: Credential, challenge: Challenge = 'any'): Stranger {
  return { why, credentials: [{ in: 'header', name: 'Authorization', ...value }], challenge };
}

function unknown(why: string, scheme: Scheme, credential: Credential): Stranger {
  const challenge = scheme.kind === 'bearer' ? 'invalid_token' : 'any';
  return { why, credentials: [present(scheme, credential)], challenge };
}

function inUpperCase(what: string, scheme: Scheme, { text, shell }: Credential): Stranger {
  return unknown(`${what} in upper case`, scheme, {
    text: text.toUpperCase(),
    shell: expansion(shell, '^^'),
  });
}

function altered(what: string, scheme: Scheme, { text, shell }: Credential): Stranger[] {
  // Replaces a middle character by another one of its kind.
  const middle = Math.floor(text.length / 2);
  const other = text[middle] === 'a' ? 'b' : 'a';
  return [
    unknown(`${what} without its last character`, scheme, {
      text: text.slice(0, -1),
      shell: expansion(shell, '%?'),
    }),
    unknown(`${what} and one letter more`, scheme, {
      text: `${text}x`,
      shell: `${expansion(shell, '')}x`,
    }),
    unknown(`${what} with another letter in its middle`, scheme, {
      text: text.slice(0, middle) + other + text.slice(middle + 1),
      shell: `${expansion(shell, `:0:${middle}`)}${other}${expansion(shell, `:${middle + 1}`)}`,
    }),
  ];
}

/** Writes a Bash expression of the variable that holds the credential: `${CONTRACT_TOKEN%?}` for `%?`. */
function expansion(shell: string, change: string): string {
  return shell.replace(/^\$(\w+)$/, (_, name) => `\${${name}${change}}`);
}
