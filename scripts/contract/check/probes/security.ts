/** Authentication: every operation without a good token in every way, before other faults are looked at. */
import { type Answer, headerValues } from '../../../kit/http/answer.js';
import { attempt } from '../attempt.js';
import type { Operation } from '../description.js';
import { accepted, refused } from '../expectations.js';
import type { Breach } from '../findings.js';
import { preparePlain } from '../plain-request.js';
import { bearer, type Credential, type Request, requestFor } from '../request.js';
import { isSafe, type Run } from '../run.js';
import { forEach } from '../runner.js';
import { requestFaults } from './request-faults.js';

/** RFC 6750, section 3.1: an error code if a token came, none if no bearer token came. */
type Challenge = 'invalid_token' | 'no error' | 'any';

interface Stranger {
  readonly why: string;
  readonly authorization: Credential | undefined;
  readonly challenge: Challenge;
}

export async function probeSecurity(run: Run): Promise<void> {
  const { token, revokedToken, description } = run;
  if (token === undefined) return;
  const secured = description.operations.filter((operation) => operation.secured);
  const people = [...strangers(token), ...revoked(revokedToken)];
  if (secured.length > 0 && revokedToken === undefined)
    run.recorder.note('PLANTS_REVOKED_TOKEN is not set, so revocation was not tried.');
  await forEach(
    run,
    secured.flatMap((operation) =>
      people
        .filter(({ challenge }) => isRefused(operation, challenge))
        .map((stranger) => ({ operation, stranger })),
    ),
    async ({ operation, stranger }) => refuse(run, operation, stranger),
  );
  // Nobody could clean up what an anonymous request changes.
  await forEach(
    run,
    secured.filter((operation) => operation.anonymous && isSafe(operation)),
    async (operation) => welcomeAnybody(run, operation),
  );
  // RFC 9110, section 11.1: the name of a scheme is case-insensitive.
  await forEach(
    run,
    secured.flatMap((operation) => ['bearer', 'BEARER', 'bEaReR'].map((scheme) => ({ operation, scheme }))),
    async ({ operation, scheme }) => welcome(run, operation, scheme, token),
  );
  if (!description.rules.on.has('credentials-first')) return;
  const [nobody, ...others] = people;
  const bad = others.find(({ challenge }) => challenge === 'invalid_token');
  await forEach(
    run,
    secured.flatMap((operation) =>
      requestFaults(run, operation)
        .filter(({ addressed }) => addressed)
        .flatMap((fault) =>
          [nobody, bad].flatMap((stranger) =>
            stranger && isRefused(operation, stranger.challenge) ? { operation, fault, stranger } : [],
          ),
        ),
    ),
    async ({ operation, fault, stranger }) =>
      refuse(run, operation, { ...stranger, why: `${stranger.why}, and ${fault.why}` }, fault.change),
  );
}

/** A token must be good even for an operation that needs none (RFC 6750, section 3.1). */
function isRefused({ anonymous }: Operation, challenge: Challenge): boolean {
  return !anonymous || challenge === 'invalid_token';
}

function strangers({ text, shell }: Credential): Stranger[] {
  const fixed = (why: string, value: string, challenge: Challenge): Stranger => ({
    why,
    authorization: { text: value, shell: value },
    challenge,
  });
  const altered = (why: string, token: Credential): Stranger[] =>
    token.text === text ? [] : [{ why, authorization: bearer(token), challenge: 'invalid_token' }];
  // Replaces a middle character by another one of its kind.
  const middle = Math.floor(text.length / 2);
  const other = text[middle] === 'a' ? 'b' : 'a';
  /** A Bash expression of the variable that holds the token. */
  const expansion = (change: string): string =>
    shell.replace(/^\$(\w+)$/, (_, name) => `\${${name}${change}}`);
  return [
    { why: 'no Authorization', authorization: undefined, challenge: 'no error' },
    fixed('another scheme', 'Basic dXNlcjpwYXNzd29yZA==', 'no error'),
    fixed('a scheme that nobody knows', 'Unknown abc', 'no error'),
    { why: 'the token without a scheme', authorization: { text, shell }, challenge: 'any' },
    fixed('the scheme alone', 'Bearer', 'any'),
    fixed('a token of one letter', 'Bearer x', 'invalid_token'),
    fixed('the word null', 'Bearer null', 'invalid_token'),
    fixed('characters that no token has', 'Bearer <>"', 'any'),
    ...altered('the token without its last character', {
      text: text.slice(0, -1),
      shell: expansion('%?'),
    }),
    ...altered('the token and one letter more', {
      text: `${text}x`,
      shell: `${expansion('')}x`,
    }),
    ...altered('the token with another letter in its middle', {
      text: text.slice(0, middle) + other + text.slice(middle + 1),
      shell: `${expansion(`:0:${middle}`)}${other}${expansion(`:${middle + 1}`)}`,
    }),
    ...altered('the token in upper case', {
      text: text.toUpperCase(),
      shell: expansion('^^'),
    }),
    fixed('a long token', `Bearer ${'x'.repeat(4_000)}`, 'invalid_token'),
  ];
}

function revoked(token: Credential | undefined): Stranger[] {
  return token === undefined
    ? []
    : [{ why: 'a token that was revoked', authorization: bearer(token), challenge: 'invalid_token' }];
}

async function refuse(
  run: Run,
  operation: Operation,
  { why, authorization, challenge }: Stranger,
  change: (request: Request) => Request = (request) => request,
): Promise<void> {
  const prepared = await preparePlain(run, operation, 'refused');
  if (prepared === undefined) return;
  const path = operation.node.at('security')?.path ?? ['security'];
  const request = change(requestFor(operation, prepared.values, run.token));
  await attempt(run, {
    operation,
    title: 'refuses who has no good token, before anything else',
    description: why,
    request: { ...request, authorization },
    expectation: refused(operation, 'credentials', 'has no good token', path),
    verify: (answer) => checkChallenge(run, operation, challenge, answer),
    prepared,
  });
}

async function welcome(run: Run, operation: Operation, scheme: string, token: Credential): Promise<void> {
  const prepared = await preparePlain(run, operation, 'accepted');
  if (prepared === undefined) return;
  const request = requestFor(operation, prepared.values, token);
  const authorization = { text: `${scheme} ${token.text}`, shell: `${scheme} ${token.shell}` };
  const expectation = accepted(operation, prepared.statuses);
  await attempt(run, {
    operation,
    title: 'takes the name of the scheme in any case',
    description: scheme,
    request: { ...request, authorization },
    expectation: { ...expectation, request: 'writes the scheme in another case' },
    prepared,
  });
}

async function welcomeAnybody(run: Run, operation: Operation): Promise<void> {
  const prepared = await preparePlain(run, operation, 'accepted');
  if (prepared === undefined) return;
  await attempt(run, {
    operation,
    title: 'takes a request without a token',
    description: 'no Authorization',
    request: requestFor(operation, prepared.values, undefined),
    // The document does not say what anonymous callers see.
    expectation: { ...accepted(operation), request: 'shows no token and needs none' },
    prepared: {},
  });
}

function checkChallenge(
  { description }: Run,
  operation: Operation,
  challenge: Challenge,
  answer: Answer,
): Breach[] {
  // Some refuse by a 403 or 404 instead, which needs no challenge.
  if (answer.status !== 401) return [];
  const value = headerValues(answer, 'www-authenticate').join(', ');
  const error = /\berror="([^"]*)"/.exec(value)?.[1];
  const breach = (rule: string, says: string): Breach[] => [
    {
      rule,
      says: `${says} (RFC 6750, section 3)`,
      path: operation.responses.get(answer.status)?.node.path ?? operation.node.path,
      did: `WWW-Authenticate: ${value}`,
    },
  ];
  if (!/^bearer(\s|$)/i.test(value)) return breach('the challenge is not Bearer', 'the challenge is Bearer');
  if (!description.rules.on.has('bearer-error-codes')) return [];
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
