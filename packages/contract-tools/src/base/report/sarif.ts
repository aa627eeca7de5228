/**
 * Writes results in the Static Analysis Results Interchange Format (OASIS SARIF 2.1.0), which code scanning shows
 * beside the lines of a pull request, and keeps from one run to the next.
 */

import { toolsVersion } from '../tools-version.js';
import { jsonText } from './json-text.js';
import { firstOfCause, type SafeItem, type SafeResults } from './results.js';

export function sarif({ tool, items, contract, remarks, conclusion }: SafeResults): string {
  const told = firstOfCause(items).filter(({ verdict }) => verdict !== 'passed');
  const run = {
    tool: {
      driver: {
        name: tool.replace(':', '-'),
        version: toolsVersion(),
        rules: [...new Set(told.map(({ rule }) => rule))].map((id) => ({ id })),
      },
    },
    // Columns count the units of UTF-16 in JavaScript, and so do those of a place.
    columnKind: 'utf16CodeUnits',
    results: told.map((item) => resultOf(item, contract)),
    properties: { remarks, conclusion },
  };
  // The texts are safe already.
  return jsonText(
    { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] },
    (text) => text,
  );
}

function resultOf({ rule, verdict, operation, message, details, place, at }: SafeItem, contract: string) {
  // What was removed has its place in the old document. A result without a place is shown nowhere.
  const isElsewhere = at === undefined && place !== '';
  return {
    ruleId: rule,
    level: verdict === 'failed' ? 'error' : 'note',
    message: { text: [`${operation}: ${message}${isElsewhere ? ` (${place})` : ''}`, ...details].join('\n') },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: encodeURI(at?.file ?? contract) },
          region: { startLine: Number(at?.line ?? 1), startColumn: Number(at?.column ?? 1) },
        },
      },
    ],
  };
}
