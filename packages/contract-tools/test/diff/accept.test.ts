import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { stringify } from 'yaml';
import { inProcess } from '../../../kit/testing.js';
import { compareContracts } from '../../src/diff/compare.js';
import { diffContract } from '../../src/diff/diff-command.js';
import type { ToldChange } from '../../src/diff/told-once.js';
import { readDocument } from '../../src/document/read-document.js';
import { program } from '../../src/programs/program.js';

/** Three operations; two of them take a Note, and one has a text of its own that is as long. */
const contract = (shared: number, own: number, colours = 'red, green') => `openapi: 3.0.3
info: { title: Notes, version: 1.0.0 }
paths:
  /notes:
    post: &write
      requestBody:
        content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } }
      responses: { '204': { description: Written. } }
    put: *write
  /labels:
    post:
      requestBody:
        content:
          application/json:
            schema: { type: object, properties: { text: { type: string, maxLength: ${own} } } }
      responses: { '204': { description: Written. } }
components:
  schemas:
    Note:
      type: object
      properties:
        text: { type: string, maxLength: ${shared} }
        colour: { type: string, enum: [${colours}] }
`;

const shorter = {
  id: 'request-property-max-length-decreased',
  operations: ['PUT /notes', 'POST /notes'],
  pointer: '#/components/schemas/Note/properties/text/maxLength',
  members: ['text'],
  what: 'maxLength 9 → 8',
};

async function folderWith(t: Test, next: string) {
  const folder = t.testdir({ 'old.yaml': contract(9, 9), 'new.yaml': next });
  const [old, now, accepted] = ['old.yaml', 'new.yaml', 'accepted.yaml'].map((name) => join(folder, name));
  if (old === undefined || now === undefined || accepted === undefined) throw new Error('Three files.');
  t.chdir(folder);
  // The folder lies within the repository of the project, from whose top annotations would name files.
  process.env['GITHUB_WORKSPACE'] = folder;
  t.teardown(() => delete process.env['GITHUB_WORKSPACE']);
  return (acceptances?: unknown, ...options: string[]) => {
    if (acceptances !== undefined)
      writeFileSync(accepted, typeof acceptances === 'string' ? acceptances : stringify(acceptances));
    const accept = acceptances === undefined ? [] : ['--accept', accepted];
    const args = ['--base', old, '--contract', now, ...accept, ...options];
    return inProcess(t, () => diffContract(args, program('diff-contract')));
  };
}

/** An accepted change needs a patch version, because consumers see it. */
const patched = (text: string) => text.replace('version: 1.0.0', 'version: 1.0.1');

t.test('--accept lets a change through that the file names, and the exit code is 0', async (t) => {
  const run = await folderWith(t, patched(contract(8, 9)));
  const refused = await run();
  t.equal(refused.code, 1);
  t.match(refused.out, /raise the major version/);
  const { code, out } = await run([shorter]);
  t.equal(code, 0, out);
  t.match(
    out,
    /^accepted {3}new\.yaml:\d+:\d+ in 2 operations \(PUT \/notes, POST \/notes\): .*`text` maxLength 9 → 8\. \[request-property-max-length-decreased\]$/m,
  );
  t.match(out, /^1 change, 0 breaking, 1 accepted\.$/m);
});

t.test('--accept lets no other change through, and the exit code is 1', async (t) => {
  const run = await folderWith(t, patched(contract(8, 9)));
  for (const [name, value] of Object.entries({
    id: 'request-property-max-length-added',
    pointer: '#/components/schemas/Other/properties/text/maxLength',
    what: 'maxLength 9 → 7',
    members: ['colour'],
    operations: ['POST /labels'],
  })) {
    const { code, out } = await run([{ ...shorter, [name]: value }]);
    t.equal(code, 1, name);
    const advice = { what: 'copy it from the JSON report', members: 'Write "members: ["text"]"' };
    t.match(out, /^accepted\.yaml, entry 1 accepts nothing: /m, `${name} is stale`);
    t.match(out, advice[name as 'what'] ?? 'Take it away.', name);
  }
  const half = await run([{ ...shorter, operations: ['PUT /notes'] }]);
  t.equal(half.code, 1);
  t.match(half.out, /^breaking {3}\S+ POST \/notes: /m, 'the operation that is not named');
  t.match(half.out, /^accepted {3}\S+ PUT \/notes: /m);
  t.notMatch(half.out, 'accepts nothing');
});

t.test('--accept does not let the same change of another schema through', async (t) => {
  const run = await folderWith(t, patched(contract(8, 8)));
  const { code, out } = await run([shorter]);
  t.equal(code, 1);
  t.match(out, /^breaking {3}\S+ POST \/labels: /m);
  t.match(out, /^2 changes, 1 breaking, 1 accepted: /m);
});

t.test('--accept does not let the removal of another value of the same enum through', async (t) => {
  const run = await folderWith(t, patched(contract(9, 9, 'blue')));
  const { code, out } = await run([
    {
      id: 'request-property-enum-value-removed',
      operations: ['PUT /notes', 'POST /notes'],
      pointer: '#/components/schemas/Note/properties/colour/enum',
      members: ['colour'],
      what: 'enum value "red" removed',
    },
  ]);
  t.equal(code, 1);
  t.match(out, /^breaking .*enum value "green" removed/m);
  t.match(out, /^accepted .*enum value "red" removed/m);
});

/** One place is that of several members here: a list of required ones, a shared schema, a shared parameter. */
const places = {
  'a list of required members': (changed: readonly string[]) => {
    const names = ['no', 'reader', 'due'].filter((name) => !changed.includes(name));
    return `
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Loan' } } } }
components:
  schemas:
    Loan:
      type: object
      required: [${['id', ...names].join(', ')}]
      properties: { id: { type: integer }, no: { type: integer }, reader: { type: string }, due: { type: string } }`;
  },
  'a schema that several members share': (changed: readonly string[]) => {
    const members = ['no', 'reader', 'due'].map(
      (name) =>
        `${name}: ${changed.includes(name) ? "{ $ref: '#/components/schemas/Any' }" : '{ enum: [a] }'}`,
    );
    return `
          content: { application/json: { schema: { type: object, properties: { ${members.join(', ')} } } } }
components:
  schemas: { Any: { enum: [a, b] } }`;
  },
  'a schema that several headers share': (changed: readonly string[]) => {
    const headers = ['no', 'reader', 'due'].map(
      (name) =>
        `${name}: { schema: ${changed.includes(name) ? "{ $ref: '#/components/schemas/Any' }" : '{ enum: [a] }'} }`,
    );
    return `
          headers: { ${headers.join(', ')} }
components:
  schemas: { Any: { enum: [a, b] } }`;
  },
} as const;

t.test('an accepted change of one member lets none of another at the same place through', async (t) => {
  for (const [what, answer] of Object.entries(places)) {
    const document = (version: string, ...changed: readonly string[]) => `openapi: 3.0.3
info: { title: Loans, version: ${version} }
paths:
  /loans:
    get:
      responses:
        '200':
          description: All.${answer(changed)}
`;
    t.chdir(
      t.testdir({
        'old.yaml': document('1.0.0'),
        'two.yaml': document('1.1.0', 'reader', 'due'),
        'all.yaml': document('1.1.0', 'no', 'reader', 'due'),
      }),
    );
    const diff = (contract: string, ...options: string[]) =>
      inProcess(t, () =>
        diffContract(['--base', './old.yaml', '--contract', contract, ...options], program('diff-contract')),
      );
    const { out: text } = await diff('two.yaml');
    for (const name of ['reader', 'due']) t.match(text, `\`${name}\``, `${what}: the line names ${name}`);
    const { changes } = JSON.parse((await diff('two.yaml', '--reporter', 'json')).out);
    writeFileSync('accepted.yaml', stringify(changes));
    const accept = ['--accept', 'accepted.yaml'];
    t.equal((await diff('two.yaml', ...accept)).code, 0, what);
    const third = await diff('all.yaml', ...accept);
    t.equal(third.code, 1, what);
    t.match(third.out, /^breaking .*`(?:\[\]\.)?no`/m, what);
    t.notMatch(third.out, 'accepts nothing');
    // Files of before had no members.
    writeFileSync('accepted.yaml', stringify(changes.map((one: object) => ({ ...one, members: undefined }))));
    const before = await diff('two.yaml', ...accept);
    t.equal(before.code, 1, what);
    t.match(
      before.out,
      /accepts nothing: .* Write "members: \[.*reader.*due.*\]" to accept what changed there\.$/m,
    );
    writeFileSync(
      'accepted.yaml',
      stringify(changes.map((one: ToldChange) => ({ ...one, members: [...one.members, 'pages'] }))),
    );
    t.match(
      (await diff('two.yaml', ...accept)).out,
      /entry 1 accepts nothing of pages: take it out of "members"\./,
    );
  }
});

t.test('an accepted change of a long value lets no other value through that begins alike', async (t) => {
  const document = (end: string) => `openapi: 3.0.3
info: { title: Loans, version: 1.0.0 }
paths:
  /loans:
    post:
      requestBody:
        content: { application/json: { schema: { type: string, pattern: '^${'[0-9]'.repeat(20)}${end}$' } } }
      responses: { '204': { description: Made. } }
`;
  const told = ['a', 'b'].map((end) => {
    const [change] = compareContracts(readDocument(document(''), 'old'), readDocument(document(end), 'new'));
    return change?.what;
  });
  t.match(told, [/^pattern .* → .*\(SHA-256 [0-9a-f]{8}…\)$/, String]);
  t.not(told[0], told[1]);
});

t.test('the changes of the JSON report are entries for --accept', async (t) => {
  const run = await folderWith(t, patched(contract(8, 8)));
  const { changes } = JSON.parse((await run(undefined, '--reporter', 'json')).out);
  t.match(changes, [shorter, { operations: ['POST /labels'] }]);
  const { code, out } = await run(changes, '--reporter', 'json');
  t.equal(code, 0);
  t.match(JSON.parse(out), { changes: [{ accepted: true }, { accepted: true }], staleAcceptances: [] });
});

t.test('an acceptance of what no longer changes is named in every report, and fails nothing', async (t) => {
  const run = await folderWith(t, contract(9, 9));
  for (const reporter of ['text', 'json', 'github', 'markdown']) {
    const { code, out } = await run([shorter], '--reporter', reporter);
    t.equal(code, 0, reporter);
    t.match(out, /entry 1 accepts nothing/, reporter);
  }
});

t.test('--accept refuses an entry that could let through what nobody has named', async (t) => {
  const run = await folderWith(t, contract(8, 9));
  for (const [what, entries, reason] of [
    ['no list', 'id: a', /^accepted\.yaml must be a list: /],
    ['no YAML', '[', /^accepted\.yaml cannot be read /],
    ['no id', [{ ...shorter, id: undefined }], /^accepted\.yaml, entry 1: "id" is missing: /],
    [
      'an id that does not exist',
      [{ ...shorter, id: 'request-property-max-lenght-decreased' }],
      /there is no id "request-property-max-lenght-decreased": write .*request-property-max-length-decreased/,
    ],
    ['no pointer', [{ ...shorter, pointer: undefined }], /"pointer" is missing: /],
    ['no text of the change', [{ ...shorter, what: undefined }], /"what" is missing: /],
    ['members that are no list', [{ ...shorter, members: 'text' }], /"members" must be a list: /],
    ['no operations', [{ ...shorter, operations: [] }], /"operations" is missing: /],
    ['an empty entry', '-', /"id" is missing: /],
  ] as const) {
    const { code, out, err } = await run(entries);
    t.strictSame([code, out], [2, ''], what);
    t.match(err, reason, what);
  }
  const missing = await run(undefined, '--accept', 'none.yaml');
  t.equal(missing.code, 2);
  t.match(missing.err, /^none\.yaml cannot be read \(ENOENT/);
});

t.test('a schema that two operations share is told once in each report, with the operations', async (t) => {
  const run = await folderWith(t, contract(8, 9));
  const said = /maxLength 9 → 8/g;
  const text = await run();
  t.equal(text.out.match(said)?.length, 1);
  t.match(text.out, /in 2 operations \(PUT \/notes, POST \/notes\)/);
  const json = JSON.parse((await run(undefined, '--reporter', 'json')).out);
  t.match(json.changes, [shorter]);
  t.equal(json.changes.length, 1);
  const github = await run(undefined, '--reporter', 'github');
  t.equal(github.out.match(/^::error file=new\.yaml/gm)?.length, 2, 'the change, and the version');
  t.match(github.out, /::in 2 operations: .*%0APUT \/notes: .*%0APOST \/notes: /);
  const markdown = await run(undefined, '--reporter', 'markdown');
  t.equal(markdown.out.match(/^- /gm)?.length, 2);
  t.match(markdown.out, /^- \*\*in 2 operations\*\* [\s\S]*^ {2}PUT \/notes: /m);
  const junit = await run(undefined, '--reporter', 'junit');
  t.match(junit.out, /<testsuites name="diff:contract" tests="2" failures="2"/);
  for (const { out } of [github, markdown, junit]) t.match(out, 'request-property-max-length-decreased');
});

t.test('a schema that is sent and read is told in both directions, each with its verdict', async (t) => {
  const both = (length: number) =>
    contract(length, 9).replace(
      'description: Written. } }\n    put',
      "description: Written., content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } } }\n    put",
    );
  const folder = t.testdir({ 'old.yaml': both(9), 'new.yaml': both(8) });
  t.chdir(folder);
  const args = ['--base', './old.yaml', '--contract', 'new.yaml'];
  const { out } = await inProcess(t, () => diffContract(args, program('diff-contract')));
  t.match(out, /^breaking .* in 2 operations .*\[request-property-max-length-decreased\]$/m);
  t.match(out, /^compatible .* in 2 operations .*\[response-property-max-length-decreased\]$/m);
  t.match(out, /^2 changes, 1 breaking: /m);
});

t.test(
  'a member that an answer and the items of a list share is named, wherever it is in them',
  async (t) => {
    const document = (properties: string) => `openapi: 3.0.3
info: { title: Notes, version: 1.0.0 }
paths:
  /notes:
    get:
      responses:
        '200':
          description: All.
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Note' } } } }
  /note:
    get:
      responses:
        '200':
          description: One.
          content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } }
components:
  schemas:
    Note: { type: object, properties: { ${properties} } }
`;
    const text = 'text: { type: string }';
    t.chdir(t.testdir({ 'old.yaml': document(`${text}, at: { type: string }`), 'new.yaml': document(text) }));
    const args = ['--base', './old.yaml', '--contract', 'new.yaml'];
    const { out } = await inProcess(t, () => diffContract(args, program('diff-contract')));
    t.match(out, /in 2 operations \(.*\): `at` removed\. \[response-property-removed\]$/m);
  },
);
