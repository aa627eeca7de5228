import { once } from 'node:events';
import t from 'tap';
import { firstLines } from '../../scripts/test/first-lines.js';
import { Report } from '../../scripts/test/report.js';

/** What `npm test` prints: all that a person needs, however much is red. */

interface TestFile {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
}

/** The lines of a difference of two long lists, as tap reports it. */
const difference = Array.from({ length: 60 }, (_, line) => `      +  "plant ${line}"`).join('\n');

/** TAP as tap writes it for test files with one test each. */
function tapOf(files: readonly TestFile[]): string {
  const points = files.map(({ name, passed, failed }, at) => {
    const oks = Array.from({ length: passed }, (_, number) => `        ok ${number + 1} - it holds`);
    const notOks = Array.from(
      { length: failed },
      (_, number) =>
        `        not ok ${passed + number + 1} - it fails\n          ---\n          compare: ===\n          at:\n            fileName: a.ts\n            lineNumber: 7\n          diff: |\n${difference.replaceAll('      +', '            +')}\n          ...`,
    );
    const verdict = failed > 0 ? 'not ok' : 'ok';
    return [
      `# Subtest: ${name}`,
      '    # Subtest: a story',
      ...oks,
      ...notOks,
      `        1..${passed + failed}`,
      `    ${verdict} 1 - a story`,
      '    1..1',
      `${verdict} ${at + 1} - ${name} # time=1500ms`,
    ].join('\n');
  });
  return `TAP version 14\n${points.join('\n')}\n1..${files.length}\n`;
}

async function reportOf(tap: string, code = 1, output = '') {
  const printed: string[] = [];
  const logged: string[] = [];
  const report = new Report({
    log: { write: (text: string) => logged.push(text) > 0 },
    logFile: 'the-log',
    print: (line) => printed.push(line),
  });
  const complete = once(report.input, 'complete');
  report.input.end(tap);
  await complete;
  if (output !== '') report.addOutput(output);
  report.tapEnded(code);
  const lines = [...printed, ...report.summary()].flatMap((line) => line.split('\n'));
  return { holds: report.holds(), lines, last: lines.at(-1), logged: logged.join('') };
}

const nameOf = (number: number) => `test/file-${number}.test.ts`;

t.test('a run in which all holds counts assertions and files', async (t) => {
  const files = Array.from({ length: 3 }, (_, number) => ({ name: nameOf(number), passed: 500, failed: 0 }));
  const { holds, lines } = await reportOf(tapOf(files), 0);
  t.ok(holds);
  t.equal(lines[0], 'ok  test/file-0.test.ts, 500 assertions, 1.5 s');
  t.equal(lines.at(-1), '1,500 assertions in 3 files hold.');
});

t.test('a file that could not run counts for itself, not for the next one', async (t) => {
  const next = tapOf([{ name: nameOf(1), passed: 2, failed: 0 }]).replace('TAP version 14\n', '');
  const { lines } = await reportOf(`TAP version 14\nnot ok 1 - ${nameOf(0)} # time=800ms\n${next}`);
  t.ok(lines.includes('not ok  test/file-0.test.ts, 0 assertions, 0.8 s'));
  t.ok(lines.includes('ok  test/file-1.test.ts, 2 assertions, 1.5 s'));
});

t.test('one failure is shown with its beginning, and its end is in the log', async (t) => {
  const { holds, lines, last, logged } = await reportOf(
    tapOf([
      { name: nameOf(0), passed: 2, failed: 0 },
      { name: nameOf(1), passed: 2, failed: 1 },
    ]),
  );
  t.notOk(holds);
  t.ok(lines.includes('Failed: test/file-1.test.ts > a story > it fails'));
  const at = lines.indexOf('Failed: test/file-1.test.ts > a story > it fails');
  t.match(lines.slice(at + 1, at + 4), ['    at: a.ts:7', /diff/, /"plant 0"/]);
  t.notOk(lines.some((line) => line.includes('"plant 59"')));
  t.match(logged, '"plant 59"');
  t.match(last, /^1 do not, and 1 files fail\..*the-log/);
});

t.test('thousands of failures in all files, and much output, take less than 200 lines', async (t) => {
  const files = Array.from({ length: 90 }, (_, number) => ({ name: nameOf(number), passed: 10, failed: 40 }));
  const { holds, lines, last, logged } = await reportOf(tapOf(files), 1, 'a warning\n'.repeat(5_000));
  t.notOk(holds);
  t.ok(lines.length < 180, `${lines.length} lines`);
  t.match(last, /^3,600 do not, and 90 files fail\..*the-log/);
  t.ok(lines.includes('not ok  test/file-89.test.ts, 10 assertions, 40 failed, 1.5 s'));
  for (const number of [0, 1, 2, 3, 4])
    t.ok(lines.includes(`Failed: test/file-${number}.test.ts > a story > it fails`), 'of several files');
  t.ok(lines.includes('Failed, too: 40 in test/file-5.test.ts'), 'what is not shown is counted');
  t.equal(logged.split('\n').filter((line) => line.startsWith('not ok ')).length, 3_600);
  t.equal(logged.split('a warning').length - 1, 5_000);
});

t.test('a file that fails without an assertion is counted', async (t) => {
  const { lines, holds } = await reportOf(
    'TAP version 14\nnot ok 1 - test/broken.test.ts # time=5ms\n1..1\n',
  );
  t.notOk(holds);
  t.match(lines.at(-1), /^1 do not, and 1 files fail/);
});

t.test('if only tap fails, as for coverage, so does the run', async (t) => {
  const { holds, lines } = await reportOf(tapOf([{ name: nameOf(0), passed: 1, failed: 0 }]));
  t.notOk(holds);
  t.ok(lines.includes('Failed: tap says why.'));
});

t.test('of a long text, the first lines are shown, and the others counted', async (t) => {
  t.strictSame(firstLines('a\nb\nc\nd\n', 2), ['a', 'b', '… 2 more lines']);
  t.strictSame(firstLines('a\nb\n', 2), ['a', 'b']);
  t.strictSame(firstLines('\n', 2), []);
});
