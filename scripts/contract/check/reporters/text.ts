import { brief } from '../answers.js';
import type { Report } from '../check.js';
import { curlLine } from '../curl.js';
import { type Finding, isSilence } from '../findings.js';
import { remarks, summary } from './summary.js';

/** Of a longer sequence, only the last steps are shown: they show the fault. */
const mostSteps = 12;

/** For people: each finding with the YAML's sentence, what the server did, and how to see it again. */
export function textReport(report: Report, repeat: string): string {
  const findings = report.findings.map((finding) => findingText(report, finding, repeat));
  return [...findings, ...remarks(report), summary(report), ''].join('\n');
}

function findingText(report: Report, finding: Finding, repeat: string): string {
  const { operation, rule, place, says, did, steps, times } = finding;
  const left = steps.length - mostSteps;
  return [
    `${operation}: ${rule}${times > 1 ? ` (${times} cases; this is the smallest)` : ''}`,
    `  ${place}`,
    `    says  ${says}`,
    `    but   ${did}`,
    `    case  ${finding.case}`,
    ...(left > 0 ? [`    (${left} earlier requests are left out)`] : []),
    ...steps
      .slice(-mostSteps)
      .flatMap(({ request, outcome }) => [
        `    $ ${curlLine(report.url, request)}`,
        `      → ${isSilence(outcome) ? outcome.reason : brief(outcome)}`,
      ]),
    `    seed  ${report.seed}: ${repeat}`,
    '',
  ].join('\n');
}
