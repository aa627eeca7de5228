/** The statuses that an operation may answer a request with, by what is right or wrong with the request. */
import type { Answer } from './answer-reader.js';
import { brief, checkAnswer } from './answers.js';
import type { Description, Operation } from './description.js';
import type { Breach } from './findings.js';
import type { YamlPath } from './node.js';

export interface Expectation {
  /** The kind of request, continuing "a request that": "is valid", "breaks maxLength". */
  readonly request: string;
  readonly statuses: readonly number[];
  /** Whether these statuses mean success, and not only a correct refusal. */
  readonly fulfilled: boolean;
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
  return { request, statuses, fulfilled: false, path };
}

/** All faults of an answer; an answer of the wrong status is not looked at further. */
export function judge(
  description: Description,
  operation: Operation,
  expectation: Expectation,
  answer: Answer,
): Breach[] {
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

/** Lists statuses, with ranges for those without a gap. */
function inWords(statuses: readonly number[]): string {
  const starts = statuses.filter((status) => !statuses.includes(status - 1));
  const spans = starts.map((first) => {
    const last = statuses.find((status) => status >= first && !statuses.includes(status + 1));
    return first === last ? `${first}` : `${first} to ${last}`;
  });
  return spans.join(' or ');
}
