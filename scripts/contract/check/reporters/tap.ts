import type { Report } from '../check.js';
import { curlLine } from '../curl.js';
import type { Check, Finding } from '../findings.js';
import { remarks, repeatLine, summary } from './summary.js';

/** The Test Anything Protocol, version 14: a test point for each check, with its findings in a YAML block. */
export function tapReport(report: Report): string {
  const points = report.checks.flatMap((check, index) => pointOf(report, check, index + 1));
  const notes = [...remarks(report), summary(report)].map((note) => `# ${note}`);
  return ['TAP version 14', `1..${report.checks.length}`, ...points, ...notes, ''].join('\n');
}

function pointOf(report: Report, { operation, title, cases, findings }: Check, number: number): string[] {
  // A "#" begins a directive.
  const name = `${operation} ${title} (${cases} cases)`.replaceAll('#', '\\#');
  if (findings.length === 0) return [`ok ${number} - ${name}`];
  return [
    `not ok ${number} - ${name}`,
    '  ---',
    '  findings:',
    ...findings.flatMap((finding) => block(report, finding)),
    '  ...',
  ];
}

function block(report: Report, { rule, place, says, did, steps, times, case: tried }: Finding): string[] {
  const members = { rule, at: place, says, did, case: tried, times, repeat: repeatLine(report) };
  const curl = steps.map(({ request }) => `        - ${JSON.stringify(curlLine(report.url, request))}`);
  // JSON strings are YAML.
  const lines = Object.entries(members).map(([name, value]) => `      ${name}: ${JSON.stringify(value)}`);
  return [`    -`, ...lines, '      curl:', ...curl];
}
