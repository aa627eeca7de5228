import { readFile } from 'node:fs/promises';
import t from 'tap';
import { Bystanders } from '../../faults/bystanders.js';
import { type Flaw, flaws } from '../../faults/models/orchards/flaws.js';
import { orchardsFile, startOrchards } from '../../faults/models/orchards/server.js';
import type { Scope } from '../../src/base/scope.js';
import { check } from '../../src/check/check.js';
import { readRules } from '../../src/check/document/rules.js';
import { summary } from '../../src/check/reporters/summary.js';
import type { Report } from '../../src/check/verdict/report.js';
import { type Operation, operationsOf } from '../../src/document/operations.js';
import { readDocument } from '../../src/document/read-document.js';

/** A contract and a server that nobody wrote for this project: packages/contract-tools/faults/models/orchards/. */

// Each run takes a second on an idle machine; slow machines get more time.
t.setTimeout(600_000);

const document = readDocument(await readFile(orchardsFile, 'utf8'), orchardsFile);
const rules = await readRules(orchardsFile);
/** Of these, the document does not say that they only make something new. */
const send = ['harvest', 'logIn', 'weigh'];
const owners = new Map([
  ['a-token', 'first'],
  ['another-token', 'second'],
]);

const { operations: all } = operationsOf(document);
const collectionOf = ({ path }: Operation): string => path.split('/')[1] ?? '';
/** The collections whose items those of a collection refer to. */
const needed: Readonly<Record<string, readonly string[]>> = { trees: ['orchards'] };

/** The operations that have to do with a flaw. The checker tries the others beside each flaw of their own. */
function operationsFor(flaw: Flaw): readonly Operation[] {
  const flawed = all.filter(({ id }) => id === flaws[flaw]).map(collectionOf);
  const collections = new Set(flawed.flatMap((name) => [name, ...(needed[name] ?? [])]));
  return all.filter((operation) => collections.has(collectionOf(operation)));
}

const credentials = {
  token: { text: 'a-token', shell: '$PLANTS_TOKEN' },
  otherToken: { text: 'another-token', shell: '$PLANTS_OTHER_TOKEN' },
};

/** @param running the server; by default one with this flaw, and with nothing stored */
async function checked(scope: Scope, flaw?: Flaw, running?: URL): Promise<Report> {
  const url = running ?? (await startOrchards(scope, owners, flaw));
  const ids = flaw && new Set(operationsFor(flaw).map(({ id }) => id));
  return check({
    ...{
      document,
      isTried: ids && (({ id }: Operation) => ids.has(id)),
      rules: { ...rules, send: send.filter((id) => ids === undefined || ids.has(id)) },
      url,
      seed: 1,
      cases: 5,
      failFast: true,
    },
    ...credentials,
  });
}

const found = ({ findings }: Report): string[] =>
  findings.map(({ operation, rule, did }) => `${operation}: ${rule}: ${did}`);

const url = await startOrchards(t, owners);
const bystanders = await Bystanders.make(document, url, credentials);
const report = await checked(t, undefined, url);

t.test('check:contract leaves what others have at a foreign server as it was', async (t) => {
  t.ok(bystanders.count > 5, 'each collection has some');
  t.same(await bystanders.harm(), []);
});

/** Operations of orchards.yaml that fail as documented, whatever anybody sends. */
const nobodyReaches = [
  'addRound',
  'addWarden',
  'graft',
  'harvest',
  'listKeys',
  'listRounds',
  'putPhoto',
  'removeRound',
  'removeWarden',
];

t.test('check:contract passes a foreign server that keeps its contract, and says what it did', async (t) => {
  t.same(found(report), []);
  const notes = report.notes.join('\n');
  for (const collection of [
    '/orchards',
    '/orchards/{orchard}/visits',
    '/trees',
    '/wells',
    '/gates',
    '/labels',
  ]) {
    t.match(notes, `Isolation of ${collection}: the second owner tried `);
  }
  t.match(notes, 'ringBell is left out: ', 'an operation whose body it cannot find');
  t.match(notes, 'undocumented-methods', 'the rules that are off');
  const names = report.unreached.map(({ operation }) => operation);
  t.same(names.toSorted(), [...nobodyReaches, 'ringBell'].toSorted(), 'every other operation has succeeded');
  const said = summary(report);
  t.match(said, /^\d+ of \d+ operations answered a success; not reached: /, 'it begins with what was proved');
  for (const { operation, why } of report.unreached) {
    t.match(said, operation);
    t.match(said, `(${why})`, 'with the reason');
  }
  t.match(said, 'What was tried of http');
});

t.test('check:contract says of a foreign server what it has not tried, and what is left', async (t) => {
  const { notes } = report;
  const said = (...words: string[]): void => {
    t.ok(
      notes.some((note) => words.every((word) => note.includes(word))),
      words.join(' … '),
      { notes },
    );
  };
  said('Isolation', 'weigh', 'graft', 'no collection');
  said('Not taken for a collection', 'no POST', '/seasons/{season}');
  said('Isolation of /wells', 'fillWell (DELETE)');
  said('Pages of /trees', 'not tried while items come and go');
  said('Ids of /orchards', 'replaceOrchard', 'removeOrchard');
  said('addOrchard', 'body/colour', 'colour-name');
  said('addGate refuses values', '"keeper"');
  said('logIn', 'examples');
  said('addGate', 'is still there', 'removeGate answered 409');
  said('logIn', '401', 'documents');
  said('logIn', 'nothing says how to undo');
});

// Object.keys loses the type of the keys.
for (const flaw of Object.keys(flaws) as Flaw[]) {
  t.test(`check:contract finds a fault of a foreign server: ${flaw}`, async (t) => {
    const report = await checked(t, flaw);
    const named = report.findings.map(({ operation }) => operation);
    t.ok(named.includes(flaws[flaw]), `names ${flaws[flaw]}`, { findings: found(report) });
  });
}
