/**
 * Writes a document of OpenAPI 3.0 as large as those of the largest public services: 340 paths are about 3 MB. The
 * same seed makes the same document.
 *
 * Each resource has two paths with five operations. Its schema refers to those of the resources before it, so
 * that most schemas are shared by many: a walk that follows each reference anew does too much.
 */
import { stringify } from 'yaml';
import { Random } from '../../src/base/random.js';

const words = [
  ...([
    'account',
    'amount',
    'area',
    'branch',
    'colour',
    'count',
    'date',
    'depth',
    'garden',
    'height',
  ] as const),
  ...(['label', 'level', 'limit', 'month', 'name', 'note', 'number', 'order', 'owner', 'parcel'] as const),
] as const;

const errors = ['400', '401', '403', '404', '409', '429', '500'];

/**
 * @param paths how many paths the document has, two for each resource
 * @param maxLength a limit of a schema that all operations share, to be edited
 */
export function bigDocument(paths: number, { seed = 1, maxLength = 100 } = {}): string {
  const random = new Random(seed);
  const resources = Array.from({ length: Math.ceil(paths / 2) }, (_, index) => `Resource${index}`);
  const document = {
    openapi: '3.0.3',
    info: { title: 'A large service', version: '1.0.0' },
    paths: Object.fromEntries(resources.flatMap((name) => pathsOf(name, random))),
    components: {
      parameters: {
        Limit: { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } },
      },
      responses: {
        Error: { description: 'It failed.', content: json({ $ref: '#/components/schemas/Error' }) },
      },
      schemas: {
        Error: {
          type: 'object',
          required: ['message'],
          properties: { message: { type: 'string', maxLength }, status: { type: 'integer' } },
        },
        ...Object.fromEntries(
          resources.flatMap((name, index) => [
            [name, schemaOf(resources.slice(Math.max(0, index - 20), index), random)],
            [`${name}Change`, schemaOf([], random)],
          ]),
        ),
      },
    },
  };
  return stringify(document, { aliasDuplicateObjects: false });
}

function pathsOf(name: string, random: Random): [string, object][] {
  const one = { $ref: `#/components/schemas/${name}` };
  const change = { $ref: `#/components/schemas/${name}Change` };
  const path = `/${name.toLowerCase()}`;
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } };
  const limit = { $ref: '#/components/parameters/Limit' };
  const list = { type: 'array', items: one, maxItems: 100 };
  return [
    [
      path,
      {
        get: operation(`list${name}`, { 200: list }, { parameters: [limit, ...filters(random)] }, random),
        post: operation(`create${name}`, { 201: one }, { requestBody: body(change) }, random),
      },
    ],
    [
      `${path}/{id}`,
      {
        parameters: [id],
        get: operation(`get${name}`, { 200: one }, {}, random),
        put: operation(`change${name}`, { 200: one }, { requestBody: body(change) }, random),
        delete: operation(`delete${name}`, { 204: undefined }, {}, random),
      },
    ],
  ];
}

function operation(
  operationId: string,
  answers: Readonly<Record<string, object | undefined>>,
  others: object,
  random: Random,
): object {
  const good = Object.entries(answers).map(([status, schema]) => [
    status,
    { description: sentence(random), ...(schema && { content: json(schema) }) },
  ]);
  const bad = errors.map((status) => [status, { $ref: '#/components/responses/Error' }]);
  const words = { operationId, summary: sentence(random), description: sentence(random, 60) };
  return { ...words, ...others, responses: Object.fromEntries([...good, ...bad]) };
}

function body(schema: object): object {
  return { required: true, content: json(schema) };
}

function json(schema: object): object {
  return { 'application/json': { schema } };
}

function filters(random: Random): object[] {
  return words
    .filter(() => random.once(3))
    .map((name) => ({ name, in: 'query', description: sentence(random), schema: scalar(random) }));
}

/** @param before the schemas that it may refer to */
function schemaOf(before: readonly string[], random: Random): object {
  const own = words.flatMap((word) => [
    [word, { ...scalar(random), description: sentence(random) }],
    [`${word}s`, { type: 'array', items: scalar(random), description: sentence(random) }],
  ]);
  const [first, ...rest] = before;
  const shared =
    first === undefined
      ? []
      : [1, 2].map((index) => [
          `other${index}`,
          { $ref: `#/components/schemas/${random.of([first, ...rest])}` },
        ]);
  return { type: 'object', required: ['name'], properties: Object.fromEntries([...own, ...shared]) };
}

function scalar(random: Random): object {
  return random.of<object>([
    { type: 'string', minLength: 1, maxLength: 200 },
    { type: 'string', enum: ['small', 'middle', 'large'] },
    { type: 'integer', format: 'int64', minimum: 0 },
    { type: 'number', exclusiveMinimum: true, minimum: 0 },
    { type: 'boolean' },
  ]);
}

function sentence(random: Random, length = 6): string {
  return Array.from({ length }, () => random.of(words)).join(' ');
}
