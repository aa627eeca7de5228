/**
 * Writes a report for programs. It has what the text has, and every check with its number of cases, whether
 * or not something was found.
 */

import { brief } from '../answers/check-answer.js';
import type { Finding } from '../answers/findings.js';
import { curlLine } from '../requests/curl.js';
import { isSilence } from '../requests/reply.js';
import type { Report } from '../verdict/report.js';

export function jsonReport(report: Report): object {
  const { url, file, seed, requests, cases, seconds, interrupted } = report;
  const { notes, operations, unreached, unseen } = report;
  const checks = report.checks.map((check) => ({
    operation: check.operation,
    title: check.title,
    cases: check.cases,
    findings: check.findings.map((finding) => plain(report, finding)),
  }));
  const head = {
    ...{ url: url.href, file, seed, requests, cases, seconds, interrupted },
    ...{ operations, unreached, notes, unseen },
  };
  return { ...head, findings: report.findings.length, checks };
}

function plain(
  { url, headers }: Report,
  { rule, operation, operations, place, says, did, times, case: tried, steps, ...finding }: Finding,
): object {
  return {
    ...{ id: finding.id, pointer: finding.pointer, what: rule, by: finding.by },
    ...{ rule, operation, operations, place, says, did, times, case: tried },
    steps: steps.map(({ request, outcome }) => ({
      curl: curlLine(url, request, headers),
      answer: isSilence(outcome) ? outcome.reason : brief(outcome),
    })),
  };
}
