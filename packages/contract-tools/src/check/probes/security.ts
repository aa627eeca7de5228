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
import { ask } from '../answers/attempt.js';
import { takesKeys } from '../answers/check-answer.js';
import { accepted, refused } from '../answers/expectations.js';
import type { Breach } from '../answers/findings.js';
import type { Consequence } from '../answers/prepared.js';
import { variableOf } from '../document/accounts.js';
import { type Request, requestFor } from '../requests/request.js';
import type { RequestValues } from '../requests/request-values.js';
import { bodyMutations } from './mutations.js';
import type { ProbeRun } from './probe-run.js';
import { type Challenge, type Stranger, shownOf, strangersTo } from './strangers.js';
import type { RowTrial } from './trial.js';
import { isAlikeWithout, tryVariants, type Variant } from './variants.js';

export async function probeStrangers(trial: RowTrial): Promise<void> {
  const { run } = trial;
  const { first, revoked } = run.accounts;
  const unrevoked = run.operations.find(
    (operation) => first.met(operation).length > 0 && revoked.met(operation).length === 0,
  );
  if (unrevoked !== undefined)
    run.recorder.note(
      `Revocation was not tried, because it needs ${revoked.lacks(unrevoked)}, which is not set.`,
    );
  await tryVariants(trial, (operation) =>
    strangersRefusedBy(run, operation).map((stranger) => refusal(run, operation, stranger)),
  );
}

export async function probeGoodCallers(trial: RowTrial): Promise<void> {
  const { run } = trial;
  await tryVariants(trial, (operation) => {
    const isMet = run.accounts.first.met(operation).length > 0;
    // Nobody could clean up what an anonymous request changes.
    return isMet && operation.anonymous && isSafe(operation) ? [welcomeToAnybody(operation)] : [];
  });
  await tryVariants(trial, (operation) => goodCallersOf(run, operation));
}

/** The refusal must come before that of a body which is wrong below its schema: each mistake is tried once. */
export async function probeCredentialsFirst(trial: RowTrial): Promise<void> {
  const { run } = trial;
  await tryVariants(trial, (operation) => {
    const people = strangersRefusedBy(run, operation);
    const nobody = people.find(({ credentials }) => credentials.length === 0);
    const others = people.filter(({ credentials }) => credentials.length > 0);
    const bad = others.find(({ challenge }) => challenge === 'invalid_token') ?? others[0];
    const all = bodyMutations(run, operation);
    const mistakes = all.filter(({ title }, index) => all.findIndex((one) => one.title === title) === index);
    return mistakes.flatMap(({ description, change }) =>
      [nobody, bad].flatMap((stranger) =>
        stranger
          ? refusal(run, operation, { ...stranger, why: `${stranger.why}, and ${description}` }, change)
          : [],
      ),
    );
  });
}

/**
 * A bearer token must be good even for an operation that needs none (RFC 6750, section 3.1). Nothing says so
 * of other credentials.
 */
function strangersRefusedBy(run: ProbeRun, operation: Operation): Stranger[] {
  if (run.accounts.first.met(operation).length === 0) return [];
  return strangersTo(run, operation).filter(
    ({ challenge }) => !operation.anonymous || challenge === 'invalid_token',
  );
}

const spellings: Readonly<Record<Scheme['kind'], readonly string[]>> = {
  bearer: ['bearer', 'BEARER', 'bEaReR'],
  basic: ['basic', 'BASIC', 'bAsIc'],
  apiKey: [],
};

function refusal(
  run: ProbeRun,
  operation: Operation,
  { why, credentials, challenge, isPartlyGood = false }: Stranger,
  change = (request: Request): Request => request,
): Variant {
  const path = operation.node.at('security')?.path ?? ['security'];
  return {
    operation,
    description: why,
    change: (request) => ({ ...change(request), credentials }),
    expectation: refused(operation, 'credentials', 'has no good credentials', path),
    // RFC 9110, section 15.5.4: who shows good credentials that are not enough may be answered 403.
    others: isPartlyGood ? [403] : [],
    verify: (answer) => checkChallenge(run, operation, challenge, answer),
  };
}

/**
 * Lists callers whose scheme is spelt in other letters (RFC 9110, section 11.1: its name is case-insensitive),
 * and those who meet another requirement than the one that the rest of the run meets.
 */
function goodCallersOf(run: ProbeRun, operation: Operation): Variant[] {
  return run.accounts.first.met(operation).flatMap((held, index) => {
    const credentials = held.map(shownOf);
    const names = held.map(({ name }) => name).join(' and ');
    const variables = held.map(({ credential }) => variableOf(credential)).join(' and ');
    const other = {
      title: 'takes each of the credentials that the document names',
      description: names,
      ...welcome(
        run,
        operation,
        `has the credentials of ${names} (if those in ${variables} are good)`,
        credentials,
      ),
    };
    const spelt = held.flatMap(({ scheme }) =>
      spellings[scheme.kind].map((word) => ({
        description: word,
        ...welcome(
          run,
          operation,
          'writes the scheme in another case',
          credentials.map((one) => (one.name === 'Authorization' ? respelt(one, word) : one)),
        ),
      })),
    );
    return index === 0 ? spelt : [other, ...spelt];
  });
}

function respelt({ text, shell, ...place }: Presented, word: string): Presented {
  const renamed = (authorization: string): string => authorization.replace(/^\w+/, word);
  return { ...place, text: renamed(text), shell: renamed(shell) };
}

/** @param words the request, in words that continue "a request that" */
function welcome(
  run: ProbeRun,
  operation: Operation,
  words: string,
  credentials: readonly Presented[],
): Omit<Variant, 'description'> {
  return {
    operation,
    change: (request) => ({ ...request, credentials }),
    expectation: { ...accepted(operation), request: words },
    isElsewhere: (status) => isAlikeWithout(run, operation, status),
    demands: (prepared) => ({
      ...prepared,
      follow: async (step, answer) =>
        (await differsFromFirst(run, operation, prepared.values, words, answer)) ??
        prepared.follow?.(step, answer),
    }),
  };
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

function welcomeToAnybody(operation: Operation): Variant {
  return {
    operation,
    title: 'takes a request without credentials',
    description: 'no credentials',
    change: (request) => ({ ...request, credentials: undefined }),
    expectation: { ...accepted(operation), request: 'shows no credentials and needs none' },
    // The document does not say what anonymous callers see.
    demands: () => ({}),
  };
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
