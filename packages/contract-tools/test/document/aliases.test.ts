import t from 'tap';
import { readDocument } from '../../src/document/read-document.js';

/** That aliases are bound by what they grow to, and that merge keys are read as their authors meant them. */

const head = 'openapi: 3.1.0\ninfo: { title: Ports, version: "1" }\n';

t.test('one answer may be repeated a hundred times', async (t) => {
  const paths = Array.from(
    { length: 150 },
    (_, port) => `  /ports/${port}: { get: { responses: { "404": *none } } }`,
  );
  const { root } = readDocument(
    `${head}x-none: &none { description: None. }\npaths:\n${paths.join('\n')}\n`,
    'ports.yaml',
  );
  t.equal(root.at('paths', '/ports/149', 'get', 'responses', '404')?.text('description'), 'None.');
});

t.test('aliases that grow with each level are refused, with the place', async (t) => {
  const levels = Array.from(
    { length: 9 },
    (_, level) => `x-${level + 1}: &a${level + 1} [${Array(9).fill(`*a${level}`).join(', ')}]`,
  );
  t.throws(() => readDocument(`${head}x-0: &a0 [a, a, a]\n${levels.join('\n')}\npaths: {}\n`, 'bomb.yaml'), {
    name: 'ContractError',
    message: /^bomb\.yaml:\d+:\d+: with its aliases written out, this has more than 2000000 nodes/,
  });
});

t.test('the members of a merge key are read where it stands, and a note says so', async (t) => {
  const { root, faults, place } = readDocument(
    `${head}x-base: &base { id: { type: integer }, name: { type: integer } }
paths: {}
components:
  schemas:
    Ferry:
      type: object
      properties:
        <<: *base
        name: { type: string }
`,
    'ferries.yaml',
  );
  const properties = root.at('components', 'schemas', 'Ferry', 'properties');
  t.same(
    properties
      ?.members()
      .map(([name]) => name)
      .toSorted(),
    ['id', 'name'],
  );
  t.equal(properties?.at('name')?.text('type'), 'string', 'what stands beside it wins');
  t.equal(place(['components', 'schemas', 'Ferry', 'properties', 'id', 'type']), 'ferries.yaml:3:29');
  t.match(faults, [
    'ferries.yaml:10:9: "<<" is of YAML 1.1, and other readers take it for a member: write the members out.',
  ]);
});
