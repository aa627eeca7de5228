import { join } from 'node:path';
import t from 'tap';
import { compareContracts } from '../../../contract-tools/diff.js';
import { readDocument } from '../../../contract-tools/index.js';
import { typesOf } from '../../../service-tools/codegen.js';
import { checkContract, failurePolicy, readContractText } from '../../../service-tools/index.js';
import { lintOwnContract } from '../../../service-tools/lint.js';
import { documentOf, serve } from '../support/contract/contract.js';

/** OpenAPI 3.0.3, "Reference Object": members beside `$ref` are ignored. Each line with `# beside` is one. */
const beside = documentOf(
  `
  /plants:
    get:
      operationId: listPlants
      parameters:
        - $ref: '#/components/parameters/Limit'
          required: true # beside
      responses:
        204:
          $ref: '#/components/responses/Done'
          headers: { X-Count: { required: true, schema: { type: string } } } # beside
        400:
          description: Bad.
          headers:
            X-Id:
              $ref: '#/components/headers/Id'
              required: true # beside
    post:
      operationId: createPlant
      requestBody:
        $ref: '#/components/requestBodies/Plant'
        required: true # beside
      responses:
        204: { description: Done. }`,
  `components:
  parameters:
    Limit: { name: limit, in: query, schema: { type: integer, format: int32 } }
  headers:
    Id: { schema: { type: string } }
  responses:
    Done: { description: Done. }
  requestBodies:
    Plant:
      x-limits: { bytes: 1000, depth: 5 }
      content: { application/json: { schema: { $ref: '#/components/schemas/Plant' } } }
  schemas:
    PlantId: { type: integer, format: int64 }
    Plant:
      type: object
      properties:
        id:
          $ref: '#/components/schemas/PlantId'
          multipleOf: 7 # beside
          nullable: true # beside
          example: none # beside`,
);
const alone = beside.replaceAll(/\n.*# beside/g, '');

t.test('members beside a $ref are not enforced', async (t) => {
  const { call } = await serve(t, beside);
  t.equal((await call('POST', '/plants', { body: '{"id":101}' })).status, 204);
  t.equal((await call('POST', '/plants', { body: '{"id":null}' })).status, 400);
  t.equal((await call('POST', '/plants')).status, 204);
  t.equal((await call('GET', '/plants')).status, 204);
});

t.test('members beside a $ref change no operation, no type, and nothing for diff:contract', async (t) => {
  const [one, other] = [await readContractText(beside, 'a.yaml'), await readContractText(alone, 'a.yaml')];
  t.strictSame(one.root.value, other.root.value);
  t.equal(await typesOf(one), await typesOf(other));
  const [written, plain] = [readDocument(beside, 'a.yaml'), readDocument(alone, 'a.yaml')];
  t.strictSame(compareContracts(plain, written), []);
  t.strictSame(compareContracts(written, plain), []);
  t.doesNotThrow(
    () => checkContract({ ...one, operations: [] }, failurePolicy),
    'their examples are not checked',
  );
});

t.test('lint:contract names each member beside a $ref by its line', async (t) => {
  const file = join(t.testdir({ 'contract.yaml': beside }), 'contract.yaml');
  const named = (await lintOwnContract(file)).filter(({ rule }) => /ref-siblings/.test(rule));
  const written = beside.split('\n').flatMap((line, index) => (line.endsWith('# beside') ? [index + 1] : []));
  t.strictSame(
    named.map(({ line }) => line),
    written,
  );
});
