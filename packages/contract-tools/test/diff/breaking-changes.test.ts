import t from 'tap';
import { compareContracts } from '../../src/diff/compare.js';
import { kindsBySubject, propertyKinds, schemaKinds } from '../../src/diff/ids.js';
import { type ApiDocument, readDocument } from '../../src/document/read-document.js';
import { cases } from './cases/breaking-changes.cases.js';
import { contractPair, keysOf } from './cases/contract-pair.js';

// Each case takes a fraction of a second; slow machines get more time.
t.setTimeout(600_000);

const known = new Map<string, ApiDocument>();

/** Reads each contract once, because many cases share one. `side` is put before its places. */
function read(text: string, side: string): ApiDocument {
  const found = known.get(side + text) ?? readDocument(text, side);
  known.set(side + text, found);
  return found;
}

/** The ids of all changes that the table's edits make, there and back. */
const found = new Set<string>();

t.test('diff:contract judges each edit of the table of breaking changes', async (t) => {
  t.equal(new Set(cases.map(({ name }) => name)).size, cases.length, 'each case has a name of its own');
  for (const one of cases) {
    t.test(`diff:contract judges an edit: ${one.name}`, async (t) => {
      const pair = await contractPair(one);
      const base = read(pair.base, 'old.yaml');
      const next = read(pair.next, 'new.yaml');
      const changes = compareContracts(base, next);
      for (const { id } of [...changes, ...compareContracts(next, base)]) found.add(id);
      const breaking = changes.some((change) => change.breaking);
      const verdict = changes.length === 0 ? 'none' : breaking ? 'breaking' : 'compatible';
      t.equal(verdict, one.verdict, JSON.stringify(changes));

      const named = changes.filter((change) => change.breaking === breaking);
      if (one.operation !== undefined) {
        t.ok(
          named.some(({ operation }) => operation === one.operation),
          `${one.operation} is named`,
          { changes },
        );
      }
      if (one.at !== undefined) {
        const place = one.at.startsWith('old: ')
          ? base.place(keysOf(one.at.slice(5)))
          : next.place(keysOf(one.at));
        const places = named
          .filter(({ operation }) => one.operation === undefined || operation === one.operation)
          .map((change) => change.place);
        t.ok(places.includes(place), `${place} is named`, { changes });
      }
      for (const { sentence } of changes) t.match(sentence, /^[^\n]+\.$/, 'a sentence on one line');
    });
  }
});

t.test('the table has an edit for each kind of change that has an id', (t) => {
  const isFound = (kind: string): boolean => [...found].some((id) => id.endsWith(`-${kind}`));
  const ofSchemas = { ...schemaKinds, ...propertyKinds };
  t.strictSame(
    Object.keys(ofSchemas).filter((kind) => !isFound(kind)),
    [],
    'schemas',
  );
  // A keyword that only describes is compared like all others of its kind.
  const { documentation: _, ...subjects } = kindsBySubject;
  const others = Object.entries(subjects).flatMap(([subject, kinds]) =>
    Object.keys(kinds)
      .filter((kind) => !Object.hasOwn(subject.endsWith('-property') ? ofSchemas : schemaKinds, kind))
      .map((kind) => `${subject}-${kind}`),
  );
  t.strictSame(
    others.filter((id) => !found.has(id)),
    [],
    'all else',
  );
  t.end();
});
