/** The statuses that an operation may answer a request with, by what is right or wrong with the request. */
import type { Answer } from './answer-reader.js';
import { brief, checkAnswer, checkRefusal } from './answers.js';
import type { Description, Operation } from './description.js';
import type { Breach } from './findings.js';
import type { YamlPath } from './node.js';

export interface Expectation {
  /** The kind of request, continuing "a request that": "is valid", "breaks maxLength". */
  readonly request: string;
  readonly statuses: readonly number[];
  /** Whether these statuses mean success, and not only a correct refusal. */
  readonly fulfilled: boolean;
  /** What is wrong with the request, if anything is. */
  readonly fault?: Fault | undefined;
  /** The place in the YAML that the request keeps or breaks. */
  readonly path: YamlPath;
}

/** RFC 9110, sections 15.5 and 15.6: these statuses blame the request or the server. */
const complaints = new Set([400, 401, 403, 405, 406, 408, 411, 413, 414, 415, 422, 426, 428, 429, 431]);

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

/** Faults of a request, and the statuses that report them, best first: RFC 9110, section 15.5. */
const refusalStatuses = {
  values: [400, 422],
  syntax: [400],
  mediaType: [415],
  size: [413],
  credentials: [401],
} as const;

export type Fault = keyof typeof refusalStatuses;

export function refused(operation: Operation, fault: Fault, request: string, path: YamlPath): Expectation {
  const documented = (status: number): boolean => operation.responses.has(status);
  const best = refusalStatuses[fault].filter(documented);
  const general = [400].filter(documented);
  const any = [...operation.responses.keys()].filter((status) => status >= 400 && status < 500);
  const statuses = [best, general, any].find(({ length }) => length > 0) ?? [];
  return { request, statuses, fulfilled: false, fault, path };
}

/** All faults of an answer; an answer of the wrong status is not looked at further. */
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
  return [
    {
      rule: `a request that ${request} is answered ${answer.status}`,
      says: `a request that ${request} is answered ${inWords(statuses) || 'with a documented 4xx'}`,
      path,
      did: brief(answer),
    },
    ...breaches,
  ];
}

/**
 * Whether a wrong request is refused as HTTP has it, although not as the document has it. OpenAPI 3.0.3, "Responses
 * Object": a document need not have every status.
 */
function isRefusal(
  { rules }: Description,
  operation: Operation,
  { fault, statuses }: Expectation,
  { status }: Answer,
): boolean {
  if (fault === undefined || rules.on.has('documented-refusals') || statuses.includes(status)) return false;
  if (operation.responses.has(status) && fault === 'credentials') return status === 403 || status === 404;
  return fault === 'credentials' ? [401, 403, 404].includes(status) : status >= 400 && status < 500;
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
