import type { SafeItem, SafeResults } from './results.js';

/**
 * Writes results as JUnit's XML, as CI systems read it: a suite for each operation, a test case for each
 * item.
 */
export function junit({ tool, items, remarks, conclusion }: SafeResults): string {
  const suites = [...new Set(items.map(({ operation }) => operation))].map((operation) =>
    items.filter((item) => item.operation === operation),
  );
  const said = escaped([...remarks, ...conclusion].join('\n'));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escaped(tool)}" ${numbers(items)}>`,
    // Facts of the whole run stand once, in the last suite, because the root element has no text.
    ...suites.flatMap((suiteItems, index) => suite(suiteItems, index === suites.length - 1 ? said : '')),
    '</testsuites>',
  ].join('\n');
}

function suite(items: readonly SafeItem[], said: string): string[] {
  return [
    `  <testsuite name="${escaped(items[0]?.operation ?? '')}" ${numbers(items)}>`,
    ...items.flatMap(testCase),
    ...(said === '' ? [] : [`    <system-out>${said}</system-out>`]),
    '  </testsuite>',
  ];
}

function numbers(items: readonly SafeItem[]): string {
  const failures = items.filter(({ verdict }) => verdict === 'failed').length;
  const time = items.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3);
  return `tests="${items.length}" failures="${failures}" errors="0" skipped="0" time="${time}"`;
}

function testCase({ operation, title, at, seconds, verdict, message, details }: SafeItem): string[] {
  const head = `    <testcase classname="${escaped(operation)}" name="${escaped(title)}"${whereIs(at)} time="${seconds.toFixed(3)}"`;
  if (verdict !== 'failed') return [`${head}/>`];
  const text = escaped(details.join('\n'));
  return [
    `${head}>`,
    `      <failure type="finding" message="${escaped(message)}">${text}</failure>`,
    '    </testcase>',
  ];
}

/** The place as attributes, which readers of JUnit's XML show as a link. */
function whereIs(at: SafeItem['at']): string {
  return at === undefined ? '' : ` file="${escaped(at.file)}" line="${at.line}"`;
}

/**
 * Escapes a text for XML. Characters that XML does not have, not even escaped (XML 1.0, section 2.2), are
 * visible escapes by now. `]]>` must not stand in a text, either, so ">" is escaped, too.
 */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
