import type { Report } from '../check.js';
import { curlLine } from '../curl.js';
import type { Check, Finding } from '../findings.js';
import { remarks, repeatLine, summary } from './summary.js';

/** JUnit's XML, as CI systems read it: one suite for each operation, one test case for each check. */
export function junitReport(report: Report): string {
  const operations = [...new Set(report.checks.map(({ operation }) => operation))];
  const failures = report.checks.filter(({ findings }) => findings.length > 0).length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="check:contract" tests="${report.checks.length}" failures="${failures}" time="${report.seconds.toFixed(3)}">`,
    ...operations.flatMap((operation) => suite(report, operation)),
    '</testsuites>',
    '',
  ].join('\n');
}

function suite(report: Report, operation: string): string[] {
  const checks = report.checks.filter((check) => check.operation === operation);
  const failures = checks.filter(({ findings }) => findings.length > 0).length;
  return [
    `  <testsuite name="${escaped(operation)}" tests="${checks.length}" failures="${failures}">`,
    ...checks.flatMap((check) => testCase(report, check)),
    `    <system-out>${escaped([...remarks(report), summary(report)].join('\n'))}</system-out>`,
    '  </testsuite>',
  ];
}

function testCase(report: Report, { operation, title, findings }: Check): string[] {
  const head = `    <testcase classname="${escaped(operation)}" name="${escaped(title)}"`;
  if (findings.length === 0) return [`${head}/>`];
  return [`${head}>`, ...findings.map((finding) => failure(report, finding)), '    </testcase>'];
}

function failure(report: Report, { rule, place, says, did, steps }: Finding): string {
  const curl = steps.map(({ request }) => `$ ${curlLine(report.url, request)}`);
  const text = [`${place} says: ${says}`, `but: ${did}`, ...curl, repeatLine(report)].join('\n');
  return `      <failure message="${escaped(rule)}">${escaped(text)}</failure>`;
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
