import { join } from 'node:path';
import t from 'tap';
import { projectFolder } from '../../src/project.js';
import { makeFolder } from '../support/process.js';
import { apply, copyProject } from '../support/project-copy.js';
import { filesThatDiffer, proveAndStart, proveRules } from './prove.js';

/** What the README says about a second resource is done here, and is enough. */

t.setTimeout(600_000);

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

const potOperations = `import type { components, operations, security, tags } from '../../generated/plants.js';
import type { Owner } from '../access/bearer.js';
import { implement } from '../contract/handlers.js';
import type { Database } from '../postgres/database.js';
import { tableOf } from '../storage/stored-schema.js';

export const potsTable = tableOf<components['schemas']['Pot']>()({
  table: 'pots',
  schema: 'Pot',
  besideContract: ['owner'],
  columns: { id: 'bigint', size: 'integer' },
});

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

t.test('a second resource is a folder, and its name in src/parts.ts', async (t) => {
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
      next: 'CREATE TABLE pots (owner text, id bigint, size integer NOT NULL, PRIMARY KEY (owner, id));\n',
    },
    {
      file: 'src/parts.ts',
      old: '    ...plantHandlers',
      next: '    ...potHandlers(database),\n    ...plantHandlers',
    },
    {
      file: 'src/parts.ts',
      old: 'import type { Database }',
      next: "import { potHandlers, potsTable } from './pots/operations.js';\nimport type { Database }",
    },
    { file: 'src/parts.ts', old: '[plantsTable]', next: '[plantsTable, potsTable]' },
    { file: 'src/parts.ts', old: "['access', 'plants']", next: "['access', 'plants', 'pots']" },
  ]) {
    await apply(folder, edit);
  }
  await proveRules(t, folder);
  const { address, token } = await proveAndStart(t, folder);
  t.strictSame(await filesThatDiffer(folder, 'src'), [
    'src/parts.ts',
    'src/pots/migrations/0003-pots.sql',
    'src/pots/operations.ts',
  ]);
  const answer = await fetch(`${address}/pots`, { headers: { Authorization: `Bearer ${token}` } });
  t.equal(answer.status, 200);
  t.strictSame(await answer.json(), []);
});
