/** Writes a report for people. */

import type { Safe } from '../../base/report/results.js';
import { brief } from '../answers/check-answer.js';
import type { Finding } from '../answers/findings.js';
import { curlLine } from '../requests/curl.js';
import { isSilence } from '../requests/reply.js';
import type { Report } from '../verdict/report.js';
import { acceptanceFor, nextSteps, remarks, summary } from './summary.js';

/** The last steps of a sequence show the fault, so a longer one loses its first steps. */
const maxSteps = 12;

/** Shows people each finding with the sentence of the YAML, what the server did, and how to see it again. */
export function textReport(report: Report, repeat: string, safe: Safe): string[] {
  const findings = report.findings.flatMap((finding) => findingLines(report, finding, repeat));
  return [...findings, ...remarks(report), summary(report), ...nextSteps(report)].map(safe);
}

function findingLines(report: Report, finding: Finding, repeat: string): string[] {
  const { operation, operations, rule, place, says, did, steps, times } = finding;
  const left = steps.length - maxSteps;
  return [
    `${operation}: ${rule}${times > 1 ? ` (${times} cases; this is the smallest)` : ''}`,
    `  ${place}`,
    ...(operations.length > 1 ? [`    in    ${operations.length} operations: ${operations.join(', ')}`] : []),
    `    says  ${says}`,
    `    but   ${did}`,
    `    case  ${finding.case}`,
    `    rule  ${finding.by ?? 'of OpenAPI or HTTP'}, id ${finding.id}`,
    ...(left > 0 ? [`    (${left} earlier requests are left out)`] : []),
    ...steps
      .slice(-maxSteps)
      .flatMap(({ request, outcome }) => [
        `    $ ${curlLine(report.url, request, report.headers)}`,
        `      → ${isSilence(outcome) ? outcome.reason : brief(outcome)}`,
      ]),
    `    seed  ${report.seed}: ${repeat}`,
    `    accept  - ${acceptanceFor(finding)}`,
    '',
  ];
}
