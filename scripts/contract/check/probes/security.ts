/**
 * Calls every operation without good credentials, in every way. The refusal must come before anything else,
 * and its challenge must say what is missing. Then it tries good credentials whose scheme is spelt in other
 * letters, and no credentials where none are needed.
 */

import { type Credential, type Presented, present, type Scheme } from '../../document/credentials.js';
import type { Operation } from '../../document/operations.js';
import { isSafe } from '../../document/operations.js';
import { type Answer, headerValues } from '../../kit/http/answer.js';
import { attempt } from '../answers/attempt.js';
import { accepted, refused } from '../answers/expectations.js';
import type { Breach } from '../answers/findings.js';
import { forEach } from '../requests/at-once.js';
import { shellText } from '../requests/curl.js';
import { type Request, requestFor } from '../requests/request.js';
import { bodyMutations } from './mutations.js';
import { type ProbeRun, preparePlain } from './probe-run.js';

/** RFC 6750, section 3.1: an error code if a token came, none if no bearer token came. Others say nothing. */
type Challenge = 'invalid_token' | 'no error' | 'any';

/** A caller who must be refused. */
interface Stranger {
  readonly why: string;
  readonly credential: Presented | undefined;
  readonly challenge: Challenge;
}

export async function probeSecurity(run: ProbeRun): Promise<void> {
  const { token, revokedToken, description } = run;
  if (token === undefined) return;
  const secured = description.operations.flatMap((operation) => {
    const { scheme } = operation;
    if (scheme === undefined) return [];
    const people = strangers(scheme, token, revokedToken);
    return [{ operation, scheme, people: people.filter(({ challenge }) => isRefused(operation, challenge)) }];
  });
  if (secured.length > 0 && revokedToken === undefined)
    run.recorder.note('PLANTS_REVOKED_TOKEN is not set, so revocation was not tried.');
  await forEach(
    run,
    secured.flatMap(({ operation, people }) => people.map((stranger) => ({ operation, stranger }))),
    async ({ operation, stranger }) => refuse(run, operation, stranger),
  );
  // Nobody could clean up what an anonymous request changes.
  await forEach(
    run,
    secured.filter(({ operation }) => operation.anonymous && isSafe(operation)),
    async ({ operation }) => welcomeAnybody(run, operation),
  );
  // RFC 9110, section 11.1: the name of a scheme is case-insensitive.
  await forEach(
    run,
    secured.flatMap(({ operation, scheme }) =>
      spellings[scheme.kind].map((word) => ({ operation, word, credential: present(scheme, token) })),
    ),
    async ({ operation, word, credential }) => welcome(run, operation, word, credential),
  );
  if (!description.rules.on.has('credentials-first')) return;
  await forEach(
    run,
    secured.flatMap(({ operation, people }) => {
      const nobody = people.find(({ credential }) => credential === undefined);
      const others = people.filter(({ credential }) => credential !== undefined);
      const bad = others.find(({ challenge }) => challenge === 'invalid_token') ?? others[0];
      return bodyMutations(run, operation).flatMap((mutation) =>
        [nobody, bad].flatMap((stranger) => (stranger ? { operation, mutation, stranger } : [])),
      );
    }),
    ({ operation, mutation, stranger }) =>
      refuse(run, operation, { ...stranger, why: `${stranger.why}, and ${mutation.why}` }, mutation.change),
  );
}

const spellings: Readonly<Record<Scheme['kind'], readonly string[]>> = {
  bearer: ['bearer', 'BEARER', 'bEaReR'],
  basic: ['basic', 'BASIC', 'bAsIc'],
  apiKey: [],
};

/**
 * A bearer token must be good even for an operation that needs none (RFC 6750, section 3.1). Nothing says so
 * of other credentials.
 */
function isRefused({ anonymous }: Operation, challenge: Challenge): boolean {
  return !anonymous || challenge === 'invalid_token';
}

/** Lists callers with no credentials, and with every kind of wrong ones. */
function strangers(scheme: Scheme, good: Credential, revoked: Credential | undefined): Stranger[] {
  const nobody: Stranger = { why: 'no credentials', credential: undefined, challenge: 'no error' };
  const others = revoked === undefined ? [] : [unknown('a token that was revoked', scheme, revoked)];
  return [nobody, ...impostors[scheme.kind](scheme, good), ...others].filter(
    ({ credential }) => credential?.text !== present(scheme, good).text,
  );
}

const impostors: Readonly<Record<Scheme['kind'], (scheme: Scheme, good: Credential) => Stranger[]>> = {
  bearer: (scheme, good) => [
    inAuthorization('another scheme', literal('Basic dXNlcjpwYXNzd29yZA=='), 'no error'),
    inAuthorization('a scheme that nobody knows', literal('Unknown abc'), 'no error'),
    inAuthorization('the token without a scheme', good),
    inAuthorization('the scheme alone', literal('Bearer')),
    unknown('a token of one letter', scheme, literal('x')),
    unknown('the word null', scheme, literal('null')),
    inAuthorization('characters that no token has', literal('Bearer <>"')),
    ...altered('the token', scheme, good),
    inUpperCase('the token', scheme, good),
    unknown('a long token', scheme, literal('x'.repeat(4_000))),
  ],
  // RFC 9110, section 11.4: a 401 is for credentials that are missing, invalid or partial.
  basic: (scheme, good) => [
    unknown('a user and a password of one letter', scheme, literal('x:x')),
    unknown('neither a user nor a password', scheme, literal(':')),
    unknown('no colon', scheme, literal('x')),
    inAuthorization('another scheme', literal('Bearer x')),
    inAuthorization('a scheme that nobody knows', literal('Unknown abc')),
    inAuthorization('the scheme alone', literal('Basic')),
    inAuthorization('characters that base64 does not have', literal('Basic <>"')),
    unknown('another user', scheme, { text: `x${good.text}`, shell: `x${good.shell}` }),
    // Some servers take a key for the name of the user, and look at no password.
    ...(good.text.endsWith(':') ? [] : altered('user:password', scheme, good)),
  ],
  apiKey: (scheme, good) => [
    unknown('a key of one letter', scheme, literal('x')),
    unknown('the word null', scheme, literal('null')),
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
  return { why, credential: { in: 'header', name: 'Authorization', ...value }, challenge };
}

function unknown(why: string, scheme: Scheme, credential: Credential): Stranger {
  const challenge = scheme.kind === 'bearer' ? 'invalid_token' : 'any';
  return { why, credential: present(scheme, credential), challenge };
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

/** Writes a Bash expression of the variable that holds the credential: `${PLANTS_TOKEN%?}` for `%?`. */
function expansion(shell: string, change: string): string {
  return shell.replace(/^\$(\w+)$/, (_, name) => `\${${name}${change}}`);
}

async function refuse(
  run: ProbeRun,
  operation: Operation,
  { why, credential, challenge }: Stranger,
  change: (request: Request) => Request = (request) => request,
): Promise<void> {
  const prepared = await preparePlain(run, operation, 'refused');
  if (prepared === undefined) return;
  const path = operation.node.at('security')?.path ?? ['security'];
  const request = change(requestFor(operation, prepared.values, run.token));
  await attempt(run, {
    operation,
    title: 'refuses who has no good credentials, before anything else',
    description: why,
    request: { ...request, credential },
    expectation: refused(operation, 'credentials', 'has no good credentials', path),
    verify: (answer) => checkChallenge(run, operation, challenge, answer),
    prepared,
  });
}

async function welcome(
  run: ProbeRun,
  operation: Operation,
  word: string,
  { text, shell, ...place }: Presented,
): Promise<void> {
  const prepared = await preparePlain(run, operation, 'accepted');
  if (prepared === undefined) return;
  const request = requestFor(operation, prepared.values, undefined);
  const renamed = (authorization: string): string => authorization.replace(/^\w+/, word);
  const expectation = accepted(operation, prepared.statuses);
  await attempt(run, {
    operation,
    title: 'takes the name of the scheme in any case',
    description: word,
    request: { ...request, credential: { ...place, text: renamed(text), shell: renamed(shell) } },
    expectation: { ...expectation, request: 'writes the scheme in another case' },
    prepared,
  });
}

async function welcomeAnybody(run: ProbeRun, operation: Operation): Promise<void> {
  const prepared = await preparePlain(run, operation, 'accepted');
  if (prepared === undefined) return;
  await attempt(run, {
    operation,
    title: 'takes a request without credentials',
    description: 'no credentials',
    request: requestFor(operation, prepared.values, undefined),
    // The document does not say what anonymous callers see.
    expectation: { ...accepted(operation), request: 'shows no credentials and needs none' },
    prepared: {},
  });
}

function checkChallenge(
  { description }: ProbeRun,
  operation: Operation,
  challenge: Challenge,
  answer: Answer,
): Breach[] {
  const { scheme, responses, node } = operation;
  // Some refuse by a 403 or 404 instead, which needs no challenge; API keys have none (../answers/check-answer.ts).
  if (answer.status !== 401 || scheme === undefined || scheme.kind === 'apiKey') return [];
  const value = headerValues(answer, 'www-authenticate').join(', ');
  const error = /\berror="([^"]*)"/.exec(value)?.[1];
  const [name, rfc] =
    scheme.kind === 'basic' ? ['Basic', 'RFC 7617, section 2'] : ['Bearer', 'RFC 6750, section 3'];
  const breach = (rule: string, says: string): Breach[] => [
    {
      rule,
      says: `${says} (${rfc})`,
      path: responses.get(answer.status)?.node.path ?? node.path,
      did: `WWW-Authenticate: ${value}`,
    },
  ];
  // RFC 9110, section 15.5.2: one challenge at least. There may be others, in any order.
  const schemes = value
    .replaceAll(/"[^"]*"/g, '')
    .split(',')
    .map((part) => part.trim().split(/\s/, 1)[0]?.toLowerCase());
  const isThere = schemes.includes(name.toLowerCase());
  if (!isThere) return breach(`the challenge is not ${name}`, `the challenge is ${name}`);
  if (scheme.kind !== 'bearer' || !description.rules.on.has('bearer-error-codes')) return [];
  if (challenge === 'no error' && error !== undefined) {
    return breach('the challenge has an error although no token came', 'no error where no token came');
  }
  if (challenge === 'invalid_token' && error !== challenge) {
    return breach(
      'the challenge does not say invalid_token',
      'error="invalid_token" where a token is not good',
    );
  }
  return [];
}
