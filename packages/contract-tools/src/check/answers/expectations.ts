/**
 * Decides which statuses may answer a request, and judges an answer by them.
 *
 * The document lists the statuses of an operation, and does not say which request gets which. Two things are
 * known of a request: whether it is valid, and if not, which kind of mistake it has.
 *
 * - A valid request may be answered with any documented status that does not complain of the request or the
 *   server. If the meaning knows more, only its statuses are right: 204 for the delete of an item that is
 *   there.
 * - A wrong request gets the documented status for its mistake: 413 for a body that is too large, 401 for
 *   missing credentials. If that one is not documented, 400 takes its place, or else any documented 4xx.
 *
 * But no schema can say everything. A name may be taken, and a text may have to be a telephone number. So a
 * documented failure of a valid request may be excused (`excuseOf`). It always is if its status says that
 * something around the request is in the way, such as 409 or 402, or if the document only allows the value
 * that is tried. If the document names the value, as a bound or an enum does, the failure is excused until
 * the operation has answered some valid request with success. From then on, the recorder counts it as a
 * finding.
 *
 * A status that the document does not list is a breach (check-answer.ts). The refusal of a wrong request is not,
 * because a document need not have every 4xx. The rules `valid-requests-succeed` and `documented-refusals`
 * end these two exceptions.
 */

import type { Path } from '../../../../exact-json/index.js';
import type { Answer } from '../../base/http/answer.js';
import type { Operation } from '../../document/operations.js';
import { absences } from '../../document/statuses.js';
import type { Description } from '../document/description.js';
import { brief, checkAnswer, checkRefusal } from './check-answer.js';
import type { Breach } from './findings.js';

export interface Expectation {
  /** The kind of request, in words that continue "a request that": "is valid", "breaks maxLength". */
  readonly request: string;
  /** The right ones. */
  readonly statuses: readonly number[];
  /** Whether these statuses mean success, and not only a correct refusal. */
  readonly fulfilled: boolean;
  /** The kind of mistake in the request; undefined if the request is valid. */
  readonly refusal?: RefusalKind | undefined;
  /**
   * Whether the document allows the values of a valid request without naming them, as a bound or an enum
   * does. Many servers refuse such values for reasons that no schema can say: a text may have to be a
   * telephone number.
   */
  readonly isUnnamed?: boolean | undefined;
  /** Whether a rule of the contract says that the request is taken, so that a 422 does not excuse a refusal. */
  readonly isPromised?: boolean | undefined;
  /** Whether a valid request names something of which nobody knows that it is there (../resources/unknown-names.ts). */
  readonly namesUnknown?: boolean | undefined;
  /** The place in the YAML that the request keeps or breaks. */
  readonly path: Path;
}

/** RFC 9110, sections 15.5 and 15.6: these statuses blame the request or the server. */
const complaints = new Set([400, 401, 403, 405, 406, 408, 411, 413, 414, 415, 422, 426, 428, 429, 431]);

/**
 * Expects a valid request to be answered as documented.
 *
 * @param statuses the right ones, if more is known than the document says
 */
export function accepted(operation: Operation, statuses?: readonly number[]): Expectation {
  const documented = [...operation.responses.keys()].filter(
    (status) => status < 500 && !complaints.has(status),
  );
  return {
    request: 'is valid',
    statuses: statuses ?? documented,
    fulfilled: true,
    path: operation.node.at('responses')?.path ?? operation.node.path,
  };
}

/**
 * Statuses that say that something around a valid request is in the way: a conflict, a quota, a missing
 * permission.
 */
const obstacles = [402, 403, 408, 409, 412, 413, 414, 423, 424, 425, 428, 429, 431, 451];

/** RFC 9110, sections 15.5.10 and 15.5.13: these are about the state of what is there, and not about the request. */
const conflicts = [409, 412];

/** Lists the documented failures of a valid request that are not findings. */
function obstaclesOf({ responses, secured }: Operation): number[] {
  // Many answer 422 to what does not fit; beside a 400, it is about the meaning.
  const meanings = responses.get(422)?.key === '422' && responses.has(400) ? [422] : [];
  // Without a token, credentials can only be among the values, as in a login.
  const logins = secured ? [] : [401];
  return [...obstacles, ...meanings, ...logins].filter((status) => responses.has(status));
}

type Excuse = 'always' | 'until it succeeds';

/**
 * Decides whether a documented failure of a valid request is excused. The rule `valid-requests-succeed` excuses none but
 * a conflict with what is there, and the refusal of a name of what may not be there: no server could avoid these.
 */
export function excuseOf(
  { rules }: Description,
  operation: Operation,
  { fulfilled, isPromised = false, isUnnamed = false, namesUnknown = false, statuses }: Expectation,
  { status }: Answer,
): Excuse | undefined {
  const isFailure = fulfilled && status >= 300 && status < 500 && !statuses.includes(status);
  // The caller knows whether what it asks for is there, and has 404 and 410 among the statuses if it may not
  // be.
  const isAbsence = (status === 404 || status === 410) && !namesUnknown;
  const isDocumented = operation.responses.has(status);
  const mayFail = !rules.on.has('valid-requests-succeed') || conflicts.includes(status) || namesUnknown;
  if (!isFailure || isAbsence || !isDocumented || !mayFail) return undefined;
  // The request has a media type that the document names.
  if (status === 415) return undefined;
  const isRefused = isPromised && status === 422;
  const isAround = status < 400 || (!isRefused && obstaclesOf(operation).includes(status));
  return isAround || isUnnamed || namesUnknown ? 'always' : 'until it succeeds';
}

/** RFC 9110, section 15.5: the statuses that report each kind of mistake in a request, the best one first. */
const refusalStatuses = {
  values: [400, 422],
  syntax: [400],
  mediaType: [415],
  size: [413],
  credentials: [401],
  // RFC 6585, section 3.
  condition: [428, 400, 422],
} as const;

export type RefusalKind = keyof typeof refusalStatuses;

/**
 * Expects a wrong request to be refused.
 *
 * @param request the mistake, in words that continue "a request that"
 * @param path the place in the YAML that the request breaks
 */
export function refused(
  operation: Operation,
  refusal: RefusalKind,
  request: string,
  path: Path,
): Expectation {
  const documented = (status: number): boolean => operation.responses.has(status);
  const best = refusalStatuses[refusal].filter(documented);
  const general = [400].filter(documented);
  const any = [...operation.responses.keys()].filter((status) => status >= 400 && status < 500);
  const statuses = [best, general, any].find(({ length }) => length > 0) ?? [];
  return { request, statuses, fulfilled: false, refusal, path };
}

/**
 * The statuses that say that nothing is at a path with an id that is none. Many servers answer so, unless the document says
 * of its 400 that it is about paths, too.
 */
export function absencesAt({ responses }: Operation): readonly number[] {
  const said = responses.get(400)?.node.text('description') ?? '';
  return /\bpaths?\b/i.test(said) ? [] : absences;
}

/** Lists all breaches in an answer. An answer of an undocumented status is not looked at further. */
export function judge(
  description: Description,
  operation: Operation,
  expectation: Expectation,
  answer: Answer,
): Breach[] {
  if (isRefusal(description, operation, expectation, answer)) return checkRefusal(operation, answer);
  const breaches = checkAnswer(description, operation, answer);
  const { request, statuses, path } = expectation;
  if (statuses.includes(answer.status) || !operation.responses.has(answer.status)) return breaches;
  const excuse = excuseOf(description, operation, expectation, answer);
  if (excuse === 'always') return breaches;
  return [
    {
      ...((excuse === 'until it succeeds' || mayLackItem(operation, expectation, answer)) && {
        needsSuccess: true,
      }),
      rule: `a request that ${request} is answered ${answer.status}`,
      says: `a request that ${request} is answered ${inWords(statuses) || 'with a documented 4xx'}`,
      path,
      did: brief(answer),
    },
    ...breaches,
  ];
}

/** Whether a wrong request may be about something that is not there: no request to the operation found anything. */
function mayLackItem({ parameters }: Operation, { refusal }: Expectation, { status }: Answer): boolean {
  const hasItem = parameters.some((parameter) => parameter.in === 'path');
  return refusal !== undefined && hasItem && absences.includes(status);
}

/**
 * Whether a wrong request is refused as HTTP has it, although not as the document has it. OpenAPI 3.0.3,
 * "Responses Object": a document need not have every status.
 */
function isRefusal(
  { rules }: Description,
  operation: Operation,
  { refusal, statuses }: Expectation,
  { status }: Answer,
): boolean {
  if (refusal === undefined || rules.on.has('documented-refusals') || statuses.includes(status)) return false;
  if (operation.responses.has(status) && refusal === 'credentials') return status === 403 || status === 404;
  return refusal === 'credentials' ? [401, 403, 404].includes(status) : status >= 400 && status < 500;
}

/** Lists statuses, with ranges for those without a gap. */
function inWords(statuses: readonly number[]): string {
  const starts = statuses.filter((status) => !statuses.includes(status - 1));
  const spans = starts.map((first) => {
    const last = statuses.find((status) => status >= first && !statuses.includes(status + 1));
    return first === last ? `${first}` : `${first} to ${last}`;
  });
  return spans.join(' or ');
}
