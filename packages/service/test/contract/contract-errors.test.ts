import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { withExcerpts } from '../../../exact-json/index.js';
import { contractFile } from '../../../kit/index.js';
import {
  checkContract,
  failurePolicy,
  readContract,
  readContractText,
} from '../../../service-tools/index.js';
import { explainFailure } from '../../src/start/explain-failure.js';
import { contractOf, documentOf } from '../support/contract/contract.js';
import { checking, refusesDocuments } from '../support/contract/documents.js';

const stringFormats =
  'date, time, date-time, duration, uri, uri-reference, email, hostname, ipv4, ipv6, uuid, byte, password, binary';

/** Edits of plants.yaml, and all that must be said about each. */
const errors: readonly [name: string, old: string, next: string, said: string][] = [
  [
    'a key without its colon',
    'operationId: listPlants',
    'operationId',
    `openapi/plants.yaml:LINE:7: Implicit keys need to be on a single line: a ":" after the key is missing, or a bracket or quote before it is open.
LINE |       operationId
 |       ^`,
  ],
  [
    'a tab',
    '    post:\n',
    '\tpost:\n',
    'openapi/plants.yaml:LINE:1: Tabs are not allowed as indentation: write spaces.\nLINE | \tpost:\n | ^',
  ],
  [
    'a misspelt type',
    '      type: integer\n      format: int64',
    '      type: integr\n      format: int64',
    `openapi/plants.yaml:LINE:13: "integr" is not allowed here: write one of array, boolean, integer, number, object, string.
LINE |       type: integr
 |             ^`,
  ],
  [
    'a list that is none',
    'required: [error, message]',
    'required: error',
    `openapi/plants.yaml:LINE:17: "error" is of the wrong type: write a list ("[…]" or "- …").
LINE |       required: error
 |                 ^`,
  ],
  [
    'what is missing',
    '          description: The plant is deleted.\n',
    '          x-description: Gone.\n',
    `openapi/plants.yaml:LINE:11: "description" is missing: add it.
LINE |           x-description: Gone.
 |           ^`,
  ],
  [
    'a status left out that every request can get',
    '        "408":\n          $ref: "#/components/responses/RequestTimeout"\n',
    '',
    `openapi/plants.yaml:LINE:7: createPlant can be answered 408: add that to its responses.
LINE |       operationId: createPlant
 |       ^`,
  ],
  [
    'a status left out that every request with a token can get',
    '        "429":\n          $ref: "#/components/responses/TooManyRequests"\n',
    '',
    `openapi/plants.yaml:LINE:7: createPlant can be answered 429: add that to its responses.
LINE |       operationId: createPlant
 |       ^`,
  ],
  [
    'another version',
    'openapi: 3.0.3',
    'openapi: 4.0.0',
    `openapi/plants.yaml:LINE:10: OpenAPI 4.0.0 is not supported: write "openapi: 3.0.3", or a version of 3.1 or 3.2, such as 3.1.2.
LINE | openapi: 4.0.0
 |          ^`,
  ],
  [
    'a version that YAML reads as a number',
    '  version: 1.0.0',
    '  version: 1.0',
    `openapi/plants.yaml:LINE:12: this is read as the number 1: write it in quotes.
LINE |   version: 1.0
 |            ^`,
  ],
  [
    'a path that the router cannot do',
    '  /plants/{id}:\n    delete:\n',
    '  /plants/{id}:water:\n    delete:\n',
    `openapi/plants.yaml:LINE:7: deletePlant: the router does not do /plants/{id}:water. Let each parameter end at "/", "." or "-", and write the rest in letters, digits and _.~!$&'+,;=@:-
LINE |       operationId: deletePlant
 |       ^`,
  ],
  [
    'a format that nothing checks',
    '          maxLength: 255\n',
    '          format: datetime\n',
    `openapi/plants.yaml:LINE:19: nothing checks the format "datetime": write one of ${stringFormats}, or say it by a "pattern".
LINE |           format: datetime
 |                   ^`,
  ],
  [
    "a number's format at a string",
    '          maxLength: 255\n',
    '          format: int64\n',
    `openapi/plants.yaml:LINE:19: nothing checks the format "int64": write one of ${stringFormats}, or say it by a "pattern".
LINE |           format: int64
 |                   ^`,
  ],
  [
    'a default that does not fit',
    '            minimum: 1\n',
    '            default: few\n',
    `openapi/plants.yaml:LINE:22: listPlants, query/limit: the default must be an integer from -2147483648 to 2147483647, and is a text.
LINE |             default: few
 |                      ^`,
  ],
  [
    'an example that does not fit',
    '          example: 20\n',
    '          example: 0\n',
    `openapi/plants.yaml:LINE:20: the example must be an integer from 1 to 2147483647.
LINE |           example: 0
 |                    ^`,
  ],
  [
    'an example that does not fit inside',
    'value: { error: 413, message: The body is larger than 65536 bytes. }',
    'value: { error: 413, message: 5 }',
    `openapi/plants.yaml:LINE:45: message of the example must be string: write it in quotes.
LINE |               value: { error: 413, message: 5 }
 |                                             ^`,
  ],
  [
    "a header's example that does not fit",
    '        maximum: 60\n      example: 1\n',
    '        maximum: 60\n      example: 61\n',
    `openapi/plants.yaml:LINE:16: the example must be an integer from 1 to 60.
LINE |       example: 61
 |                ^`,
  ],
];

t.test(
  'a contract fault is reported with its place, its line with a caret, and what to write instead',
  async (t) => {
    const good = await readFile(contractFile, 'utf8');
    for (const [name, old, next, said] of errors) {
      const text = good.replace(old, next);
      t.not(text, good);
      const failure = await readContractText(text, contractFile)
        .then((contract) => checkContract(contract, failurePolicy))
        .catch((error) => error);
      const message = withExcerpts(String(failure?.message), () => text);
      const [, number = '', line] = /^ +(\d+) \| (.*)$/m.exec(message) ?? [];
      t.equal(line, text.split('\n')[Number(number) - 1], 'the line shown is the one of that number');
      t.equal(
        message.replace(`:${number}:`, ':LINE:').replaceAll(/^ +(\d+ )?(?=\| )/gm, withoutNumber),
        said,
        name,
      );
    }
  },
);

/** Replaces line numbers, so that the contract may grow without a change here. */
function withoutNumber(_margin: string, number?: string): string {
  return number === undefined ? ' ' : 'LINE ';
}

const withSchemas = (text: string) =>
  documentOf(
    '  /a: { get: { operationId: a, responses: { 204: { description: Done. }, 400: { description: Wrong. }, 408: { description: Late. }, 500: { description: Failed. } } } }',
    text,
  );

t.test('an example is compared with its schema at every place where YAML allows one', async (t) => {
  const fits = await contractOf(
    t,
    withSchemas(`
components:
  schemas:
    Size: &size { type: integer, format: int64, maximum: &most 9223372036854775807, example: *most }
    Same: *size
    Maybe: { type: object, properties: { a: { type: string, nullable: true } }, example: { a } }
    Flag: { type: object, properties: { true: { type: string, example: up } }, example: { true: down } }`),
  );
  t.doesNotThrow(() => checkContract(fits, failurePolicy));
  const withSchema = (schema: string) => withSchemas(`\ncomponents:\n  schemas:\n    ${schema}`);
  const noString = 'the example must be string: write it in quotes.';
  await refusesDocuments(t, checking, withSchema, {
    'A: { type: integer, format: int32, minimum: &one 1, example: §{ a: *one } }':
      /^the example must be an integer/,
    'A: &a { type: integer, format: int32, maximum: 5, example: §6 }\n    B: *a':
      /^the example must be [^\n]+$/,
    'A: { type: object, properties: { items: { type: string, example: §7 } } }': noString,
    'A: { type: object, properties: { schema: { type: string, example: §7 } } }': noString,
    'A: { type: object, properties: { not: { type: string, example: §7 } } }': noString,
    'A: { type: object, properties: { additionalProperties: { type: string, example: §7 } } }': noString,
    'A: { type: object, properties: { allOf: { type: string, example: §7 } } }': noString,
    'A: { type: object, properties: { properties: { type: string, example: §7 } } }': noString,
    'A: { type: object, properties: { example: { type: string, example: §7 } } }': noString,
    'A: { type: array, items: { type: string }, example: [a, §7] }':
      'item 1 of the example must be string: write it in quotes.',
    'example: { type: string, example: §7 }': noString,
    'A: { type: string, format: uuid, example: §7 }': /^the example must match format "uuid"\.$/,
    'A: { type: array, items: { type: string, maxLength: 1 }, example: [§12] }':
      'item 0 of the example must NOT have more than 1 character.',
    'A: { type: object, properties: { example: { type: string, format: §datetime } } }':
      /^nothing checks the format "datetime"/,
  });
});

t.test('a start that fails because of the contract shows the line', async (t) => {
  const file = join(t.testdir({ 'contract.yaml': 'openapi: 2.0.0\n' }), 'contract.yaml');
  const failure: unknown = await readContract(file).catch((error) => error);
  t.ok(explainFailure(failure).endsWith('or 3.2, such as 3.1.2.\n  1 | openapi: 2.0.0\n    |          ^'));
});

t.test('a contract fault in a file that cannot be read is reported without the line', async (t) => {
  t.equal(withExcerpts('main:plants.yaml:1:1: gone.'), 'main:plants.yaml:1:1: gone.');
  t.equal(withExcerpts('no place at all'), 'no place at all');
});
