import t from 'tap';
import { hasEntry, insertIntoDefinition, insertIntoYaml } from '../../src/new-resource/insert.js';
import { namesOf } from '../../src/new-resource/names.js';

/** The parts of `npm run new:resource`. new-resource.hours.test.ts runs it, and serves what it wrote. */

t.test('the names of a resource follow from its plural', async (t) => {
  t.match(namesOf('berries'), { item: 'berry', Item: 'Berry', Items: 'Berries', 'a item': 'a berry' });
  t.match(namesOf('houses', 'house'), { item: 'house' });
  t.match(namesOf('orchids'), { 'A item': 'An orchid' });
  t.throws(() => namesOf('sheep'), /both called "sheep": name the item by --item\.$/);
  for (const name of ['', 'Plants', 'seed-banks', '../plants', '7s', '__proto__', 'a'.repeat(41), 'plants\n'])
    t.throws(() => namesOf(name, 'one'), /cannot name a resource/, JSON.stringify(name));
});

t.test('lines are inserted at the end of a block, and the comments around it stay', async (t) => {
  const insert = (text: string) => insertIntoYaml(text, [{ path: ['a', 'b'], lines: '    new: 1\n' }]);
  t.equal(
    insert('a:\n  b:\n    c: 1 # one\n# of d\nd: 2\n'),
    'a:\n  b:\n    c: 1 # one\n    new: 1\n# of d\nd: 2\n',
  );
  t.equal(
    insert('a:\n  b:\n    c: |\n      text\n\nd: 2\n'),
    'a:\n  b:\n    c: |\n      text\n    new: 1\n\nd: 2\n',
  );
  t.equal(insert('a:\n  b:\n    c: 1'), 'a:\n  b:\n    c: 1\n    new: 1\n');
  for (const text of ['a: { b: { c: 1 } }\n', 'a:\n  c: 1\n', '', 'a:\n  b:\n'])
    t.throws(() => insert(text), /The YAML has no block "a\.b"/, JSON.stringify(text));
  t.ok(hasEntry('a:\n  b:\n    c: 1\n', ['a', 'b', 'c']));
  t.notOk(hasEntry('a:\n  b:\n    c: 1\n', ['a', 'x', 'c']));
  t.throws(() => insertIntoDefinition('const parts = 1;\n', 'trees', 'treeResource'), /no "resources: \{"/);
});
