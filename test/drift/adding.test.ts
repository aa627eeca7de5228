import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { lintContract } from '../../scripts/contract-linters.js';
import { projectFolder } from '../../src/project.js';
import { makeDatabase } from '../support/database.js';
import { makeFolder, startProgram, until } from '../support/process.js';
import { apply, copyProject } from '../support/project-copy.js';
import { compile, runIn } from './run.js';

/** What the README says about adding is done here word by word, and is enough. */

t.setTimeout(120_000);

/** Fails where the copy does not lint, compile, or keep its generated types; returns the address of its server. */
async function proveAndStart(t: Test, folder: string): Promise<{ address: string; token: string }> {
  t.strictSame(await lintContract(join(folder, 'openapi', 'plants.yaml')), [], 'the rules are kept');
  const generated = await runIn(folder, ['scripts/codegen.ts']);
  t.equal(generated.code, 0, 'codegen', generated);
  const checked = await runIn(folder, ['scripts/codegen.ts', '--check']);
  t.equal(checked.code, 0, 'codegen --check', checked);
  await writeFile(
    join(folder, 'tsconfig.src.json'),
    JSON.stringify({ extends: './tsconfig.json', include: ['src'] }),
  );
  const compiled = await compile([folder], join(folder, 'tsconfig.src.json'));
  t.equal(compiled.output, '', 'types');
  const environment = { DATABASE_URL: await makeDatabase(t), PORT: '0', LOG_LEVEL: 'silent' };
  const main = join(folder, 'src', 'main.ts').replace(projectFolder, '.');
  const server = startProgram(t, main, ['--check-answers'], { environment });
  const address = await until('the server is ready', () => /ready at (\S+)/.exec(server.stderr())?.[1]);
  const token = await runIn(folder, ['scripts/token.ts', 'issue', 'alice'], environment);
  return { address, token: token.output.trim() };
}

async function filesThatDiffer(folder: string, under: string): Promise<string[]> {
  const files = (await readdir(join(folder, under), { recursive: true, withFileTypes: true })).filter(
    (entry) => entry.isFile(),
  );
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
  const differing = await Promise.all(
    paths.map(async (path) => {
      const text = await readFile(join(folder, path), 'utf8');
      return text === (await readFile(join(projectFolder, path), 'utf8').catch(() => undefined))
        ? []
        : [path];
    }),
  );
  return differing.flat().sort();
}

t.test('an operation is added by the YAML and one handler, as the README has them', async (t) => {
  // Within the project, because startProgram starts its files.
  const folder = await makeFolder(t, join(projectFolder, '.tap'));
  await copyProject(folder);
  const readme = await readFile(join(projectFolder, 'README.md'), 'utf8');
  const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(readme) ?? [];
  const [, handler = ''] = /```ts\n(.*?)```/s.exec(readme) ?? [];
  await apply(folder, {
    file: 'openapi/plants.yaml',
    old: '  /plants/{id}:\n',
    next: `  /plants/{id}:\n${yaml}`,
  });
  await apply(folder, {
    file: 'src/plants/operations.ts',
    old: '    async deletePlant',
    next: `${handler}\n    async deletePlant`,
  });

  const { address, token } = await proveAndStart(t, folder);
  t.strictSame(await filesThatDiffer(folder, 'src'), ['src/plants/operations.ts']);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  await fetch(`${address}/plants`, { method: 'POST', headers, body: '{"id":7,"name":"Fern"}' });
  const found = await fetch(`${address}/plants/7`, { headers });
  t.strictSame(await found.json(), { name: 'Fern' });
  t.equal((await fetch(`${address}/plants/8`, { headers })).status, 404);
  t.equal((await fetch(`${address}/plants/x`, { headers })).status, 400);
  t.equal((await fetch(`${address}/plants/7`)).status, 401);
});

const potPath = `
  /pots:
    get:
      operationId: listPots
      tags: [pots]
      summary: List pots
      description: Lists the caller's pots.
      responses:
        "200":
          description: The caller's pots.
          content:
            application/json:
              schema:
                type: array
                description: Pots.
                items:
                  $ref: "#/components/schemas/Pot"
              examples:
                pots:
                  summary: One pot
                  value: [{ id: 1, size: 12 }]
        "400":
          description: Something is wrong with the request.
          content:
            application/json:
              schema:
                $ref: "#/components/schemas/Error"
              examples:
                wrong:
                  summary: Wrong
                  value: { error: 400, message: Wrong. }
        "401":
          $ref: "#/components/responses/Unauthorized"
        "408":
          $ref: "#/components/responses/RequestTimeout"
        "500":
          $ref: "#/components/responses/InternalServerError"
        "503":
          $ref: "#/components/responses/ServiceUnavailable"

  /plants/{id}:
`;

const potSchema = `  schemas:
    Pot:
      type: object
      description: A pot.
      required: [id, size]
      properties:
        id:
          $ref: "#/components/schemas/PlantId"
        size:
          type: integer
          format: int32
          description: Its width in centimetres.
          minimum: 1
          maximum: 100
          example: 12

`;

const potOperations = `import type { operations, security, tags } from '../../generated/plants.js';
import type { Owner } from '../access/bearer.js';
import { implement } from '../contract/handlers.js';
import type { Database } from '../postgres/database.js';

export const potTable = { table: 'pots', schema: 'Pot', besideContract: ['owner'] };

export function potHandlers(database: Database) {
  return implement<{ operations: operations; security: security }, tags['pots'], Owner>()({
    async listPots({ caller }) {
      const { rows } = await database.query<{ id: bigint; size: number }>({
        text: 'SELECT id, size FROM pots WHERE owner = $1 ORDER BY id',
        values: [caller],
      });
      return { status: 200, body: rows };
    },
  });
}
`;

t.test('a second resource is a folder, and its name in three lists', async (t) => {
  const folder = await makeFolder(t, join(projectFolder, '.tap'));
  await copyProject(folder);
  for (const edit of [
    { file: 'openapi/plants.yaml', old: '\n  /plants/{id}:\n', next: potPath },
    { file: 'openapi/plants.yaml', old: '  schemas:\n', next: potSchema },
    {
      file: 'openapi/plants.yaml',
      old: 'description: The plants of the caller.\n',
      next: 'description: The plants of the caller.\n  - name: pots\n    description: The pots of the caller.\n',
    },
    { file: 'src/pots/operations.ts', old: '', next: potOperations },
    {
      file: 'src/pots/migrations/0003-pots.sql',
      old: '',
      next: 'CREATE TABLE pots (owner text, id bigint, size integer, PRIMARY KEY (owner, id));\n',
    },
    {
      file: 'src/operations.ts',
      old: '{ ...plantHandlers',
      next: '{ ...potHandlers(database), ...plantHandlers',
    },
    {
      file: 'src/operations.ts',
      old: 'import type { Database }',
      next: "import { potHandlers } from './pots/operations.js';\nimport type { Database }",
    },
    { file: 'src/stored-schemas.ts', old: '[plantTable]', next: '[plantTable, potTable]' },
    {
      file: 'src/stored-schemas.ts',
      old: 'import { type Column',
      next: "import { potTable } from './pots/operations.js';\nimport { type Column",
    },
    { file: 'src/project.ts', old: "['access', 'plants']", next: "['access', 'plants', 'pots']" },
  ]) {
    await apply(folder, edit);
  }
  const { address, token } = await proveAndStart(t, folder);
  t.strictSame(await filesThatDiffer(folder, 'src'), [
    'src/operations.ts',
    'src/pots/migrations/0003-pots.sql',
    'src/pots/operations.ts',
    'src/project.ts',
    'src/stored-schemas.ts',
  ]);
  const answer = await fetch(`${address}/pots`, { headers: { Authorization: `Bearer ${token}` } });
  t.equal(answer.status, 200);
  t.strictSame(await answer.json(), []);
});
