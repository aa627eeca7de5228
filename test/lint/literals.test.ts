/** `npm run lint` judges the regular expressions of the code that ships. */
import t, { type Test } from 'tap';
import { judgeLiterals, shippedSources } from '../../scripts/literals.js';

t.setTimeout(600_000);

const judge = (t: Test, source: string) => judgeLiterals(t.testdir({ 'source.ts': source }), ['source.ts']);

const rows: readonly (readonly [source: string, fault: RegExp | undefined])[] = [
  [
    'export const a = /^([a-z]+)+$/;',
    /^source\.ts:1:18: \/\^\(\[a-z\]\+\)\+\$\/ holds the process, as with /,
  ],
  ['export const a = (b: string) => b.replace(/\\s+$/, "");', /^source\.ts:1:43: .* power of 2: rewrite it/],
  ['export const a = /([a-z]+)\\s*=\\s*"?([\\w-]+)"?/gi;', /power of 2/],
  ['export const a = /^[a-z]+$/;', undefined],
  ['// Short text: it is a line of the contract.\nexport const a = /\\s+$/;', undefined],
  ['export const a = /\\s+$/; // Short text: it is a line.', undefined],
  ['/**\n * Spaces.\n *\n * Short text: it is a line.\n */\nexport const a = /\\s+$/;', undefined],
  ['// Short text: a line.\nconst a =\n  /\\s+$/;', undefined],
  ['// Short text:\nexport const a = /\\s+$/;', /power of 2/],
  ['// Short text: it is a line.\nexport const a = 1;\nexport const b = /\\s+$/;', /^source\.ts:3:/],
];
for (const [source, fault] of rows) {
  t.test(`${fault === undefined ? 'kept' : 'refused'}: ${source}`, async (t) => {
    const { faults } = await judge(t, source);
    if (fault === undefined) t.strictSame(faults, []);
    else t.match(faults, [fault]);
    t.equal(faults.length, fault === undefined ? 0 : 1);
  });
}

t.test('an expression of which nobody knows is a note', async (t) => {
  const { faults, notes } = await judge(t, 'export const a = /^[a-z--b]+$/v;');
  t.strictSame(faults, []);
  t.match(notes, [/^source\.ts:1:18: .*: nobody knows how its time grows: /]);
});

t.test('the sources are those of the service and of the tools, without their tests', async (t) => {
  const names = await shippedSources();
  t.ok(
    names.includes('packages/service/src/log/text.ts') &&
      names.includes('packages/contract-mock/src/examples.ts'),
  );
  t.notOk(names.some((name) => name.startsWith('packages/contract-tools/test/')));
});
