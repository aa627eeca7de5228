/** Brings a report into the form that all tools have, from which JUnit, annotations and Markdown are made. */

import type { Item, Results } from '../../base/report/results.js';
import type { Check, Finding } from '../answers/findings.js';
import { curlLine } from '../requests/curl.js';
import type { Report } from '../verdict/report.js';
import { jsonReport } from './json.js';
import { acceptanceFor, nextSteps, remarks, summary } from './summary.js';
import { textReport } from './text.js';

/** @param repeat the command that repeats the run */
export function resultsOf(report: Report, repeat: string): Results {
  return {
    tool: 'check:contract',
    items: report.checks.flatMap((check) => itemsOf(report, check)),
    remarks: remarks(report),
    conclusion: [summary(report), repeat, ...nextSteps(report)],
    text: (safe) => textReport(report, repeat, safe),
    json: () => jsonReport(report),
  };
}

const heading = 'Findings';

/**
 * Some readers of JUnit's XML take only one failure of each test case, so each finding is an item of its own.
 */
function itemsOf({ url, headers }: Report, { operation, title, place, seconds, findings }: Check): Item[] {
  if (findings.length === 0) {
    return [
      {
        ...{ operation, title, place, seconds, verdict: 'passed', rule: '', message: '', details: [] },
        heading,
      },
    ];
  }
  return findings.map((finding, index) => ({
    operation,
    // Readers that compare runs would merge equal names. Only one item carries the time of the check.
    title: index === 0 ? title : `${title} (${index + 1})`,
    place: finding.place,
    seconds: index === 0 ? seconds : 0,
    verdict: 'failed',
    rule: finding.id,
    message: finding.rule,
    cause: finding.cause,
    details: [
      ...operationsLine(finding),
      `says: ${finding.says}`,
      `but: ${finding.did}`,
      `case: ${finding.case}`,
      ...finding.steps.map(({ request }) => `$ ${curlLine(url, request, headers)}`),
      `accept: - ${acceptanceFor(finding)}`,
    ],
    heading,
  }));
}

/** A line that names the operations, if there are several. */
function operationsLine({ operations }: Finding): string[] {
  return operations.length > 1 ? [`in: ${operations.length} operations: ${operations.join(', ')}`] : [];
}
