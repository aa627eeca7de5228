import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { onePerFault, type Problem } from '../../../contract-tools/lint.js';
import { contractFile, projectFolder } from '../../../kit/index.js';
import { runTypeScript } from '../../../kit/testing.js';
import { lintOwnContract } from '../../src/lint/own-contract.js';

const contract = readFileSync(contractFile, 'utf8');

interface Mistake {
  readonly name: string;
  /** A text that stands once in the contract, and is replaced in the copy. */
  readonly from: string;
  readonly to: string;
  readonly rules: readonly string[];
  /** The beginning of the reported line, a text that stands once in the copy; by default `to`. */
  readonly at?: string;
}

const mistakes: readonly Mistake[] = [
  {
    name: 'YAML that says a thing twice',
    from: '  title: Plant Store\n',
    to: '  title: Plant Store\n  title: Plant Shop\n',
    rules: ['yaml/DUPLICATE_KEY'],
    at: '  title: Plant Shop',
  },
  {
    name: 'a version that is no OpenAPI version',
    from: 'openapi: 3.0.3',
    to: 'openapi: 3.0',
    rules: ['redocly/gave-up'],
    at: '# The contract of the plant store',
  },
  {
    name: 'a member that OpenAPI does not have',
    from: '      summary: Delete a plant\n',
    to: '      summary: Delete a plant\n      returns: nothing\n',
    rules: ['redocly/struct'],
    at: '      returns: nothing',
  },
  {
    name: 'an operation without a summary',
    from: '      summary: Delete a plant\n',
    to: '',
    rules: ['redocly/operation-summary'],
    at: '    delete:',
  },
  {
    name: 'an operation without a description',
    from: '      description: |\n        Deletes one',
    to: '      x-description: |\n        Deletes one',
    rules: ['redocly/operation-description'],
    at: '    delete:',
  },
  {
    name: 'a response without a description',
    from: '          description: The plant is deleted.',
    to: '          x-description: The plant is deleted.',
    rules: ['redocly/struct'],
    at: '        "204":',
  },
  {
    name: 'a parameter without a description',
    from: '          description: How many plants',
    to: '          x-description: How many plants',
    rules: ['redocly/parameter-description'],
    at: '        - name: limit',
  },
  {
    name: 'an undocumented 401',
    from: '        "401":\n          $ref: "#/components/responses/Unauthorized"\n        "404":',
    to: '        "404":',
    rules: ['redocly/rule/error-responses'],
    at: '      responses:\n        "204":',
  },
  {
    name: 'an undocumented 400',
    from: '        "400":\n          description: |\n            The `id` in',
    to: '        "410":\n          description: |\n            The `id` in',
    rules: ['redocly/rule/error-responses'],
    at: '      responses:\n        "204":',
  },
  {
    name: 'a document without protection',
    from: 'security:\n  - bearerAuth: []\n',
    to: 'security: []\n',
    rules: ['redocly/rule/no-public-document'],
  },
  {
    name: 'a public operation',
    from: '      operationId: deletePlant\n',
    to: '      operationId: deletePlant\n      security: []\n',
    rules: ['redocly/rule/no-public-operation'],
    at: '      security: []',
  },
  {
    name: 'an operation whose token is optional',
    from: '      operationId: listPlants\n',
    to: '      operationId: listPlants\n      security: [{ bearerAuth: [] }, {}]\n',
    rules: ['redocly/rule/no-public-requirement'],
    at: '      security: [{',
  },
  {
    name: 'a path with a trailing slash',
    from: '  /plants/{id}:',
    to: '  /plants/{id}/:',
    rules: ['redocly/no-path-trailing-slash'],
  },
  {
    name: 'a parameter that the path does not have',
    from: '        - name: id\n',
    to: '        - name: key\n',
    rules: ['redocly/path-parameters-defined'],
  },
  {
    name: 'a string without an end',
    from: '          maxLength: 1000\n',
    to: '',
    rules: ['redocly/rule/string-limit'],
    at: '        message:\n          type: string',
  },
  {
    name: 'a string of any characters',
    from: "          maxLength: 1000\n          pattern: '^[^\\x00]*$'\n",
    to: '          maxLength: 1000\n',
    rules: ['redocly/rule/string-restricted'],
    at: '        message:\n          type: string',
  },
  {
    name: 'an integer without a minimum',
    from: '          minimum: 400\n',
    to: '',
    rules: ['redocly/rule/integer-minimum'],
    at: '        error:\n          type: integer',
  },
  {
    name: 'an object of any members',
    from: '      description: A plant, as create and list return it.\n',
    to: '      description: A plant, as create and list return it.\n      additionalProperties: true\n',
    rules: ['redocly/rule/few-additional-properties'],
    at: '    Plant:\n',
  },
  {
    name: 'a 429 that does not say when to come back',
    from: '        Retry-After:\n          $ref: "#/components/headers/Retry-After"\n        RateLimit-Policy',
    to: '        RateLimit-Policy',
    rules: ['redocly/response-contains-header'],
    at: '      headers:\n        X-Request-Id:\n          $ref: "#/components/headers/X-Request-Id"\n        RateLimit-Policy',
  },
  {
    name: 'a server without TLS',
    from: '  - url: /\n',
    to: '  - url: http://plants.test\n',
    rules: ['redocly/rule/no-server-http'],
  },
  {
    name: 'an operation without a tag',
    from: '      tags: [plants]\n      summary: Create',
    to: '      summary: Create',
    rules: ['redocly/operation-tag-defined'],
    at: '    post:\n',
  },
  {
    name: 'a reference to nothing',
    from: '            $ref: "#/components/schemas/PlantId"\n          example',
    to: '            $ref: "#/components/schemas/PlantNumber"\n          example',
    rules: ['redocly/no-unresolved-refs'],
  },
  {
    name: 'a request example that does not fit',
    from: '                value: { id: -8, name: Ficus }',
    to: '                value: { id: -8 }',
    rules: ['redocly/no-invalid-media-type-examples'],
  },
  {
    name: 'a response example that does not fit',
    from: '              value: { error: 408,',
    to: '              value: { error: 200,',
    rules: ['redocly/no-invalid-media-type-examples'],
  },
  {
    name: 'a response example with a member that its schema does not have',
    from: '                  value: { name: Monstera deliciosa, tag: climber }',
    to: '                  value: { id: 7, name: Monstera deliciosa, tag: climber }',
    rules: ['redocly/no-invalid-media-type-examples'],
  },
  {
    name: 'a parameter example that does not fit',
    from: '          example: 20\n',
    to: '          example: 0\n',
    rules: ['redocly/no-invalid-parameter-examples'],
  },
  {
    name: 'a schema example that does not fit',
    from: '          example: 400\n',
    to: '          example: 40\n',
    rules: ['redocly/no-invalid-schema-examples'],
  },
  {
    name: 'an example that is far from an int64',
    from: '      example: 7\n\n',
    to: '      example: 1.0e+20\n\n',
    rules: ['redocly/no-invalid-schema-examples'],
  },
];

/** The number of the line with `part`, counted from 1; `part` must stand once in `text`. */
function lineWith(part: string, text: string): number {
  const [before, ...after] = text.split(part);
  if (before === undefined || after.length !== 1) throw new Error(`${part} stands ${after.length} times`);
  return before.split('\n').length;
}

function copyWith({ from, to }: Mistake): string {
  lineWith(from, contract);
  return contract.replace(from, () => to);
}

t.test('openapi/plants.yaml keeps every linter rule', async (t) => {
  t.same(await lintOwnContract(contractFile), []);
});

for (const mistake of mistakes) {
  t.test(`lint:contract finds ${mistake.name}`, async (t) => {
    const copy = copyWith(mistake);
    const file = join(t.testdir({ 'copy.yaml': copy }), 'copy.yaml');
    const problems = await lintOwnContract(file);
    const line = lineWith(mistake.at ?? mistake.to, copy);
    for (const rule of mistake.rules) {
      t.ok(
        problems.some((problem) => problem.rule === rule && problem.line === line),
        `${rule} on line ${line}`,
        { problems },
      );
    }
  });
}

t.test('lint:contract reports a document that it cannot read as a problem, and does not throw', async (t) => {
  const folder = t.testdir({
    empty: '',
    list: '- a',
    old: 'openapi: 3.0.3\npaths:\n',
    future: 'openapi: 9.9.9',
  });
  for (const name of ['empty', 'list', 'old', 'future']) {
    t.not((await lintOwnContract(join(folder, name))).length, 0, name);
  }
});

t.test('lint:contract sorts problems by line', async (t) => {
  const folder = t.testdir({ 'copy.yaml': contract.replaceAll('summary: ', 'x-summary: ') });
  const lines = (await lintOwnContract(join(folder, 'copy.yaml'))).map(({ line }: Problem) => line);
  t.same(
    lines,
    lines.toSorted((a, b) => a - b),
  );
  t.not(lines.length, 0);
});

t.test('lint:contract reports a fault that several rules or places show only once', async (t) => {
  for (const [name, from, to, rule, line] of [
    [
      'a response that many references lead to',
      '        Retry-After:\n          $ref: "#/components/headers/Retry-After"\n        RateLimit-Policy',
      '        RateLimit-Policy',
      'redocly/response-contains-header',
      '      headers:\n        X-Request-Id:\n          $ref: "#/components/headers/X-Request-Id"\n        RateLimit-Policy',
    ],
    [
      'an operation without a scheme that exists',
      '      operationId: deletePlant\n',
      '      operationId: deletePlant\n      security: [{ basicAuth: [] }, {}]\n',
      'redocly/security-defined',
      '      security: [{',
    ],
  ] as const) {
    const copy = copyWith({ name, from, to, rules: [rule] });
    const file = join(t.testdir({ 'copy.yaml': copy }), 'copy.yaml');
    const all = await lintOwnContract(file);
    t.ok(all.length > 1, `${name} is told several times`);
    const [problem, ...others] = onePerFault(all);
    t.strictSame([problem?.rule, others], [rule, []], name);
    t.equal(problem?.line, lineWith(line, copy), name);
  }
});

t.test('lint:contract keeps different faults on one line, and faults without a place', (t) => {
  const problem = { file: 'a.yaml', line: 3, column: 5, severity: 'error', rule: 'redocly/struct' } as const;
  const different: Problem[] = [
    { ...problem, line: 1, column: 1, message: 'Of the document.' },
    { ...problem, message: '"name" is missing.' },
    { ...problem, message: '"type" is missing.' },
    { ...problem, rule: 'redocly/operation-summary', message: 'A summary is missing.' },
  ];
  t.strictSame(onePerFault(different), different);
  t.strictSame(onePerFault([...different, ...different]), different);
  t.end();
});

// Each run loads Redocly anew, which takes two seconds, so there are only two.

const runOn = (file: string) =>
  runTypeScript(join(projectFolder, 'scripts', 'lint-contract.ts'), [file], { cwd: projectFolder });

t.test('the command lint:contract exits 0 with one line if every rule is kept', async (t) => {
  const folder = t.testdir({ 'copy.yaml': contract });
  t.match(await runOn(join(folder, 'copy.yaml')), { code: 0, out: /^\S+copy\.yaml keeps every rule\.\n$/ });
});

t.test('the command lint:contract exits 1, with file, place, severity and rule', async (t) => {
  const copy = contract.replace(
    '      description: |\n        Deletes one',
    '      x-was: |\n        Deletes one',
  );
  const folder = t.testdir({ 'copy.yaml': copy });
  const line = lineWith('    delete:', copy);
  t.match(await runOn(join(folder, 'copy.yaml')), {
    code: 1,
    out: new RegExp(`^\\S+copy\\.yaml:${line}:5 error redocly/operation-description Operation .+\\n$`),
  });
});
