import t from 'tap';
import { parseJson } from '../../../exact-json/index.js';
import { compileSchema } from '../../src/schema/schema.js';
import { checkBodies } from '../support/contract/requests.js';

t.test(
  'an array of different objects is accepted, and equal ones in any order of members are a 400',
  async (t) => {
    const items = {
      fit: ['[]', '[{}]', '[{"a":1},{"a":2}]', '[{"a":1},{"b":1}]', '[{"a":{"b":1}},{"a":{"b":2}}]'],
      unfit: ['[{},{}]', '[{"a":1,"b":2},{"b":2,"a":1}]', '[{"a":{"b":1.0}},{"a":{"b":1}}]'],
    };
    await checkBodies(t, {
      '{ type: array, items: { type: object, properties: { a: {}, b: {} } }, uniqueItems: true }': items,
      '{ type: array, items: {}, uniqueItems: true }': items,
    });
  },
);

t.test('items are equal if their mathematical values are (JSON Schema Wright-00, section 3.6)', async (t) => {
  const items = { type: 'array', items: {}, uniqueItems: true };
  const schemas = [items, { oneOf: [items] }, { ...items, items: { type: 'number' } }];
  const equal = ['[1,1.0]', '[10000000000000000000000,1e22]', '[0,-0.0]', '[0.1,0.10]', '[100,1e2]'];
  const different = [
    '[1,2.0]',
    '[9007199254740992,9007199254740993]',
    '[9007199254740993,9007199254740992.0]',
  ];
  for (const schema of schemas) {
    const violationOf = compileSchema(schema);
    for (const body of equal) t.match(violationOf(parseJson(body, 5)), { message: /duplicate/ }, body);
    for (const body of different) t.equal(violationOf(parseJson(body, 5)), undefined, body);
  }
  const violationOf = compileSchema(items);
  t.match(violationOf(parseJson('[[1],[1.0]]', 5)), { message: /duplicate/ });
  for (const body of [
    '[1,"1",true,"true",null,"null"]',
    '["[1]",[1]]',
    '["a,b",["a","b"],["a,b"]]',
    '[[],{},""]',
  ])
    t.equal(violationOf(parseJson(body, 5)), undefined, body);
});
