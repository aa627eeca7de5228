import type { Edit } from '../../scripts/kit/project-copy.js';

/** A second resource, added as the README says: a folder, its name in src/parts.ts, and the YAML. */

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
          headers:
            X-Request-Id:
              $ref: "#/components/headers/X-Request-Id"
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
          headers:
            X-Request-Id:
              $ref: "#/components/headers/X-Request-Id"
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
        "429":
          $ref: "#/components/responses/TooManyRequests"
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

const potOperations = `import type { components, contract, tags } from '../../generated/plants.js';
import type { Owner } from '../../src/fairness/owner.js';
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
  return implement<contract, tags['pots'], Owner>()({
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

export const addingPots: readonly Edit[] = [
  { file: 'openapi/plants.yaml', old: '\n  /plants/{id}:\n', next: potPath },
  { file: 'openapi/plants.yaml', old: '  schemas:\n', next: potSchema },
  {
    file: 'openapi/plants.yaml',
    old: '\ntags:\n',
    next: '\ntags:\n  - name: pots\n    description: The pots of the caller.\n',
  },
  { file: 'src/pots/operations.ts', old: '', next: potOperations },
  {
    file: 'src/pots/migrations/0004-pots.sql',
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
];
