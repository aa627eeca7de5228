import { join } from 'node:path';
import t, { type Test } from 'tap';
import { apply, copyProject, member, projectFolder } from '../../packages/kit/index.js';
import { call, makeFolder } from '../../packages/kit/testing.js';
import { memberAdded, requirePrice } from './documented-changes.js';
import { filesThatDiffer, proveAndStart, proveRules } from './prove.js';

/** Follows docs/changing-the-contract.md word by word, for every kind of member. */

t.setTimeout(600_000);

/** Applies the edits to a copy, runs `check:contract` on its server, and returns that server. */
async function change(t: Test, member: Parameters<typeof memberAdded>[0]) {
  return changeBy(t, async (folder) => {
    for (const edit of memberAdded(member)) await apply(folder, edit);
  });
}

async function changeBy(t: Test, edit: (folder: string) => Promise<void>) {
  // The copy lies within the project, because startProgram starts files of the project.
  const folder = await makeFolder(t, join(projectFolder, '.tap'));
  await copyProject(folder);
  await edit(folder);
  const { address, token } = await proveAndStart(t, folder);
  const send = async (method: string, path: string, body?: string) => {
    const { status, text } = await call(address, method, path, { token, body });
    return { status, text };
  };
  return { folder, send };
}

t.test('the documented steps for a new member (YAML, column, migration) are enough', async (t) => {
  const { folder, send } = await change(t, { ...member, columns: member.column });
  await proveRules(t, folder);
  t.strictSame(await filesThatDiffer(folder, 'src'), [
    'src/plants/migrations/0004-member.sql',
    'src/plants/table.ts',
  ]);
  const ficus = '{"id":1,"name":"Ficus","height":120}';
  const stored = { status: 200, text: '{"name":"Ficus","height":120}' };
  t.strictSame(await send('POST', '/plants', ficus), stored);
  t.strictSame(await send('POST', '/plants', ficus), stored, 'a repeat');
  t.equal((await send('POST', '/plants', ficus.replace('120', '121'))).status, 409, 'another height');
  t.equal((await send('POST', '/plants', '{"id":1,"name":"Ficus"}')).status, 409, 'no height');
  t.strictSame(await send('GET', '/plants'), { status: 200, text: `[${stored.text}]` });
});

t.test('a required member needs no change of a test or a tool: all of them compile', async (t) => {
  const { folder, send } = await changeBy(t, requirePrice);
  await proveRules(t, folder);
  t.equal((await send('POST', '/plants', '{"id":1,"name":"Ficus"}')).status, 400, 'no price');
  const created = await send('POST', '/plants', '{"id":1,"name":"Ficus","price":2147483647}');
  t.strictSame(created, { status: 200, text: '{"name":"Ficus","price":2147483647}' });
});

/** A member of each kind that a contract may have: schema, column, one JSON value and another. */
const kinds: readonly (readonly [
  name: string,
  schema: string,
  type: string,
  value: string,
  other: string,
])[] = [
  [
    'planted',
    '{ type: string, format: date-time }',
    'text',
    '"2026-11-22T08:00:00+05:45"',
    '"2026-11-22T02:15:00Z"',
  ],
  ['colour', '{ type: string, enum: [green, blue] }', 'text', '"green"', '"blue"'],
  ['count', '{ type: integer, format: int32 }', 'integer', '-2147483648', '0'],
  ['serial', '{ type: integer, format: int64 }', 'bigint', '9223372036854775807', '9223372036854775806'],
  ['weight', '{ type: number }', 'double precision', '0.1', '0.10000000000000002'],
  ['huge', '{ type: number }', 'double precision', '1.7976931348623157e+308', '5e-324'],
  ['isAlive', '{ type: boolean }', 'boolean', 'false', 'true'],
  ['note', "{ type: string, nullable: true, pattern: '^[^\\x00]*$' }", 'jsonb', 'null', '"null"'],
  [
    'sizes',
    '{ type: array, items: { type: integer, format: int64 } }',
    'jsonb',
    '[9007199254740993,1]',
    '[9007199254740992,1]',
  ],
  [
    'order',
    `{ type: object, required: [a], properties: { a: { type: integer, format: int64 }, "b c": { type: number }, d: { type: array, items: { type: string, pattern: '^[^\\x00]*$' } } } }`,
    'jsonb',
    '{"a":-9223372036854775808,"b c":1.5,"d":["","\\u001f"]}',
    '{"a":-9223372036854775808,"b c":1.5,"d":["\\u001f",""]}',
  ],
];

t.test('new members of every kind are stored, listed, compared and answered exactly', async (t) => {
  const { send } = await change(t, {
    yaml: kinds.map(([name, schema]) => `        ${name}: ${schema}\n`).join(''),
    columns: kinds.map(([name, , type]) => `    ${name}: '${type}',\n`).join(''),
    migration: kinds.map(([name, , type]) => `ALTER TABLE plants ADD "${name}" ${type};\n`).join(''),
  });
  let id = 0;
  const listed: string[] = [];
  for (const [name, , , value, other] of kinds) {
    const content = `"name":"${name}","${name}":${value}`;
    const text = `{${content}}`;
    id++;
    t.strictSame(await send('POST', '/plants', `{"id":${id},${content}}`), { status: 200, text }, name);
    t.strictSame(await send('POST', '/plants', `{"id":${id},${content}}`), { status: 200, text }, 'a repeat');
    const changed = await send('POST', '/plants', `{"id":${id},"name":"${name}","${name}":${other}}`);
    t.equal(changed.status, 409, `${name}: ${other}`);
    t.equal((await send('POST', '/plants', `{"id":${id},"name":"${name}"}`)).status, 409, `no ${name}`);
    listed.push(text);
  }
  t.strictSame(await send('GET', '/plants'), { status: 200, text: `[${listed.join(',')}]` });

  // Neither the order of members nor members that the schema does not name make a difference.
  const reordered = '{"d":["","\\u001f"],"unknown":[{}],"b c":15e-1,"a":-9223372036854775808}';
  const repeat = await send('POST', '/plants', `{"id":${id},"order":${reordered},"name":"order"}`);
  t.strictSame([repeat.status, JSON.parse(repeat.text)], [200, JSON.parse(listed.at(-1) ?? '')]);

  // All creates at once, so that several share a statement.
  const all = kinds.map(([name, , , value]) => `"${name}":${value}`).join(',');
  const answers = await Promise.all(
    [101, 102, 103].map((each) => send('POST', '/plants', `{"id":${each},"name":"all",${all}}`)),
  );
  for (const answer of answers) t.strictSame(answer, { status: 200, text: `{"name":"all",${all}}` });
});
