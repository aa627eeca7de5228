import fc from 'fast-check';
import t from 'tap';
import { boundaryValues } from '../../check/values/boundary-values.js';
import { breakSites } from '../../check/values/broken-values.js';
import { maxMade } from '../../values/bounds.js';
import { writeJson } from '../../values/json.js';
import { anyValue, NoValueError, plainValue } from '../../values/valid-values.js';
import { schemaNode } from './schema-node.js';

/** Java's generators write Integer.MAX_VALUE for "no bound", and MySQL's longest text has 2^32 - 1 bytes. */
const greatBounds = [2_147_483_647, 4_294_967_295];

for (const bound of greatBounds) {
  for (const schema of [
    { type: 'string', minLength: 1, maxLength: bound },
    { type: 'string', pattern: '^[a-z]+$', maxLength: bound },
    { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: bound, uniqueItems: true },
    { type: 'object', properties: { a: { type: 'string' } }, maxProperties: bound },
  ]) {
    t.test(`the values of ${JSON.stringify(schema)} are of a size that can be sent`, async (t) => {
      const node = schemaNode(schema);
      const plain = plainValue([node]);
      const values = [
        ...boundaryValues([node]).map(({ value }) => value),
        ...breakSites(node, plain).map((broken) => broken.apply(plain)),
        ...fc.sample(anyValue([node]), { seed: 1, numRuns: 20 }),
      ];
      t.ok(values.length > 20);
      t.same(
        values.filter((value) => writeJson(value).length > 6 * maxMade.characters),
        [],
      );
    });
  }
  for (const schema of [
    { type: 'string', minLength: bound },
    { type: 'array', items: { type: 'string' }, minItems: bound },
  ])
    t.test(`no value of ${JSON.stringify(schema)} is made`, async (t) => {
      const node = schemaNode(schema);
      t.throws(() => plainValue([node]), NoValueError);
      t.throws(() => fc.sample(anyValue([node]), 1), NoValueError);
      t.same(boundaryValues([node]), []);
    });
}
