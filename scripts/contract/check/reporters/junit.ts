import type { Report } from '../check.js';
import { curlLine } from '../curl.js';
import type { Check, Finding } from '../findings.js';
import { remarks, repeatLine, summary } from './summary.js';

/** JUnit's XML, as CI systems read it: a suite for each operation, a test case for each check or finding. */
export function junitReport(report: Report): string {
  const suites = [...new Set(report.checks.map(({ operation }) => operation))].map((operation) =>
    report.checks.filter((check) => check.operation === operation),
  );
  const last = suites.length - 1;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="check:contract" ${numbers(report.checks)}>`,
    ...suites.flatMap((checks, index) => suite(report, checks, index === last)),
    '</testsuites>',
    '',
  ].join('\n');
}

/** Facts of the whole run stand once, in the last suite, because the root element has no text. */
function suite(report: Report, checks: readonly Check[], isLast: boolean): string[] {
  const said = escaped([...remarks(report), summary(report), repeatLine(report)].join('\n'));
  return [
    `  <testsuite name="${escaped(checks[0]?.operation ?? '')}" ${numbers(checks)}>`,
    ...checks.flatMap((check) => testCases(report, check)),
    ...(isLast ? [`    <system-out>${said}</system-out>`] : []),
    '  </testsuite>',
  ];
}

/** Some readers take only one failure of each test case, so each finding has a test case of its own. */
function numbers(checks: readonly Check[]): string {
  const failures = sum(checks, ({ findings }) => findings.length);
  const tests = sum(checks, ({ findings }) => Math.max(1, findings.length));
  const time = sum(checks, ({ seconds }) => seconds).toFixed(3);
  return `tests="${tests}" failures="${failures}" errors="0" skipped="0" time="${time}"`;
}

function sum(checks: readonly Check[], numberOf: (check: Check) => number): number {
  return checks.reduce((whole, check) => whole + numberOf(check), 0);
}

function testCases(report: Report, check: Check): string[] {
  const { operation, title, place, seconds, findings } = check;
  const head = (name: string, at: string, time: number): string =>
    `    <testcase classname="${escaped(operation)}" name="${escaped(name)}" ${whereIs(at)} time="${time.toFixed(3)}"`;
  if (findings.length === 0) return [`${head(title, place, seconds)}/>`];
  return findings.flatMap((finding, index) => [
    // Readers that compare runs would merge equal names. Only one case carries the time of the check.
    `${head(index === 0 ? title : `${title} (${index + 1})`, finding.place, index === 0 ? seconds : 0)}>`,
    failure(report, finding),
    '    </testcase>',
  ]);
}

/** `openapi/plants.yaml:12:3` as attributes. */
function whereIs(place: string): string {
  const [, file = place, line] = /^(.*?):([0-9]+)(?::[0-9]+)?$/.exec(place) ?? [];
  return `file="${escaped(file)}"${line === undefined ? '' : ` line="${line}"`}`;
}

/** The text does not repeat the attributes. */
function failure({ url }: Report, { rule, says, did, case: tried, steps }: Finding): string {
  const curl = steps.map(({ request }) => `$ ${curlLine(url, request)}`);
  const text = [`says: ${says}`, `but: ${did}`, `case: ${tried}`, ...curl].join('\n');
  return `      <failure type="finding" message="${escaped(rule)}">${escaped(text)}</failure>`;
}

/** XML 1.0, section 2.2 has no control characters, not even escaped. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
