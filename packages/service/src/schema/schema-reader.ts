/**
 * Resolves the references of schemas: a schema of the document becomes an object that holds the schemas it
 * refers to. One that refers to itself holds itself.
 */
import type { Node } from '../../../exact-json/index.js';
import type { ContractSchema } from './schema.js';
import { applicatorOf } from './subschemas.js';

/** Takes the node of a schema to the schema. */
export type SchemaReader = (node: Node) => ContractSchema;

/** These stay `true` or `false`: they say whether there may be more members or items. */
const ofOthers: ReadonlySet<string> = new Set([
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
]);
/** What these hold is read where something refers to it. */
const onlyReferredTo: ReadonlySet<string> = new Set(['$defs', 'definitions']);

/** @returns a function that reads each schema of a document once, however often it is referred to */
export function schemaReader(): SchemaReader {
  const known = new Map<string, ContractSchema>();
  return function read(node): ContractSchema {
    const before = known.get(node.key);
    if (before !== undefined) return before;
    const schema: Record<string, unknown> = {};
    // It is known before it is whole, because it may contain itself.
    known.set(node.key, schema);
    // A schema may be `true`, which every value fits, or `false` (JSON Schema 2020-12, section 4.3.2).
    if (node.value === false) schema['not'] = {};
    if (typeof node.value !== 'object' || node.value === null) return schema;
    for (const [keyword, value] of Object.entries(node.value)) {
      if (onlyReferredTo.has(keyword)) continue;
      const below = applicatorOf(keyword) === undefined ? undefined : node.at(keyword);
      schema[keyword] = below === undefined ? value : readBelow(keyword, below, read);
    }
    return schema;
  };
}

function readBelow(keyword: string, node: Node, read: SchemaReader): unknown {
  const holds = applicatorOf(keyword)?.holds;
  if (holds === 'list') return node.members().map(([, part]) => read(part));
  if (holds === 'map') return Object.fromEntries(node.members().map(([name, part]) => [name, read(part)]));
  return typeof node.value === 'boolean' && ofOthers.has(keyword) ? node.value : read(node);
}
