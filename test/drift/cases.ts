import {
  type Edit,
  endOfPlant,
  example,
  lastColumn,
  member,
  pathOfExample,
} from '../../packages/kit/index.js';
import { memberAdded } from './documented-changes.js';

/** A disagreement between two parts of the project, and the earliest moment at which it is seen. */
export interface Drift {
  readonly between: string;
  readonly what: string;
  readonly moment: 'editing' | 'compiling' | 'starting' | 'testing' | 'CI';
  readonly edits: readonly Edit[];
  /** SQL that fills the database. */
  readonly stored?: string;
  /** Whether the generated types stay as they were before the edit. */
  readonly stale?: true;
  /** The expected output. */
  readonly said: RegExp;
  /** For testing: the test file; for CI: the command. */
  readonly by?: readonly string[];
  /** For testing: the tests to run. Others could time out, waiting for what the drift removed. */
  readonly only?: string;
}

const yaml = 'openapi/plants.yaml';
const table = 'src/plants/table.ts';
const edit = (file: string, old: string | RegExp, next: string): Edit => ({ file, old, next });

const migration = (sql: string) => edit('src/plants/migrations/0004-drift.sql', '', sql);
const firstParameter = '        - name: limit\n';
const parameterNamed = (name: string, place: string) =>
  `        - { name: ${name}, in: ${place}, description: Of a test., schema: { type: string } }\n`;

const editing: readonly Omit<Drift, 'moment'>[] = [
  {
    between: 'YAML, YAML',
    what: 'a reference leads nowhere',
    edits: [edit(yaml, '"#/components/schemas/NewPlant"', '"#/components/schemas/NewPlnt"')],
    said: /plants\.yaml:\d+:21: there is no #\/components\/schemas\/NewPlnt: write one of .*\bNewPlant\b.*, or add it\./,
  },
  {
    between: 'YAML, YAML',
    what: 'an example does not fit its schema',
    edits: [edit(yaml, 'value: { id: 7, name:', 'value: { id: 12.0, name:')],
    said: /plants\.yaml:\d+:30: id of the example must be an integer/,
  },
  {
    between: 'YAML, YAML',
    what: 'an example is outside the range of int64',
    edits: [edit(yaml, 'example: 7\n      responses', 'example: 9223372036854775808\n      responses')],
    said: /plants\.yaml:\d+:20: the example must be an integer from -9223372036854775808/,
  },
  {
    between: 'YAML, YAML',
    what: 'two operations have one operationId',
    edits: [edit(yaml, 'operationId: deletePlant', 'operationId: listPlants')],
    said: /has the operationId "listPlants", too/,
  },
  {
    between: 'YAML, OpenAPI',
    what: 'a keyword is misspelt',
    edits: [edit(yaml, 'summary: Create a plant', 'sumary: Create a plant')],
    said: /"sumary" has no meaning here: correct its name/,
  },
  {
    between: 'YAML, YAML',
    what: 'the path and its parameters have different names',
    edits: [edit(yaml, '/plants/{id}:', '/plants/{plant}:')],
    said: /plants\.yaml:\d+:7: DELETE \/plants\/\{plant\} does not describe \{plant\}: add a parameter with "in: path"/,
  },
  {
    between: 'YAML, validators',
    what: 'nothing checks a format',
    edits: [edit(yaml, '          example: climber', '          format: uuid4\n          example: climber')],
    said: /nothing checks the format "uuid4": write one of .*\buuid\b/,
  },
  {
    between: 'YAML, validators',
    what: 'a member of a body has a default, but the server never fills it in',
    edits: [
      edit(yaml, '          example: climber', '          default: climber\n          example: climber'),
    ],
    said: /"default" is not supported here: nothing takes the place/,
  },
  {
    between: 'YAML, YAML',
    what: 'a default does not fit its own schema',
    edits: [edit(yaml, '            minimum: 1\n', '            minimum: 1\n            default: 0\n')],
    said: /plants\.yaml:\d+:22: listPlants, query\/limit: the default must be an integer from 1 to/,
  },
  {
    between: 'YAML, OpenAPI',
    what: 'a header parameter is one that OpenAPI ignores',
    edits: [edit(yaml, firstParameter, `${parameterNamed('Authorization', 'header')}${firstParameter}`)],
    said: /plants\.yaml:\d+:11: OpenAPI ignores a header parameter Authorization: take it away, "security" says it/,
  },
  {
    between: 'YAML, validators',
    what: 'a parameter has a type that cannot be read from text',
    edits: [
      edit(
        yaml,
        firstParameter,
        `${parameterNamed('bed', 'query').replace('type: string', 'type: object')}${firstParameter}`,
      ),
    ],
    said: /plants\.yaml:\d+:11: listPlants, query\/bed: a parameter of type "object" is not supported: use a string/,
  },
  {
    between: 'YAML, serializer',
    what: 'a response has a member that must not be sent',
    edits: [
      edit(yaml, '          example: climber', '          writeOnly: true\n          example: climber'),
    ],
    said: /"writeOnly" is not supported in a response/,
  },
  {
    between: 'YAML, parsers',
    what: 'a body has a media type that is not JSON',
    edits: [
      edit(yaml, '        content:\n          application/json:', '        content:\n          text/plain:'),
    ],
    said: /:\d+:\d+: a body must be JSON: name it application\/json/,
  },
  {
    between: 'YAML, access',
    what: 'two alternative security schemes cannot be told apart',
    edits: [
      edit(yaml, '  - bearerAuth: []', '  - bearerAuth: []\n  - apiKey: []'),
      edit(
        yaml,
        '    bearerAuth:\n',
        '    apiKey: { type: apiKey, in: header, name: X-Key, description: A key. }\n    bearerAuth:\n',
      ),
    ],
    said: /alternatives are supported among schemes of "type: http" only, and "apiKey" is none/,
  },
  {
    between: 'YAML, errors',
    what: 'an error requires a member that the service never sends',
    edits: [
      edit(
        yaml,
        'required: [error, message]\n      properties:\n',
        'required: [error, message, code]\n      properties:\n        code: { type: string, maxLength: 9 }\n',
      ),
    ],
    said: /a failure is answered \{"error":400,"message":"What is wrong\."\}, which does not fit/,
  },
  {
    between: 'YAML, errors',
    what: 'a status that every request can get is not documented',
    edits: [edit(yaml, '        "408":\n          $ref: "#/components/responses/RequestTimeout"\n', '')],
    said: /:\d+:\d+: \w+ can be answered 408: add that to its responses/,
  },
  {
    between: 'YAML, rules',
    what: 'an operation no longer needs a token',
    edits: [
      edit(
        yaml,
        '      operationId: deletePlant\n',
        '      operationId: deletePlant\n      security: [{}]\n',
      ),
    ],
    said: /redocly\/rule\/no-public-requirement/,
  },
  {
    between: 'YAML, rules',
    what: 'no operation needs a token any more',
    edits: [edit(yaml, 'security:\n  - bearerAuth: []\n', '')],
    said: /redocly\/security-defined/,
  },
  {
    between: 'YAML, YAML',
    what: 'a security scheme is renamed in its definition only',
    edits: [edit(yaml, '    bearerAuth:\n', '    apiToken:\n')],
    said: /redocly\/security-defined There is no `bearerAuth`/,
  },
];

const compiling: readonly Omit<Drift, 'moment'>[] = [
  {
    between: 'YAML, handlers',
    what: 'an operation has no handler',
    edits: [edit(yaml, pathOfExample, `${pathOfExample}${example.yaml}`)],
    said: /src\/plants\/operations\.ts.*The operation \\"getPlant\\" has no handler\./s,
  },
  {
    between: 'YAML, handlers',
    what: 'a handler has no operation',
    edits: [edit(yaml, 'operationId: deletePlant', 'operationId: fellPlant')],
    said: /src\/plants\/operations\.ts.*The contract has no operation \\"deletePlant\\" here\./s,
  },
  {
    between: 'YAML, handlers',
    what: 'a handler answers an undocumented status',
    edits: [edit(yaml, '        "204":\n', '        "202":\n')],
    said: /deletePlant: the contract does not document the status 204\./,
  },
  {
    between: 'YAML, handlers',
    what: 'a handler answers a status outside the documented range',
    edits: [
      edit(yaml, '        "204":\n', '        2XX:\n'),
      edit('src/plants/operations.ts', '{ status: 204 }', '{ status: 304 }'),
    ],
    said: /deletePlant: the contract does not document the status 304\./,
  },
  {
    between: 'YAML, handlers',
    what: 'an operation refuses with an undocumented status',
    edits: [edit(yaml, / {8}"409":\n(?: {10}.*\n)+/, '')],
    said: /src\/plants\/operations\.ts.*createPlant: the contract does not document the status 409\./s,
  },
  {
    between: 'YAML, handlers',
    what: 'an answer lacks its body',
    edits: [
      edit(
        yaml,
        'description: The plant is deleted.\n',
        'description: The plant is deleted.\n          content: { application/json: { schema: { $ref: "#/components/schemas/Plant" } } }\n',
      ),
    ],
    said: /deletePlant 204: the body is missing\./,
  },
  {
    between: 'YAML, handlers',
    what: 'an answer has a member that the contract does not have',
    edits: [
      edit(
        yaml,
        '                $ref: "#/components/schemas/Plant"\n              examples:\n                plant:',
        '                { type: object, required: [name], properties: { name: { type: string } } }\n              examples:\n                plant:',
      ),
    ],
    said: /createPlant 200, body: the contract has no member \\"tag\\"\./,
  },
  {
    between: 'YAML, handlers',
    what: 'an answer lacks a required header',
    edits: [
      edit(
        yaml,
        'description: The plant is deleted.\n          headers:\n',
        'description: The plant is deleted.\n          headers:\n            ETag: { required: true, schema: { type: string } }\n',
      ),
    ],
    said: /deletePlant 204, headers: the member \\"ETag\\" is missing\./,
  },
  {
    between: 'YAML, handlers',
    what: 'a handler passes on a parameter that the store does not know',
    edits: [edit(yaml, '- name: limit', '- name: most')],
    said: /The store does not know \\"most\\"/,
  },
  {
    between: 'YAML, handlers',
    what: 'a parameter becomes a list',
    edits: [
      edit(
        yaml,
        '            type: integer\n            format: int32\n            minimum: 1\n            maximum: 2147483647\n          example: 20\n',
        '            type: array\n            items: { type: integer, format: int32 }\n',
      ),
    ],
    said: /src\/plants\/operations\.ts.*'number\[\]' is not assignable to type 'number'/s,
  },
  {
    between: 'YAML, handlers',
    what: 'a handler counts on a default that the contract does not have',
    edits: [
      edit(
        'src/plants/operations.ts',
        'plants.list(caller, query, arrivedAt)',
        'plants.list(caller, { limit: query.limit + 1 }, arrivedAt)',
      ),
    ],
    said: /src\/plants\/operations\.ts.*'query\.limit' is possibly 'undefined'/s,
  },
  {
    between: 'YAML, store',
    what: 'an id changes from int64 to int32',
    edits: [
      edit(yaml, 'format: int64', 'format: int32'),
      edit(yaml, '      minimum: -9223372036854775808\n      maximum: 9223372036854775807\n', ''),
    ],
    said: /The column \\"id\\" of the table \\"plants\\" must be integer\./,
  },
  {
    between: 'YAML, store',
    what: 'a new member has no column',
    edits: [edit(yaml, endOfPlant, `${endOfPlant}${member.yaml}`)],
    said: /src\/plants\/table\.ts.*The table \\"plants\\" has no column for the member \\"height\\"\./s,
  },
  {
    between: 'YAML, store',
    what: 'the member of a column is removed',
    edits: [edit(yaml, / {8}tag:\n(?: {10}.*\n)+/, '')],
    said: /src\/plants\/table\.ts.*The table \\"plants\\" has the column \\"tag\\", and the contract has no such member\./s,
  },
  {
    between: 'YAML, store',
    what: 'a column has a type that cannot hold its member',
    edits: [
      edit(yaml, endOfPlant, `${endOfPlant}${member.yaml}`),
      edit(table, lastColumn, `${lastColumn}    height: 'text',\n`),
    ],
    said: /src\/plants\/table\.ts.*The column \\"height\\" of the table \\"plants\\" must be integer\./s,
  },
  {
    between: 'YAML, handlers',
    what: 'a public operation reads the caller',
    edits: [edit(yaml, 'operationId: listPlants\n', 'operationId: listPlants\n      security: []\n')],
    said: /Property 'caller' does not exist/,
  },
  {
    between: 'YAML, handlers',
    what: 'a token becomes optional, but the handler expects a caller',
    edits: [
      edit(
        yaml,
        'operationId: listPlants\n',
        'operationId: listPlants\n      security: [{ bearerAuth: [] }, {}]\n',
      ),
    ],
    said: /src\/plants\/operations\.ts.*'string \| undefined' is not assignable to parameter of type 'string'/s,
  },
  {
    between: 'YAML, handlers',
    what: 'a body gets a second media type, but its handler reads every body as the first',
    edits: [
      edit(
        yaml,
        '        content:\n          application/json:',
        '        content:\n          application/merge-patch+json: { schema: { type: object, properties: { tag: { type: string } } } }\n          application/json:',
      ),
    ],
    said: /src\/plants\/operations\.ts.*Property 'name' is missing in type '\{ tag\?: string; \}'/s,
  },
  {
    between: 'YAML, access',
    what: 'a security scheme has no check',
    edits: [
      edit(yaml, '  - bearerAuth: []', '  - apiToken: []'),
      edit(yaml, '    bearerAuth:\n', '    apiToken:\n'),
    ],
    said: /src\/parts\.ts.*The security scheme \\"apiToken\\" has no check\./s,
  },
  {
    between: 'YAML, handlers',
    what: 'the operations of a tag have no handlers',
    edits: [edit(yaml, 'tags: [plants]\n      summary: Delete', 'tags: [trees]\n      summary: Delete')],
    said: /src\/parts\.ts.*The operation \\"deletePlant\\" has no handler: add its resource\./s,
  },
];

const starting: readonly Omit<Drift, 'moment'>[] = [
  {
    between: 'YAML, generated/',
    what: 'the YAML changed, but the types were not generated',
    edits: [
      edit(
        yaml,
        '        "200":\n          description: The plant is stored',
        '        "201":\n          description: The plant is stored',
      ),
    ],
    stale: true,
    said: /plants\.yaml:\d+:1: generated\/ was made from another document: run "npm run codegen"/,
  },
  {
    between: 'YAML, handlers',
    what: 'a cast hides that handlers are missing',
    edits: [
      edit(
        'src/plant-store.ts',
        'plants: plantResource,',
        'plants: { ...plantResource, open: async () => ({}) as never },',
      ),
    ],
    said: /plants\.yaml:\d+:7: listPlants has no handler: write one\./,
  },
  {
    between: 'YAML, access',
    what: 'a cast hides that a check is missing',
    edits: [
      edit(
        'packages/service/src/app.ts',
        'bearerAuth: await bearerCheck(app, new TokenStore(database), { jwts, checkRate }),',
        '...({} as { bearerAuth: onRequestHookHandler }),',
      ),
    ],
    said: /plants\.yaml:\d+:\d+: bearerAuth has no check: write one/,
  },
  {
    between: 'routes, YAML',
    what: 'a route is not in the contract',
    edits: [
      edit(
        'packages/service/src/app.ts',
        '  await app.register(health, { readiness, ending });',
        "  await app.register(health, { readiness, ending });\n  app.get('/plants/export', async () => []);",
      ),
    ],
    said: /The route GET \/plants\/export is not in the contract/,
  },
  {
    between: 'YAML, database',
    what: 'a column is shorter than its member may be',
    edits: [migration('ALTER TABLE plants ALTER name TYPE varchar(100);')],
    said: /plants\.yaml:\d+:\d+: the column plants\.name holds 100 characters, and the contract admits up to 255\./,
  },
  {
    between: 'YAML, database',
    what: 'a column has a smaller integer type than its member',
    edits: [migration('ALTER TABLE plants ALTER id TYPE integer;')],
    said: /plants\.yaml:\d+:\d+: the column plants\.id is integer/,
  },
  {
    between: 'YAML, database',
    what: 'the column of an optional member is NOT NULL',
    edits: [migration('ALTER TABLE plants ALTER tag SET NOT NULL;')],
    said: /plants\.yaml:\d+:\d+: the column plants\.tag is NOT NULL/,
  },
  {
    between: 'YAML, database',
    what: 'a new member has no migration',
    edits: memberAdded({ yaml: member.yaml, columns: member.column }),
    said: /plants\.yaml:\d+:\d+: the column plants\.height is missing: add a migration for height\./,
  },
  {
    between: 'YAML, database',
    what: 'rows may lack a member that has become required',
    edits: [
      edit(yaml, 'required: [name]', 'required: [name, tag]'),
      edit(yaml, '{ id: -8, name: Ficus }', '{ id: -8, name: Ficus, tag: tree }'),
      edit(yaml, '{ name: Ficus }', '{ name: Ficus, tag: tree }'),
    ],
    said: /plants\.yaml:\d+:\d+: the column plants\.tag may be NULL, and the contract requires tag: add a migration/,
  },
  {
    between: 'YAML, database',
    what: 'the column of a new number would lose its fractions',
    edits: [
      ...memberAdded({ yaml: '        height: { type: number }\n', columns: member.column }),
      migration(member.migration),
    ],
    said: /plants\.yaml:\d+:\d+: the column plants\.height is 'integer' in `columns` of its table\.ts, and the contract needs 'double precision'\./,
  },
  {
    between: 'YAML, database',
    what: 'a new string may contain U+0000, which PostgreSQL does not store',
    edits: [
      ...memberAdded({
        yaml: '        colour: { type: string, maxLength: 20 }\n',
        columns: "    colour: 'text',\n",
      }),
      migration('ALTER TABLE plants ADD colour text;'),
    ],
    said: /plants\.yaml:\d+:\d+: the column plants\.colour cannot hold U\+0000, which the contract admits: add "pattern/,
  },
  {
    between: 'YAML, database',
    what: 'a plant may have members that the contract does not name',
    edits: [edit(yaml, 'required: [name]\n', 'required: [name]\n      additionalProperties: true\n')],
    said: /plants\.yaml:\d+:\d+: "additionalProperties" lets a NewPlant have members that its table has no column for/,
  },
  {
    between: 'YAML, database',
    what: 'a new member has the name of an internal column',
    edits: memberAdded({
      yaml: "        owner: { type: string, maxLength: 20, pattern: '^[a-z]+$' }\n",
      columns: "    owner: 'text',\n",
    }),
    said: /plants\.yaml:\d+:\d+: the column plants\.owner is the service's own/,
  },
  {
    between: 'YAML, database',
    what: 'a constraint refuses values that the contract allows',
    edits: [migration("ALTER TABLE plants ADD CHECK (name <> 'Weed');")],
    said: /plants has the constraint CHECK/,
  },
];

const testing: readonly Omit<Drift, 'moment'>[] = [
  {
    between: 'handlers, YAML',
    what: 'a body has a member that its type does not show',
    edits: [
      edit(
        'packages/service/src/store/store.ts',
        'row, owner, arrivedAt)) return this.#table.bodyOf(item);',
        'row, owner, arrivedAt)) return Object.assign(this.#table.bodyOf(item), { id: row.id });',
      ),
    ],
    said: /not ok/,
    by: ['packages/service/test/resources/repeatable-creates.test.ts'],
  },
  {
    between: 'errors, YAML',
    what: 'a failure is answered without its documented header',
    edits: [
      edit(
        'packages/service/src/http/error-answers.ts',
        'return { status: 401, message, headers: {',
        'return { status: 401, message, headers: true ? {} : {',
      ),
    ],
    said: /not ok/,
    by: ['packages/service/test/access/bearer-rfc6750.test.ts'],
    only: '/no error code/',
  },
  {
    between: 'YAML, tests',
    what: 'a documented status has no test',
    edits: [
      edit(
        yaml,
        '        "204":\n',
        '        "403": { $ref: "#/components/responses/Unauthorized" }\n        "204":\n',
      ),
    ],
    said: /deletePlant: add a request that is answered 403/,
    by: ['packages/service/test/resources/documented-statuses.test.ts'],
    only: '/every documented/',
  },
];

// test/browser/docs-page.tools.test.ts checks that the docs page shows the served document.
const served: Omit<Drift, 'moment'> = {
  between: 'served document, YAML',
  what: 'the service serves a document other than its contract',
  edits: [
    edit(
      'packages/service/src/api-docs/served-files.ts',
      'content: () => contract.text',
      "content: () => contract.text.replace('maxLength: 255', 'maxLength: 256')",
    ),
  ],
  said: /not ok/,
  by: ['packages/service/test/api-docs/front-door.test.ts'],
};

const ci: readonly Omit<Drift, 'moment'>[] = [
  {
    between: 'YAML, stored rows',
    what: 'a schema becomes narrower than stored rows',
    edits: [edit(yaml, 'maxLength: 255', 'maxLength: 200')],
    stored:
      "INSERT INTO plants (owner, id, name) SELECT 'ada', id, repeat('x', 195 + id) FROM generate_series(1, 9) AS id",
    said: /name must NOT have more than 200 characters: 4 of them, for example owner=ada, id=6/,
    by: ['scripts/check-stored.ts'],
  },
  {
    between: 'generated/, YAML',
    what: 'generated types were edited by hand',
    edits: [edit('generated/plants.ts', 'tag?: string;', 'tag?: string | null;')],
    said: /plants\.ts is stale: run "npm run codegen"/,
    by: ['scripts/codegen.ts', '--check'],
  },
  {
    between: 'YAML, last release',
    what: 'a change breaks consumers without a new major version',
    edits: [edit(yaml, 'maxLength: 255', 'maxLength: 100')],
    said: /1 breaking: raise the major version/,
    by: ['scripts/diff-contract.ts', '--base', 'last-release.yaml'],
  },
  {
    between: 'YAML, changelog',
    what: 'a new version has no section in CHANGELOG.md',
    edits: [edit(yaml, 'version: 1.0.0', 'version: 1.1.0'), edit(yaml, 'bytes: 65536', 'bytes: 131072')],
    said: /CHANGELOG\.md must begin with a section "## 1\.1\.0"/,
    by: ['scripts/diff-contract.ts', '--base', 'last-release.yaml'],
  },
];

export const drifts: readonly Drift[] = [
  ...editing.map((drift) => ({ ...drift, moment: 'editing' }) as const),
  ...compiling.map((drift) => ({ ...drift, moment: 'compiling' }) as const),
  ...starting.map((drift) => ({ ...drift, moment: 'starting' }) as const),
  ...[...testing, served].map((drift) => ({ ...drift, moment: 'testing' }) as const),
  ...ci.map((drift) => ({ ...drift, moment: 'CI' }) as const),
];

export const driftsSeen = (moment: Drift['moment']): Drift[] =>
  drifts.filter((drift) => drift.moment === moment);
