import t from 'tap';
import { summaryOf } from '../../../exact-json/index.js';
import { checkContract, failurePolicy, readContractText } from '../../../service-tools/index.js';
import { documentOf } from '../support/contract/contract.js';

const done = 'responses: { 204: { description: Done. } }';
const numbers = Array.from({ length: 40 }, (_, index) => index);

async function linesOf(yaml: string): Promise<string[]> {
  try {
    checkContract(await readContractText(yaml, 'contract.yaml'), failurePolicy);
  } catch (error) {
    return Error(String(error)).message.split('\n');
  }
  return [];
}

t.test('a cause with many places is told once, with the lines of the others', async (t) => {
  const paths = (rest: (index: number) => string) =>
    numbers.map((index) => `  /a${index}: { get: { ${rest(index)} } }`);
  const [noStatuses, ...others] = await linesOf(
    documentOf(paths((index) => `operationId: a${index}, ${done}`).join('\n')),
  );
  t.match(noStatuses, /contract\.yaml:4:.* a0 can be answered 400, 408, 500.* 39 other places: lines 5, 6, /);
  t.strictSame(others, []);
  const files = await linesOf(
    documentOf(
      paths((index) => `operationId: a${index}, responses: { 200: { $ref: "b.yaml#/${index}" } }`).join('\n'),
    ),
  );
  t.equal(files.length, 1, 'references into other files');
});

t.test('faults of several operations, and of several parts of one, are told in one run', async (t) => {
  const lines = await linesOf(
    documentOf(`
  /a:
    get:
      operationId: a
      parameters:
        - { name: b, in: query, style: deepObject, schema: {} }
        - { name: c, in: header, content: { text/plain: { schema: {} } } }
      responses:
        200: { description: Done., content: { text/plain: { schema: {} } } }
        201: { description: Done., content: { application/json: {} } }
  /b:
    put:
      operationId: b
      requestBody: { content: { application/json: { schema: {} } } }
      ${done}
  /c: { get: { ${done} } }`),
  );
  t.strictSame(
    lines.map((line) => /contract\.yaml:(\d+)/.exec(line)?.[1]),
    ['8', '9', '11', '12', '16', '18'],
  );
});

t.test('of a header or parameter without schema and content, only the schema is missing', async (t) => {
  const lines = await linesOf(
    documentOf(`  /a: { get: { operationId: a, parameters: [{ name: b, in: query }], ${done} } }`),
  );
  t.equal(lines.length, 1);
  t.match(lines, [/"schema" is missing/]);
});

t.test('of many names, the three nearest to a misspelt reference are named', async (t) => {
  const schemas = numbers.map((index) => `Schema${index}: {}`).join(', ');
  const [line = '', ...others] = await linesOf(
    documentOf(
      `  /a: { get: { operationId: a, responses: { 200: { description: A., content: { application/json: { schema: { $ref: "#/components/schemas/shema12" } } } } } } }`,
      `components: { schemas: { ${schemas} } }`,
    ),
  );
  t.match(line, /write one of Schema12, Schema1, Schema2, or add it/);
  t.strictSame(others, []);
});

t.test('at most ten sentences are told, and how many faults are left', async (t) => {
  const faults = numbers.map((index) => `a.yaml:${index}:1: a fault "${'x'.repeat(index)}".`);
  const lines = summaryOf(faults).split('\n');
  t.strictSame(lines.slice(0, 10), faults.slice(0, 10));
  t.strictSame(lines.slice(10), ['There are 30 more faults: mend these first.']);
  t.equal(
    summaryOf([...faults.slice(0, 3), ...faults.slice(0, 3)]),
    faults.slice(0, 3).join('\n'),
    'each once',
  );
});
