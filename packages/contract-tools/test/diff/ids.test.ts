import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { changeIds, isBreaking, isChangeId, propertyKinds } from '../../src/diff/ids.js';

const page = await readFile(join(import.meta.dirname, '..', '..', 'change-ids.md'), 'utf8');

/** The ids of the page, each with its verdict: `request-body-added` → `compatible`. */
function idsOfPage(): [string, string][] {
  const rows = Array.from(page.matchAll(/^\| `(.+?)` \| (.+) \|$/gm), ([, name = '', cells = '']) => ({
    name,
    cells: cells.split(' | '),
  }));
  const verdicts = new Set(['breaking', 'compatible']);
  const subjects = rows.filter(({ cells: [first = ''] }) => !verdicts.has(first));
  return rows.flatMap(({ name, cells: [first = '', second] }): [string, string][] => {
    if (!verdicts.has(first)) return [];
    if (second === undefined) return [[name, first]];
    const isOfMembers = Object.hasOwn(propertyKinds, name);
    return subjects
      .filter(({ name: subject }) => !isOfMembers || subject.endsWith('-property'))
      .map(({ name: subject }) => [`${subject}-${name}`, subject.startsWith('request') ? first : second]);
  });
}

t.test('change-ids.md lists each id once, with the verdict that the report gives', (t) => {
  const listed = idsOfPage();
  t.equal(new Map(listed).size, listed.length, 'no id stands there twice');
  const verdicts = [...changeIds.keys()].map((id): [string, string] => [
    id,
    isChangeId(id) && isBreaking(id) ? 'breaking' : 'compatible',
  ]);
  t.strictSame(new Map(listed.sort()), new Map(verdicts.sort()));
  t.end();
});
