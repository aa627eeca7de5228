import t from 'tap';
import { compareContracts } from '../../src/diff/compare.js';
import { versionFault } from '../../src/diff/version.js';
import { type ApiDocument, readDocument } from '../../src/document/read-document.js';
import { asOpenApi31 } from '../support/openapi-versions.js';
import { cases } from './cases/breaking-changes.cases.js';
import { contractPair } from './cases/contract-pair.js';

// Slow machines get more time.
t.setTimeout(600_000);

const known = new Map<string, { readonly written: ApiDocument; readonly twin: ApiDocument }>();

/** Reads each contract once, because many cases share one: as it is, and its twin in OpenAPI 3.1. */
function read(text: string) {
  const found = known.get(text) ?? {
    written: readDocument(text, 'a.yaml'),
    twin: readDocument(asOpenApi31(text), 'a.yaml'),
  };
  known.set(text, found);
  return found;
}

/** The changes without their places, which differ between two ways to write a document. */
function changesOf(base: ApiDocument, next: ApiDocument): string[] {
  return compareContracts(base, next)
    .map(({ id, operation, what }) => `${operation}: ${what} [${id}]`)
    .sort();
}

t.test('each edit of the table is the same changes in OpenAPI 3.0, in 3.1, and across both', async (t) => {
  for (const one of cases) {
    const { base, next } = await contractPair(one);
    if (![base, next].every((text) => /^openapi: 3\.0/m.test(text))) continue;
    const [before, after] = [read(base), read(next)];
    const told = changesOf(before.written, after.written);
    t.strictSame(changesOf(before.twin, after.twin), told, `${one.name}: in 3.1`);
    t.strictSame(changesOf(before.written, after.twin), told, `${one.name}: from 3.0 to 3.1`);
    t.strictSame(changesOf(before.twin, after.written), told, `${one.name}: from 3.1 to 3.0`);
  }
});

t.test('a contract and its twin in a later version of OpenAPI have no changes', async (t) => {
  for (const document of ['plants', 'garden'] as const) {
    const { base } = await contractPair({ name: document, document, verdict: 'none' });
    const written = readDocument(base, 'old.yaml');
    for (const version of ['3.1.0', '3.1.2', '3.2.0']) {
      const twin = readDocument(asOpenApi31(base, version), 'new.yaml');
      t.equal(twin.openapi, version);
      for (const [from, to] of [
        [written, twin],
        [twin, written],
      ] as const) {
        t.strictSame(compareContracts(from, to), [], `${document}: ${from.openapi} → ${to.openapi}`);
        t.equal(versionFault([], from, to), undefined);
      }
    }
  }
});
