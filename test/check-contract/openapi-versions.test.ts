import { readFile } from 'node:fs/promises';
import t from 'tap';
import { readDocument } from '../../packages/contract-tools/index.js';
import { asOpenApi30, asOpenApi32 } from '../../packages/contract-tools/test/support/openapi-versions.js';
import { gardensFile } from '../faults/broken-server.js';

/** finds-gardens-faults….hours.test.ts look for the same faults with each of them. */
t.test('the contract of the gardens means the same in OpenAPI 3.0, 3.1 and 3.2', async (t) => {
  const text = await readFile(gardensFile, 'utf8');
  const formOf = (written: string, version: string) => {
    const document = readDocument(written, 'gardens.yaml');
    t.equal(document.version, version);
    t.same(document.faults, []);
    return { ...(document.root.value as object), openapi: '' };
  };
  const form = formOf(text, '3.1');
  t.strictSame(formOf(asOpenApi30(text), '3.0'), form);
  t.strictSame(formOf(asOpenApi32(text), '3.2'), form);
  t.notMatch(asOpenApi30(text), /examples: *\n? *- /, 'no schema has the examples of 3.1');
});
