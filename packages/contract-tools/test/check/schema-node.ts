/** Reads a schema as the checker does. */
import type { Node } from '../../src/document/node.js';
import { readDocument } from '../../src/document/read-document.js';

/** @param openapi the version in whose words the schema is written */
export function schemaNode(schema: unknown, openapi = '3.0.3'): Node {
  const document = {
    openapi,
    info: { title: 'A schema', version: '1' },
    paths: {},
    components: { schemas: { Tried: schema } },
  };
  const node = readDocument(JSON.stringify(document), 'schema.json').root.at(
    'components',
    'schemas',
    'Tried',
  );
  if (node === undefined) throw new Error('The document has the schema.');
  return node;
}
