import { readFile } from 'node:fs/promises';
import t from 'tap';
import { type Flaw, flaws } from '../../faults/models/orchards/flaws.js';
import { orchardsFile, startOrchards } from '../../faults/models/orchards/server.js';
import { check } from '../../src/check/check.js';
import { readRules } from '../../src/check/document/rules.js';
import type { Operation } from '../../src/document/operations.js';
import { readDocument } from '../../src/document/read-document.js';

t.setTimeout(600_000);

const document = readDocument(await readFile(orchardsFile, 'utf8'), orchardsFile);
const rules = await readRules(orchardsFile);
const owners = new Map([['a-token', 'first']]);

/** Each flaw leaves something behind that other operations show afterwards. */
const lasting: readonly Flaw[] = [
  'a new label is shown without its text',
  'a visit forgets who came',
  'a change takes a body of any type',
  'a change of a label changes nothing',
  'a label is lost',
];

for (const flaw of lasting) {
  t.test(`check:contract blames no other operation: ${flaw}`, async (t) => {
    const url = await startOrchards(t, owners, flaw);
    const token = { text: 'a-token', shell: '$PLANTS_TOKEN' };
    const isTried = ({ path }: Operation): boolean => /^\/(?:orchards|trees|labels)/.test(path);
    const { findings } = await check({ document, isTried, rules, url, token, seed: 1, cases: 5 });
    const others = findings.filter(({ operation }) => operation !== flaws[flaw]);
    t.ok(findings.length > others.length, `names ${flaws[flaw]}`);
    t.same(
      others.map(({ operation, rule, did }) => `${operation}: ${rule}: ${did}`),
      [],
    );
  });
}
