import t from 'tap';
import type { CallOptions } from '../../packages/kit/testing.js';
import {
  newPlantText,
  optionalTexts,
  parsedPlant,
  plantText,
} from '../../packages/service/test/support/plants.js';
import { startService } from '../../packages/service/test/support/service.js';

const { log, newCaller } = await startService(t);

const plant = (id: bigint | number, name: string, texts: Readonly<Record<string, string>> = {}) =>
  newPlantText({ id, name, ...texts });

for (const member of optionalTexts) {
  t.test(`a plant with an empty ${member} is another than one without`, async (t) => {
    const call = await newCaller();
    const empty = { [member]: '' };
    await call('POST', '/plants', { body: plant(1, 'Ficus', empty) });
    for (const body of [
      plant(1, 'ficus', empty),
      plant(1, 'Ficus', { [member]: 'tree' }),
      plant(1, 'Ficus'),
    ]) {
      const { status, body: error } = await call('POST', '/plants', { body });
      t.equal(status, 409);
      t.match(error, { error: 409, message: String });
    }
    t.strictSame((await call('GET', '/plants')).body, [parsedPlant({ name: 'Ficus', ...empty })]);
  });
}

const json = (body: string | Uint8Array): CallOptions => ({
  body: typeof body === 'string' ? newPlantText(body) : body,
});
const withHeaders = (
  headers: Record<string, string>,
  body = newPlantText({ id: 1, name: 'x' }),
): CallOptions => ({
  headers,
  body,
});
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const padded = (text: string, length: number): CallOptions => ({ body: newPlantText(text).padEnd(length) });

/** The end of a body after the first letters of its name. */
const [, afterName = ''] = newPlantText('{"id":1,"name":"?"}').split('?');

const refused: readonly (readonly [what: string, status: number, request: CallOptions])[] = [
  ['absent', 400, {}],
  ['empty', 400, json('')],
  ['only spaces', 400, json(' \n')],
  ['not JSON', 400, json('name=x')],
  ['cut short', 400, json('{"id":1,"name":"x"')],
  ['followed by more', 400, json('{"id":1,"name":"x"}{}')],
  ['null', 400, json('null')],
  ['an array', 400, json('[{"id":1,"name":"x"}]')],
  ['a string', 400, json('"x"')],
  ['without id', 400, { body: plantText({ name: 'x' }) }],
  ['without name', 400, { body: '{"id":1}' }],
  ['id as a string', 400, json('{"id":"1","name":"x"}')],
  ['id as a boolean', 400, json('{"id":true,"name":"x"}')],
  ['id as null', 400, json('{"id":null,"name":"x"}')],
  ['id with a fraction', 400, json('{"id":1.5,"name":"x"}')],
  ['id with a fraction of zero', 400, json('{"id":1.0,"name":"x"}')],
  ['id with an exponent', 400, json('{"id":1e0,"name":"x"}')],
  ['name as a number', 400, json('{"id":1,"name":5}')],
  ['name as null', 400, json('{"id":1,"name":null}')],
  ['name empty', 400, json('{"id":1,"name":""}')],
  ['name of 256 characters', 400, json(`{"id":1,"name":"${'x'.repeat(256)}"}`)],
  ['name of 256 characters outside the basic plane', 400, json(`{"id":1,"name":"${'🌱'.repeat(256)}"}`)],
  ['name with U+0000', 400, json('{"id":1,"name":"a\\u0000b"}')],
  ['name with a raw control character', 400, json('{"id":1,"name":"a\nb"}')],
  ['name with half a surrogate pair', 400, json('{"id":1,"name":"\\ud83c"}')],
  ['name with the other half', 400, json('{"id":1,"name":"\\udf31"}')],
  ['name with the halves the wrong way round', 400, json('{"id":1,"name":"\\udf31\\ud83c"}')],
  ['half a surrogate pair in a member that is ignored', 400, json('{"id":1,"name":"x","note":"\\ud83c"}')],
  ...optionalTexts.flatMap((member): [string, number, CallOptions][] => [
    [`${member} as null`, 400, json(`{"id":1,"name":"x","${member}":null}`)],
    [`${member} of 256 characters`, 400, json(`{"id":1,"name":"x","${member}":"${'x'.repeat(256)}"}`)],
    [`${member} with U+0000`, 400, json(`{"id":1,"name":"x","${member}":"\\u0000"}`)],
  ]),
  ['a member twice', 400, json('{"id":1,"id":2,"name":"x"}')],
  ['a member twice, with the same value', 400, json('{"id":1,"id":1,"name":"x"}')],
  ['a member twice, once escaped', 400, json('{"id":1,"\\u0069d":2,"name":"x"}')],
  ['__proto__', 400, json('{"id":1,"name":"x","__proto__":{"tag":"y"}}')],
  ['__proto__ deep inside', 400, json('{"id":1,"name":"x","a":[{"__proto__":1}]}')],
  ['__proto__ for the name', 400, json('{"id":1,"__proto__":{"name":"x"}}')],
  ['nested too deep', 400, json(`{"id":1,"name":"x","a":${'['.repeat(32)}${']'.repeat(32)}}`)],
  ['nested very deep', 400, json('['.repeat(65_000))],
  ['invalid UTF-8', 400, json(bytes('{"id":1,"name":"', [0xff], afterName))],
  ['overlong UTF-8', 400, json(bytes('{"id":1,"name":"', [0xc0, 0x80], afterName))],
  ['a surrogate in UTF-8', 400, json(bytes('{"id":1,"name":"', [0xed, 0xa0, 0xbc], afterName))],
  ['UTF-16', 400, json(Buffer.from(newPlantText({ id: 1, name: 'x' }), 'utf16le'))],
  ['65537 bytes', 413, padded('{"id":1,"name":"x"}', 65_537)],
  ['a megabyte', 413, json('x'.repeat(2 ** 20))],
  ['text/plain', 415, withHeaders({ 'content-type': 'text/plain' })],
  ['a form', 415, withHeaders({ 'content-type': 'application/x-www-form-urlencoded' }, 'id=1&name=x')],
  ['application/problem+json', 415, withHeaders({ 'content-type': 'application/problem+json' })],
  ['a Content-Type that is no media type', 415, withHeaders({ 'content-type': 'json' })],
  ['an empty Content-Type', 415, withHeaders({ 'content-type': '' })],
  ['charset latin1', 415, withHeaders({ 'content-type': 'application/json; charset=iso-8859-1' })],
  ['charset UTF-16', 415, withHeaders({ 'content-type': 'application/json;charset="utf-16"' })],
  ['charset twice', 415, withHeaders({ 'content-type': 'application/json; charset=utf-8; charset=latin1' })],
  ['gzip', 415, withHeaders({ 'content-encoding': 'gzip' })],
];

t.test(
  'a create with an invalid body gets its documented status and an Error, and stores nothing',
  async (t) => {
    const call = await newCaller();
    for (const [what, status, request] of refused) {
      const answer = await call('POST', '/plants', request);
      t.match(answer, { status, body: { error: status, message: /^.{1,1000}$/ } }, what);
    }
    t.strictSame((await call('GET', '/plants')).body, []);
    t.notOk(log().includes('"level":50'), 'nothing unexpected happened');
  },
);

t.test('a valid create body in an unusual form is accepted', async (t) => {
  const call = await newCaller();
  const taken: (readonly [name: string, request: CallOptions])[] = [
    ['a byte order mark', json('\ufeff{"id":1,"name":"a byte order mark"}')],
    ['spaces', json(' \r\n\t{ "id" : 2 , "name" : "spaces" } \n')],
    [
      'charset',
      withHeaders(
        { 'content-type': 'Application/JSON; Charset="UTF-8"' },
        newPlantText({ id: 3, name: 'charset' }),
      ),
    ],
    ['identity', withHeaders({ 'content-encoding': 'identity' }, newPlantText({ id: 4, name: 'identity' }))],
    ['escapes \u{1f331}', json('{"id":5,"name":"\\u0065scapes \\ud83c\\udf31"}')],
    ['-0', json('{"id":-0,"name":"-0"}')],
    ['65536 bytes', padded('{"id":6,"name":"65536 bytes"}', 65_536)],
    ['32 levels', json(`{"id":7,"name":"32 levels","a":${'['.repeat(31)}${']'.repeat(31)}}`)],
    ['🌱'.repeat(255), json(`{"id":8,"name":"${'🌱'.repeat(255)}"}`)],
  ];
  for (const [name, request] of taken) {
    t.match(await call('POST', '/plants', request), { status: 200, body: { name } }, name);
  }
});
