/** lint:contract looks at a document of OpenAPI 3.1 by what it means there, and not by the habits of 3.0. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { lintOwnContract } from '../../src/lint/own-contract.js';

// Loading the linters takes two seconds; slow machines get more time.
t.setTimeout(600_000);

/** A document as FastAPI generates it, with what the rules ask for, but without a licence. */
const generated = `openapi: 3.1.0
info:
  title: Items
  version: 0.1.0
  contact: { name: The items' maintainers, url: https://items.example/ }
servers: [{ url: https://items.example }]
tags: [{ name: items, description: Things. }]
security: [{ HTTPBearer: [] }]
paths:
  /items/{item_id}:
    put:
      tags: [items]
      summary: Update Item
      description: Stores an item.
      operationId: update_item_items__item_id__put
      parameters:
        - name: item_id
          in: path
          description: Which item.
          required: true
          schema: { type: integer, format: int32, exclusiveMinimum: 0, maximum: 100, title: Item Id }
        - name: q
          in: query
          description: A word of it.
          required: false
          schema:
            anyOf: [{ type: string, maxLength: 50, pattern: '^[a-z]*$' }, { type: 'null' }]
            title: Q
            examples: [a]
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: '#/components/schemas/Item' }
      responses:
        '200':
          description: Successful Response
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Item' }
        '401': { description: Unauthorized }
        '422': { description: Validation Error }
        '500': { description: Internal Server Error }
components:
  securitySchemes: { HTTPBearer: { type: http, scheme: bearer } }
  schemas:
    Item:
      type: object
      title: Item
      required: [kind, name]
      properties:
        kind: { type: string, const: item, default: item, title: Kind }
        name: { type: [string, 'null'], maxLength: 20, pattern: '^[a-z]*$', title: Name }
        stars: { type: [integer, 'null'], format: int32, minimum: 0, exclusiveMaximum: 6, examples: [5] }
        step: { type: integer, format: int32, enum: [1, 10] }
      examples: [{ kind: item, name: a }]
`;

/** @returns the rules that a document breaks, each with the text of its line */
async function broken(t: Test, from: string, to: string): Promise<[rule: string, line: string][]> {
  t.equal(generated.split(from).length, 2, from);
  const text = generated.replace(from, () => to);
  const file = join(t.testdir({ 'items.yaml': text }), 'items.yaml');
  const problems = await lintOwnContract(file);
  return problems.map(({ rule, line }) => [rule, text.split('\n')[line - 1]?.trim() ?? '']);
}

const license = ['redocly/info-license', 'info:'];

t.test('nothing is said of the keywords of 3.1, or of generated names', async (t) => {
  t.strictSame(await broken(t, 'openapi: 3.1.0', 'openapi: 3.1.0'), [license]);
});

/** Edits, each of which breaks one rule more. */
const edits: readonly (readonly [rule: string, from: string, to: string, line?: string])[] = [
  ['redocly/rule/string-limit', "[string, 'null'], maxLength: 20", "[string, 'null']"],
  ['redocly/rule/string-restricted', "maxLength: 20, pattern: '^[a-z]*$'", 'maxLength: 20'],
  ['redocly/rule/integer-format', 'format: int32, exclusiveMinimum: 0', 'exclusiveMinimum: 0'],
  ['redocly/rule/integer-minimum', 'exclusiveMinimum: 0, ', ''],
  ['redocly/rule/integer-maximum', 'exclusiveMaximum: 6, ', ''],
  ['redocly/rule/no-public-requirement', '[{ HTTPBearer: [] }]', '[{ HTTPBearer: [] }, {}]'],
  ['redocly/no-invalid-schema-examples', 'examples: [5]', 'examples: [6]'],
];

for (const [rule, from, to] of edits)
  t.test(`a broken rule is told of the keywords of 3.1, too: ${rule}`, async (t) => {
    const rules = (await broken(t, from, to)).map(([broken]) => broken);
    t.strictSame(rules.sort(), ['redocly/info-license', rule].sort());
  });

t.test("an unknown member of a request's example is found in the examples of 3.1", async (t) => {
  const media = "schema: { $ref: '#/components/schemas/Item' }\n      responses:";
  const example = `examples: { one: { value: { kind: item, name: null, nmae: a } } }`;
  const found = await broken(t, media, media.replace('\n', `\n            ${example}\n`));
  t.strictSame(found.at(-1), ['contract/unknown-example-member', example]);
});
