import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { helpFor } from '../../src/check/command-line.js';
import { describe } from '../../src/check/document/description.js';
import { allRules, readRules, rulesThatAreOff } from '../../src/check/document/rules.js';
import { collectionProbes } from '../../src/check/probes/collections.js';
import { probes } from '../../src/check/probes/table.js';
import { plainRequest } from '../../src/check/requests/plain-request.js';
import { boundaryValues } from '../../src/check/values/boundary-values.js';
import { operationsOf } from '../../src/document/operations.js';
import { readDocument } from '../../src/document/read-document.js';
import { ruleTable } from '../../src/document/rule-table.js';
import { Decimal, writeJson } from '../../src/values/json.js';
import { violationsOf } from '../../src/values/schema.js';
import { anyValue, plainValue } from '../../src/values/valid-values.js';

import { schemaNode } from './schema-node.js';

const foreign = `openapi: 3.0.0
info: { title: Foreign, version: "1" }
paths:
  /nodes:
    post:
      requestBody:
        content:
          application/json: { schema: { $ref: '#/components/schemas/Node' } }
          multipart/form-data: { schema: { type: object } }
      responses: { default: { description: Anything. } }
    get:
      operationId: nodes
      security: [{ login: [read, write] }]
      parameters:
        - { name: filter, in: query, style: deepObject, schema: { type: object } }
        - { name: Accept, in: header, schema: { type: string } }
        - { name: code, in: query, required: true, schema: { type: string, pattern: '^[0-9]+$', maxLength: 20 } }
      responses:
        "200": { description: All., content: { "*/*": { schema: { type: array, items: { $ref: '#/components/schemas/Node' } } } } }
  /nodes/{id}:
    get:
      operationId: nodes
      parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: uint64 } }]
      responses: { "200": { description: It. } }
  /pictures:
    put:
      operationId: putPicture
      requestBody: { required: true, content: { image/png: { schema: { type: string } } } }
      responses: { "204": { description: Taken. } }
  /keys:
    get:
      operationId: keys
      security: [{ key: [] }]
      responses: { "200": { description: Keys. } }
components:
  securitySchemes:
    key: { type: http, scheme: digest }
    login: { type: oauth2, flows: { clientCredentials: { tokenUrl: https://example.org, scopes: { read: R, write: W } } } }
  schemas:
    Node:
      type: object
      required: [size]
      properties:
        size: { type: integer }
        weight: { type: number, format: decimal, multipleOf: 0.5, maximum: 2.5 }
        name: { type: string, format: fancy, default: x }
        any: { nullable: true }
        children: { type: array, items: { $ref: '#/components/schemas/Node' } }
`;

t.test('what the checker does not know of 3.2 is named with its operation', async (t) => {
  const { operations, leftOut } = operationsOf(
    readDocument(
      `openapi: 3.2.0
info: { title: Lines, version: "1" }
paths:
  /lines:
    query:
      operationId: findLines
      parameters: [{ name: all, in: querystring, content: { application/json: { schema: {} } } }]
      responses:
        '200': { description: Lines., content: { application/jsonl: { itemSchema: { type: object } } } }
`,
      'lines.yaml',
    ),
  );
  t.match(operations, [{ id: 'findLines', method: 'QUERY', parameters: [] }]);
  t.strictSame(leftOut.toSorted(), [
    'findLines is tried without a look at the items of its application/jsonl.',
    'findLines is tried without its parameter all, which is the whole query.',
  ]);
});

t.test('check:contract takes what OpenAPI 3.0 allows, and says what it leaves out', async (t) => {
  const document = readDocument(foreign, 'foreign.yaml');
  const described = operationsOf(document);
  t.same(
    described.operations.map(({ id }) => id),
    ['nodes', 'POST /nodes', 'GET /nodes/{id}'],
  );
  const said = described.leftOut.join('\n');
  for (const name of ['filter', 'multipart/form-data', 'putPicture', 'keys']) t.match(said, name);
  const { operations } = describe(document);
  const [list, create] = operations;
  t.match(list, { secured: true, anonymous: false, parameters: [{ name: 'code' }] });
  t.match(create, { secured: false, body: { mediaType: 'application/json', limits: undefined } });
  t.match(create && plainRequest(create), { body: { size: 0n } });
});

t.test('check:contract makes values of a schema that contains itself, and of every bound', async (t) => {
  const document = readDocument(foreign, 'foreign.yaml');
  const [list, create] = describe(document).operations;
  const node = create?.body?.schema;
  if (node === undefined || list === undefined) throw new Error('The document has both operations.');
  t.equal(fc.sample(anyValue([node]), { seed: 1, numRuns: 50 }).length, 50);
  const codes = list.parameters.flatMap(({ schema }) => boundaryValues([schema]).map(({ value }) => value));
  t.ok(codes.includes('9'.repeat(20)), 'the longest text of a pattern, in great digits');
  t.ok(
    codes.some((code) => typeof code === 'string' && code.length === 1),
    'the shortest one',
  );
  const weight = node.at('properties', 'weight');
  const weights = weight ? boundaryValues([weight]).map(({ value }) => value) : [];
  t.ok(weights.map(writeJson).includes('2.5'), 'a bound that is not an integer');
});

/** The values of the bounds of a schema. */
function boundsOf(schema: object): string[] {
  return boundaryValues([schemaNode(schema)]).map(({ value }) => writeJson(value));
}

t.test('check:contract sends no value that servers read in two ways', async (t) => {
  const lock = { type: 'string', enum: ['key', 'code'] };
  t.same(boundsOf({ ...lock, nullable: true }), ['"key"', '"code"'], 'null beside an enum without null');
  t.same(boundsOf({ ...lock, enum: ['key', null], nullable: true }), ['"key"', 'null']);
  const phone = { type: 'string', format: 'phone', maxLength: 20 };
  t.same(boundsOf(phone), [], 'a format that is not known');
  t.same(boundsOf({ ...phone, example: '+1 2' }), ['"+1 2"'], 'but its example');
  t.equal(writeJson(plainValue([schemaNode({ ...phone, example: '+1 2' })])), '"+1 2"');
});

t.test('check:contract reads patterns of other dialects', (t) => {
  for (const [pattern, text] of [
    ['(?i)^(all|none)$', 'ALL'],
    ['^[\\w-.]+$', 'a-.'],
    ['^\\@$', '@'],
  ] as const) {
    const schema = schemaNode({ type: 'string', pattern });
    t.same(violationsOf(schema, text), [], pattern);
    t.equal(violationsOf(schema, ' ').length, 1, pattern);
    t.ok(violationsOf(schema, plainValue([schema])).length === 0, 'and makes a text of it');
  }
  t.end();
});

t.test('check:contract knows multiples of decimals as decimals', (t) => {
  const cents = schemaNode({ type: 'number', multipleOf: 0.01 });
  for (const [text, count] of [
    ['0.29', 0],
    ['19.99', 0],
    ['1e-2', 0],
    ['0.291', 1],
    ['1e400', 0],
    ['1e999999999', 0],
  ] as const) {
    t.equal(violationsOf(cents, new Decimal(text)).length, count, text);
  }
  t.end();
});

/** A contract with a file of rules beside it. */
async function rulesOf(t: Test, rules: string): ReturnType<typeof readRules> {
  const folder = await mkdtemp(join(tmpdir(), 'rules-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'mine.rules.yaml'), rules);
  return readRules(join(folder, 'mine.yaml'));
}

t.test('rules beyond OpenAPI and HTTP hold if a file beside the contract turns them on', async (t) => {
  const later = [
    'conditions',
    'parents',
    'updates',
    'filters',
    'sorting',
    'totals',
    'taken-ids',
    'bulk',
    'retries',
    'actions',
    'files',
    'pending-work',
  ];
  const none = await readRules(join(tmpdir(), 'without-rules.yaml'));
  t.same([...none.on], ['isolation', 'pages', 'media-types', ...later]);
  t.match(rulesThatAreOff(none), /undocumented-methods.*served-document/);
  t.equal(rulesThatAreOff(allRules), undefined);
  const some = await rulesOf(t, 'path-case: on\nisolation: off\n');
  t.same([...some.on], ['pages', 'media-types', ...later, 'path-case']);
  // Lint reads that line.
  t.same((await rulesOf(t, 'path-case: on\nconsumers: [prism]\n')).on, new Set([...none.on, 'path-case']));
  await t.rejects(rulesOf(t, 'path-cases: on'), {
    name: 'ContractError',
    message: /mine\.rules\.yaml:1:13: "path-cases" is not a rule: did you mean path-case /,
  });
  await t.rejects(rulesOf(t, 'isolation: off\npath-case: yes'), {
    message: /mine\.rules\.yaml:2:12: "path-case" is on or off/,
  });
  t.same((await rulesOf(t, '# path-case: on\n\n')).on, none.on, 'a file of comments turns nothing on');
});

t.test('the README of the probes has a row for each probe, in their order, with its rule', async (t) => {
  const file = join(import.meta.dirname, '..', '..', 'src', 'check', 'probes', 'README.md');
  const rows = (await readFile(file, 'utf8')).matchAll(/^\| ([A-Z].*?) \| (?:`(.*?)`)? \| `/gm);
  const { early, late } = collectionProbes;
  t.same(
    Array.from(rows, ([, name, rule]) => ({ name, rule })),
    [...probes.most, ...early, ...late].map(({ name, rule }) => ({ name, rule })),
  );
});

t.test('the README of the tools and --help have each rule with its sentence', async (t) => {
  const readme = await readFile(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
  const help = helpFor({ command: 'npx check-contract', contract: undefined });
  for (const { name, sentence } of ruleTable) {
    t.match(readme, `| \`${name}\` | ${sentence} |`);
    t.match(help, new RegExp(`^  ${name} +${sentence}$`, 'm'));
  }
  const documented = [...readme.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, name]) => name);
  const programs = ['check-contract', 'diff-contract', 'mock-contract'];
  t.same(
    documented.filter((name = '') => !programs.includes(name)),
    ruleTable.map(({ name }) => name),
  );
});
