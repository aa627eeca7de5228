/** The page shows each digit of a large integer, which JSON.parse of the browser would round. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectFolder } from '../../../kit/index.js';
import { pageDocument } from '../../src/api-docs/page-document.js';

const rounded = '9223372036854776000';
const exact = '9223372036854775807';

/** @returns the schema A of the page's document, written in this version of OpenAPI */
function shown(openapi: string, schema: string): unknown {
  const text = `openapi: ${openapi}
info: { title: A, version: 1.0.0 }
paths: {}
components: { schemas: { A: ${schema} } }
`;
  return JSON.parse(pageDocument({ text })).components.schemas.A;
}

t.test('from 3.1 on, bounds that would be rounded are sentences, and values texts', async (t) => {
  const schema = `{ type: integer, description: An id., minimum: -${exact}, exclusiveMaximum: ${exact} }`;
  t.strictSame(shown('3.1.2', schema), {
    type: 'integer',
    description: `An id.\n\nAt least -${exact}.\n\nLess than ${exact}.`,
  });
  t.strictSame(shown('3.2.0', `{ enum: [1, ${exact}], default: ${exact} }`), {
    enum: ['1', exact],
    default: exact,
  });
  t.strictSame(shown('3.1.2', '{ minimum: 1, maximum: 5 }'), { minimum: 1, maximum: 5 });
});

t.test('in 3.0, the digits of a bound stand beside it', async (t) => {
  // A double holds the first one exactly, and JavaScript writes it rounded all the same.
  const lowest = '-9223372036854775808';
  t.strictSame(shown('3.0.3', `{ minimum: ${lowest}, maximum: ${exact} }`), {
    minimum: Number(lowest),
    'x-exact-minimum': lowest,
    maximum: Number(exact),
    'x-exact-maximum': exact,
  });
});

t.test('the page of the gardens, whose contract is 3.1, rounds no bound', async (t) => {
  const file = join(projectFolder, 'examples', 'gardens', 'openapi', 'gardens.yaml');
  const page = pageDocument({ text: await readFile(file, 'utf8') });
  t.match(page, `At most ${exact}.`);
  t.notMatch(page, rounded);
});
