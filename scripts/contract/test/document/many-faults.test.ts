/** A generated document can have one fault at each of its operations, and they are told in linear time. */
import t, { type Test } from 'tap';
import type { SchemaError } from '../../document/fault-sentences.js';
import { schemaFaults } from '../../document/schema-faults.js';
import { readYaml } from '../../document/yaml.js';

const operations = 400;
const growth = 16;
/** A linear time grows about 16 times, and a quadratic one about 256 times. */
const maxGrowth = 40;
const maxTries = 3;

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
  t.test(`many faults are told in a time in proportion to their number: ${kind}`, async (t) => {
    const tell = (count: number): (() => unknown) => {
      const errors = Array.from({ length: count }, (_, index) => errorsAt(`/paths/~1a${index}/get`)).flat();
      return () => schemaFaults(errors, {}, [], (path) => path.join('/'));
    };
    compareTimes(
      t,
      [1, growth].map((times) => tell(operations * times)),
    );
  });

t.test('the places of many paths are found in a time in proportion to their number', async (t) => {
  const find = (count: number): (() => unknown) => {
    const names = Array.from({ length: count }, (_, index) => `/a${index}`);
    const { place } = readYaml(`paths: {${names.map((name) => `${name}: {}`).join(', ')}}`, 'a.yaml');
    return () => names.map((name) => place(['paths', name]));
  };
  compareTimes(
    t,
    [1, growth].map((times) => find(operations * times)),
  );
});

/** @param uses the same with some parts, and with `growth` times as many */
function compareTimes(t: Test, uses: readonly (() => unknown)[]): void {
  // A pause of the process may hit one round, so a growth that is too great is looked at again.
  let ratio = Number.POSITIVE_INFINITY;
  for (let tried = 0; tried < maxTries && ratio >= maxGrowth; tried++) {
    const [first = 0, last = 0] = uses.map(cpuTimeOf);
    ratio = Math.min(ratio, last / first);
  }
  t.ok(ratio < maxGrowth, `${ratio.toFixed(1)} times as long for ${growth} times as many`);
}

/** @returns the time of the processor, in microseconds, in the best of some rounds */
function cpuTimeOf(use: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const begin = process.cpuUsage();
    use();
    const { user, system } = process.cpuUsage(begin);
    best = Math.min(best, user + system);
  }
  return best;
}
