import t from 'tap';
import { documentOfParameters, documentOfQuery, serve } from '../support/contract/contract.js';
import { refusesDocuments, starting } from '../support/contract/documents.js';
import { accepts, inQuery, refuses } from '../support/contract/requests.js';

t.test('a handler gets the default of an absent parameter, to the last digit', async (t) => {
  const defaults = [
    ['{ type: integer, format: int32, default: 20 }', 20],
    ['{ type: integer, format: int64, default: 20 }', 20n],
    ['{ type: integer, format: int64, default: 9223372036854775807 }', 9223372036854775807n],
    ['{ type: integer, format: int64, default: -9223372036854775808 }', -9223372036854775808n],
    ['{ type: integer, format: int64, nullable: true, default: null }', null],
    ['{ type: number, default: 2 }', 2],
    ['{ type: number, default: 0.5 }', 0.5],
    ['{ type: boolean, default: false }', false],
    ['{ type: string, default: "" }', ''],
    ['{ type: string, enum: [up, down], default: up }', 'up'],
    ['{ type: array, items: { type: string }, default: [a, b] }', ['a', 'b']],
    ['{ type: array, items: { type: string }, default: [] }', []],
    ['{ type: array, items: { type: integer, format: int32 }, default: [1, 2] }', [1, 2]],
    [
      '{ type: array, items: { type: integer, format: int64 }, default: [1, 9007199254740993] }',
      [1n, 9007199254740993n],
    ],
  ] as const;
  const rowsOf = (value: unknown) => [undefined, '?other=1'].map((query) => [query, value] as const);
  await accepts(t, inQuery, Object.fromEntries(defaults.map(([schema, value]) => [schema, rowsOf(value)])));
});

t.test('a value that was sent takes precedence over the default, and is checked', async (t) => {
  const schema = '{ type: integer, format: int32, minimum: 1, default: 20 }';
  await accepts(t, inQuery, { [schema]: [['?value=3', 3]] });
  await refuses(t, inQuery, { [schema]: [['?value=0'], ['?value='], ['?value=x']] });
});

t.test('header and cookie parameters have defaults, too', async (t) => {
  const { call, seen } = await serve(
    t,
    documentOfParameters(
      '{ name: X-Depth, in: header, schema: { type: integer, format: int64, default: 9007199254740993 } }',
      '{ name: theme, in: cookie, schema: { type: string, default: dark } }',
    ),
  );
  t.equal((await call('GET', '/look')).status, 204);
  t.match(seen.at(-1), { header: { 'X-Depth': 9007199254740993n }, cookie: { theme: 'dark' } });
  const headers = { 'x-depth': '1', cookie: 'theme=light' };
  t.equal((await call('GET', '/look', { headers })).status, 204);
  t.match(seen.at(-1), { header: { 'X-Depth': 1n }, cookie: { theme: 'light' } });
});

t.test('a handler that modifies a default does not change it for other requests', async (t) => {
  const lists: unknown[] = [];
  const { call } = await serve(t, documentOfQuery('{ type: array, items: { type: string }, default: [a] }'), {
    handlers: {
      look: async ({ query }) => {
        const { value } = Object(query);
        lists.push([...value]);
        value.push('b');
        return { status: 204 };
      },
    },
  });
  for (let request = 0; request < 2; request++) await call('GET', '/look');
  t.strictSame(lists, [['a'], ['a']]);
});

t.test('a default that breaks its own schema stops the start, with its place', async (t) => {
  const noInteger = /^look, query\/value: the default must be an integer/;
  await refusesDocuments(t, starting, documentOfQuery, {
    '{ type: integer, format: int32, minimum: 1, default: §0 }':
      /^look, query\/value: the default must be an integer from 1 to/,
    '{ type: integer, format: int64, default: §9223372036854775808 }': noInteger,
    '{ type: integer, format: int64, default: §"12" }': noInteger,
    '{ type: integer, format: int64, default: §1.5 }': noInteger,
    '{ type: integer, format: int64, default: §1e400 }': noInteger,
    '{ type: integer, format: int64, default: §null }': noInteger,
    '{ type: integer, format: int64, default: §[1] }': noInteger,
    '{ type: string, default: §12 }': /^look, query\/value: the default must be string/,
    '{ type: string, default: §9007199254740993 }': /^look, query\/value: the default must be string/,
    '{ type: string, enum: [up, down], default: §left }':
      /^look, query\/value: the default must be one of "up", "down"/,
    '{ type: array, items: { type: string }, default: §a }': /^look, query\/value: the default must be array/,
    '{ type: array, items: { type: string }, maxItems: 1, default: §[a, b] }':
      /^look, query\/value: the default must NOT have more/,
    '{ type: array, items: { type: integer, format: int64 }, default: §[9007199254740993, x] }':
      /^look, query\/value: the default\/1 must be an integer/,
  });
});

t.test('a default on a required parameter stops the start', async (t) => {
  await refusesDocuments(t, starting, documentOfParameters, {
    '{ name: value, in: query, required: true, schema: { type: string, default: §a } }':
      'look, query/value: a parameter that is required needs no default: take one of the two away.',
  });
});
