import type { Edit } from '../../scripts/kit/project-copy.js';
import { resource } from '../../scripts/kit/readme.js';

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

export const addingPots: readonly Edit[] = [
  { file: 'openapi/plants.yaml', old: '\n  /plants/{id}:\n', next: potPath },
  { file: 'openapi/plants.yaml', old: '  schemas:\n', next: potSchema },
  {
    file: 'openapi/plants.yaml',
    old: '\ntags:\n',
    next: '\ntags:\n  - name: pots\n    description: The pots of the caller.\n',
  },
  { file: 'src/pots/operations.ts', old: '', next: resource.operations },
  {
    file: 'src/pots/migrations/0004-pots.sql',
    old: '',
    next: resource.migration,
  },
  {
    file: 'src/parts.ts',
    old: '    plants: plantResource,\n',
    next: `    plants: plantResource,\n${resource.part}`,
  },
  {
    file: 'src/parts.ts',
    old: 'import { projectFolder',
    next: "import { potResource } from './pots/operations.js';\nimport { projectFolder",
  },
];
