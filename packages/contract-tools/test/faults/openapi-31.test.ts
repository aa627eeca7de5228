import { readFile } from 'node:fs/promises';
import t from 'tap';
import { plainServers } from '../../faults/models/plain-servers.js';
import { readDocument } from '../../src/document/read-document.js';
import { asOpenApi31 } from '../support/openapi-versions.js';

t.test('the contract of repairs means the same in OpenAPI 3.1', async (t) => {
  const text = await readFile(plainServers.repairs.file, 'utf8');
  const [older, newer] = [
    readDocument(text, 'repairs.yaml'),
    readDocument(asOpenApi31(text), 'repairs.yaml'),
  ];
  t.equal(newer.version, '3.1');
  t.strictSame(newer.faults, older.faults);
  const ofJob = ['components', 'schemas', 'Job', 'properties'] as const;
  t.strictSame(newer.root.at(...ofJob, 'due')?.value, older.root.at(...ofJob, 'due')?.value);
  for (const name of ['paths', 'security'])
    t.strictSame(newer.root.at(name)?.value, older.root.at(name)?.value, name);
  t.equal(newer.root.at(...ofJob, 'state', 'default')?.value, 'open');
});
