import t from 'tap';
import { visible } from '../../../exact-json/index.js';
import { type ReporterName, report as reportOf } from '../../src/base/report/reporter.js';
import type { Item, Results } from '../../src/base/report/results.js';

/** What a contract or a server can put into a text, to be obeyed by whoever prints the report. */
const hostile = [
  'a\n::error file=x::forged',
  'a\r::error::forged',
  '::error::at the start',
  '  ::warning::behind spaces',
  'in the middle ##[error]forged',
  '##vso[task.setvariable variable=a]b',
  '\u001b[2J\u001b]0;title\u0007',
  '\u009b2J\u0085next',
  '\u202eright to left\u2066isolated\u200e\u061c',
  'line\u2028separator\u2029',
  '%0A::error::forged',
  'fence ```\n```` closes',
  '| a | b |\n|---|---|',
  '<img src=x> [link](http://example.org) ![picture](http://example.org)',
  ']]> \u0000 \ufffe \ud800',
];

const names: readonly ReporterName[] = ['text', 'json', 'junit', 'github', 'markdown', 'sarif'];

const report = (name: ReporterName, results: Results): string =>
  reportOf(name, results, { contract: 'openapi.yaml', top: process.cwd() });

function resultsOf(text: string): Results {
  const item: Item = {
    ...{ operation: text, title: text, place: 'openapi.yaml:1:2', seconds: 0, verdict: 'failed' },
    ...{ rule: 'a-rule', message: text, details: [text, text], heading: 'Findings' },
  };
  const old: Item = { ...item, place: `${text}:openapi.yaml:1:2` };
  return {
    tool: 'diff:contract',
    ...{ items: [item, old], remarks: [text], conclusion: [text] },
    text: (safe) => [text, text].map(safe),
    json: () => ({ text }),
  };
}

/** All that a terminal or a runner could obey, but the line ends of the report. */
const obeyed =
  /[^\P{C}\n]|[\u2028\u2029]|^\s*::(?!(?:error|notice)(?: file=[^,:]+,line=1,col=2)?::)|##\w*\[/mu;

for (const name of names) {
  t.test(`no text from outside is obeyed in a report: ${name}`, (t) => {
    const lines = report(name, resultsOf('harmless')).split('\n').length;
    for (const [index, text] of hostile.entries()) {
      const written = report(name, resultsOf(text));
      t.notMatch(written, obeyed, `text ${index}`, { written });
      t.equal(written.split('\n').length, lines, `text ${index}: as many lines as ever`);
    }
    t.end();
  });
}

t.test('JSON gives a program each text as it was', (t) => {
  for (const text of hostile) t.same(JSON.parse(report('json', resultsOf(text))), { text });
  t.end();
});

t.test('a text that is visible stays as it is', (t) => {
  for (const text of [...hostile, 'plain', '{"a": "b"}', 'a::b', 'ünïcode 植物']) {
    t.equal(visible(visible(text)), visible(text));
  }
  t.equal(visible('ünïcode 植物 a::b'), 'ünïcode 植物 a::b');
  t.end();
});

t.test('CommonMark 0.31, section 4.5: no line of the details closes their fence', (t) => {
  const results = resultsOf('`````');
  const fences = report('markdown', results).match(/^ {2}(`{3,})(?:text)?$/gm);
  t.strictSame(fences?.slice(0, 4), ['  ``````text', '  `````', '  `````', '  ``````']);
  t.end();
});

t.test('CommonMark 0.31, section 2.4: a text from outside has no meaning in Markdown', (t) => {
  const [head] = report('markdown', resultsOf('![x](http://example.org) <b> **a**')).match(/^- .+$/m) ?? [];
  t.match(head, '\\!\\[x\\](http://example.org) \\<b\\> \\*\\*a\\*\\*');
  t.end();
});

t.test(
  'XML 1.0, sections 2.2 and 2.4: JUnit has no forbidden character, and no end of a CDATA section',
  (t) => {
    const xml = report('junit', resultsOf(']]>\u0000\ufffe<&"'));
    t.notMatch(xml, /\]\]>|[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
    t.match(xml, ']]&gt;\\u{0}\\u{fffe}&lt;&amp;&quot;');
    t.end();
  },
);

t.test('a comma or a colon of a file stays within the file of an annotation', (t) => {
  const [item] = resultsOf('a').items;
  const items = item === undefined ? [] : [{ ...item, place: 'a,line=9%.yaml:1:2' }];
  t.match(report('github', { ...resultsOf('a'), items }), '::error file=a%2Cline=9%25.yaml,line=1,col=2::');
  t.end();
});

t.test('a finding of several checks is one annotation, and one entry', (t) => {
  const [item] = resultsOf('a').items;
  const items = item === undefined ? [] : ['one', 'other', 'third'].map((title) => ({ ...item, title }));
  const results = { ...resultsOf('a'), items };
  t.equal(report('github', results).match(/^::error/gm)?.length, 1);
  t.equal(report('markdown', results).match(/^- /gm)?.length, 1);
  t.equal(report('junit', results).match(/<testcase/g)?.length, 3, 'each test case has failed');
  t.end();
});

t.test('SARIF 2.1.0: each result has a rule of its tool, a level and a line of the document', (t) => {
  const [item, old] = resultsOf('a').items;
  if (item === undefined || old === undefined) throw new Error('Two items.');
  const items: Item[] = [item, old, { ...item, verdict: 'noted', place: '' }, { ...item, verdict: 'passed' }];
  const results = { ...resultsOf('a'), items };
  const where = { contract: 'services/ferry/openapi.yaml', top: `${process.cwd()}/services` };
  const log = JSON.parse(reportOf('sarif', results, where));
  const locationAt = (uri: string, startLine: number, startColumn: number) => [
    { physicalLocation: { artifactLocation: { uri }, region: { startLine, startColumn } } },
  ];
  t.match(log, {
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'diff-contract', version: /^\d+\.\d+\.\d+$/, rules: [{ id: 'a-rule' }] } },
        columnKind: 'utf16CodeUnits',
      },
    ],
  });
  t.strictSame(
    log.runs[0].results.map(({ ruleId, level, locations }: Record<string, unknown>) => ({
      ruleId,
      level,
      locations,
    })),
    [
      { ruleId: 'a-rule', level: 'error', locations: locationAt('openapi.yaml', 1, 2) },
      { ruleId: 'a-rule', level: 'error', locations: locationAt('ferry/openapi.yaml', 1, 1) },
      { ruleId: 'a-rule', level: 'note', locations: locationAt('ferry/openapi.yaml', 1, 1) },
    ],
  );
  t.match(log.runs[0].results[1].message.text, 'a: a (a:openapi.yaml:1:2)', 'the place in the old document');
  t.end();
});
