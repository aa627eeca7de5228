/**
 * A generated document can have one fault at each of its operations. Each is looked at as often as if it were the
 * only one, so that many of them do not take a time that grows with the square of their number.
 */
import t from 'tap';
import type { SchemaError } from '../../src/document/fault-sentences.js';
import { schemaFaults } from '../../src/document/schema-faults.js';

const operations = 400;

/** What Ajv reports of each operation, by its JSON pointer. */
const kinds: Readonly<Record<string, (at: string) => readonly SchemaError[]>> = {
  'answers without a status': (at) => [
    {
      instancePath: `${at}/responses`,
      keyword: 'required',
      params: { missingProperty: 'default' },
      schemaPath: '#/then/required',
    },
    { instancePath: `${at}/responses`, keyword: 'minProperties', params: { limit: 1 } },
  ],
  'a parameter without a schema': (at) => [
    { instancePath: `${at}/parameters/0`, keyword: 'required', params: { missingProperty: 'schema' } },
    { instancePath: `${at}/parameters/0`, keyword: 'required', params: { missingProperty: 'content' } },
  ],
  'two forms at once': (at) => [
    { instancePath: `${at}/a`, keyword: 'not', params: {} },
    { instancePath: `${at}/b`, keyword: 'oneOf', params: { passingSchemas: [0, 1] } },
  ],
};

for (const [kind, errorsAt] of Object.entries(kinds))
  t.test(`each of many faults is looked at as often as a single one: ${kind}`, async (t) => {
    const alone = readsFor(1, errorsAt);
    t.ok(alone > 0);
    t.equal(readsFor(operations, errorsAt), operations * alone);
  });

/** Returns how often a member of an error is read while the faults of so many operations are told. */
function readsFor(count: number, errorsAt: (at: string) => readonly SchemaError[]): number {
  let reads = 0;
  const handler: ProxyHandler<SchemaError> = {
    get(error, name: keyof SchemaError) {
      reads++;
      return error[name];
    },
  };
  const errors = Array.from({ length: count }, (_, index) => errorsAt(`/paths/~1a${index}/get`));
  const counted = errors.flat().map((error) => new Proxy(error, handler));
  schemaFaults(counted, {}, [], (path) => path.join('/'));
  return reads;
}
