/**
 * Calls every operation without good credentials, in every way. The refusal must come before anything else,
 * and its challenge must say what is missing. Good credentials of a scheme that the operation does not ask for
 * are no good there, nor is one of two that it asks for at once. Then this tries good credentials whose scheme
 * is spelt in other letters, each of the credentials among which the document gives a choice, and none if none
 * are needed.
 */

import { type Answer, headerValues } from '../../base/http/answer.js';
import type { Presented, Scheme } from '../../document/credentials.js';
import type { Operation } from '../../document/operations.js';
import { isSafe } from '../../document/operations.js';
import { isAbsent, succeeded } from '../../document/statuses.js';
import { ask, attempt } from '../answers/attempt.js';
import { takesKeys } from '../answers/check-answer.js';
import { accepted, type Expectation, refused } from '../answers/expectations.js';
import type { Breach } from '../answers/findings.js';
import type { Consequence } from '../answers/prepared.js';
import { variableOf } from '../document/accounts.js';
import { forEach } from '../requests/at-once.js';
import { type Request, requestFor } from '../requests/request.js';
import type { RequestValues } from '../requests/request-values.js';
import { bodyMutations } from './mutations.js';
import { type ProbeRun, preparePlain } from './probe-run.js';
import { type Challenge, type Stranger, shownOf, strangersTo } from './strangers.js';

export async function probeSecurity(run: ProbeRun): Promise<void> {
  const { accounts, description } = run;
  const { first, revoked } = accounts;
  if (!first.isKnown) return;
  const secured = run.operations.filter((operation) => first.met(operation).length > 0);
  const attacks = secured.flatMap((operation) =>
    strangersTo(run, operation)
      .filter(({ challenge }) => isRefused(operation, challenge))
      .map((stranger) => ({ operation, stranger })),
  );
  const unrevoked = secured.find((operation) => revoked.met(operation).length === 0);
  if (unrevoked !== undefined)
    run.recorder.note(
      `Revocation was not tried, because it needs ${revoked.lacks(unrevoked)}, which is not set.`,
    );
  await forEach(run, attacks, async ({ operation, stranger }) => refuse(run, operation, stranger));
  // Nobody could clean up what an anonymous request changes.
  await forEach(
    run,
    secured.filter((operation) => operation.anonymous && isSafe(operation)),
    async (operation) => welcomeAnybody(run, operation),
  );
  await forEach(
    run,
    secured.flatMap((operation) => goodCallersOf(run, operation).map((caller) => ({ operation, caller }))),
    async ({ operation, caller }) => welcome(run, operation, caller),
  );
  if (!description.rules.on.has('credentials-first')) return;
  await forEach(
    run,
    secured.flatMap((operation) => {
      const people = attacks.filter((attack) => attack.operation === operation);
      const nobody = people.find(({ stranger }) => stranger.credentials.length === 0);
      const others = people.filter(({ stranger }) => stranger.credentials.length > 0);
      const bad = others.find(({ stranger }) => stranger.challenge === 'invalid_token') ?? others[0];
      return bodyMutations(run, operation).flatMap((mutation) =>
        [nobody, bad].flatMap((attack) => (attack ? { ...attack, mutation } : [])),
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

async function refuse(
  run: ProbeRun,
  operation: Operation,
  { why, credentials, challenge, isPartlyGood = false }: Stranger,
  change: (request: Request) => Request = (request) => request,
): Promise<void> {
  const prepared = await preparePlain(run, operation, 'refused');
  if (prepared === undefined) return;
  const path = operation.node.at('security')?.path ?? ['security'];
  const request = change(requestFor(operation, prepared.values));
  await attempt(run, {
    operation,
    title: 'refuses who has no good credentials, before anything else',
    description: why,
    request: { ...request, credentials },
    expectation: mayBeForbidden(
      refused(operation, 'credentials', 'has no good credentials', path),
      operation,
      isPartlyGood,
    ),
    verify: (answer) => checkChallenge(run, operation, challenge, answer),
    prepared,
  });
}

/** RFC 9110, section 15.5.4: who shows good credentials that are not enough may be answered 403. */
function mayBeForbidden(
  expectation: Expectation,
  { responses }: Operation,
  isPartlyGood: boolean,
): Expectation {
  if (!isPartlyGood || !responses.has(403)) return expectation;
  return { ...expectation, statuses: [...expectation.statuses, 403] };
}

/** A caller who must be taken. */
interface GoodCaller {
  readonly title: string;
  readonly why: string;
  readonly words: string;
  readonly credentials: readonly Presented[];
}

/**
 * Lists callers whose scheme is spelt in other letters (RFC 9110, section 11.1: its name is case-insensitive),
 * and those who meet another requirement than the one that the rest of the run meets.
 */
function goodCallersOf({ accounts }: ProbeRun, operation: Operation): GoodCaller[] {
  return accounts.first.met(operation).flatMap((held, index) => {
    const credentials = held.map(shownOf);
    const names = held.map(({ name }) => name).join(' and ');
    const variables = held.map(({ credential }) => variableOf(credential)).join(' and ');
    const other = {
      title: 'takes each of the credentials that the document names',
      why: names,
      words: `has the credentials of ${names} (if those in ${variables} are good)`,
      credentials,
    };
    const spelt = held.flatMap(({ scheme }) =>
      spellings[scheme.kind].map((word) => ({
        title: 'takes the name of the scheme in any case',
        why: word,
        words: 'writes the scheme in another case',
        credentials: credentials.map((one) => (one.name === 'Authorization' ? respelt(one, word) : one)),
      })),
    );
    return index === 0 ? spelt : [other, ...spelt];
  });
}

function respelt({ text, shell, ...place }: Presented, word: string): Presented {
  const renamed = (authorization: string): string => authorization.replace(/^\w+/, word);
  return { ...place, text: renamed(text), shell: renamed(shell) };
}

async function welcome(run: ProbeRun, operation: Operation, caller: GoodCaller): Promise<void> {
  const prepared = await preparePlain(run, operation, 'accepted');
  if (prepared === undefined) return;
  const { title, why, words, credentials } = caller;
  await attempt(run, {
    operation,
    title,
    description: why,
    request: { ...requestFor(operation, prepared.values), credentials },
    expectation: { ...accepted(operation, prepared.statuses), request: words },
    prepared: {
      ...prepared,
      follow: async (step, answer) =>
        (await differsFromFirst(run, operation, prepared.values, words, answer)) ??
        prepared.follow?.(step, answer),
    },
  });
}

/**
 * Compares a documented failure with the answer to the credentials that the rest of the run shows. All of them
 * are the same owner's, so what one of them finds is there for the others. A 403 may be a matter of scopes, and
 * a change cannot be repeated to compare, so that these failures are only noted.
 */
async function differsFromFirst(
  run: ProbeRun,
  operation: Operation,
  values: RequestValues,
  words: string,
  { status }: Answer,
): Promise<Consequence | undefined> {
  if (status < 400) return undefined;
  const note = `${operation.id} was not seen to take a request that ${words}: it answered ${status}.`;
  if (!isSafe(operation)) {
    run.recorder.note(note);
    return undefined;
  }
  const request = requestFor(operation, values, run.accounts.first);
  const usual = await ask(run, operation, request, accepted(operation));
  // Then the credentials are not the reason, and the report says elsewhere that nothing was seen.
  if (!succeeded(operation, usual)) return undefined;
  if (!isAbsent(operation, { status })) {
    run.recorder.note(note);
    return undefined;
  }
  const breach: Breach = {
    rule: `a request that ${words} is answered ${status}`,
    says: 'all credentials are of one owner, so each finds what another one finds',
    path: operation.node.at('security')?.path ?? ['security'],
    did: `${status}, and ${usual.status} with the credentials of the other requests`,
  };
  return { steps: [usual], breach };
}

async function welcomeAnybody(run: ProbeRun, operation: Operation): Promise<void> {
  const prepared = await preparePlain(run, operation, 'accepted');
  if (prepared === undefined) return;
  await attempt(run, {
    operation,
    title: 'takes a request without credentials',
    description: 'no credentials',
    request: requestFor(operation, prepared.values),
    // The document does not say what anonymous callers see.
    expectation: { ...accepted(operation), request: 'shows no credentials and needs none' },
    prepared: {},
  });
}

const challenges = {
  basic: { name: 'Basic', rfc: 'RFC 7617, section 2' },
  bearer: { name: 'Bearer', rfc: 'RFC 6750, section 3' },
} as const;

function checkChallenge(
  { description }: ProbeRun,
  operation: Operation,
  challenge: Challenge,
  answer: Answer,
): Breach[] {
  const { requirements, responses, node } = operation;
  // Some refuse by a 403 or 404 instead, which needs no challenge; API keys have none (../answers/check-answer.ts).
  if (answer.status !== 401 || takesKeys(operation)) return [];
  const kinds = new Set(requirements.flat().map(({ scheme }) => scheme.kind));
  const value = headerValues(answer, 'www-authenticate').join(', ');
  const error = /\berror="([^"]*)"/.exec(value)?.[1];
  const names = [...kinds].flatMap((kind) => (kind === 'apiKey' ? [] : challenges[kind].name));
  const rfc = kinds.has('bearer') ? challenges.bearer.rfc : challenges.basic.rfc;
  const breach = (rule: string, says: string): Breach[] => [
    {
      rule,
      says: `${says} (${rfc})`,
      path: responses.get(answer.status)?.node.path ?? node.path,
      did: `WWW-Authenticate: ${value}`,
      isHabit: true,
    },
  ];
  // RFC 9110, section 15.5.2: one challenge at least. There may be others, in any order.
  const schemes = value
    .replaceAll(/"[^"]*"/g, '')
    .split(',')
    .map((part) => part.trim().split(/\s/, 1)[0]?.toLowerCase());
  const isThere = names.some((name) => schemes.includes(name.toLowerCase()));
  const written = names.join(' or ');
  if (!isThere) return breach(`the challenge is not ${written}`, `the challenge is ${written}`);
  const isBearer = kinds.size === 1 && kinds.has('bearer');
  if (!isBearer || !description.rules.on.has('bearer-error-codes')) return [];
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
