/**
 * Reads OpenAPI documents of 3.0, 3.1 and 3.2 as one form, finds values that fit their schemas, and says which
 * operations make, list, read, change and delete a resource. The tools have doors of their own beside this one:
 * check.ts, diff.ts and lint.ts; base.ts has what every command needs.
 */
export {
  bearer,
  type Credential,
  isFit,
  present,
  type Scheme,
  schemeOf,
  wordsFor,
} from './src/document/credentials.js';
export type { SchemaError } from './src/document/fault-sentences.js';
export { type Kind, walk } from './src/document/grammar.js';
export { isJson } from './src/document/media-types.js';
export type { Node } from './src/document/node.js';
export { examplesOf, type Operation, operationsOf, type Parameter } from './src/document/operations.js';
export { type ApiDocument, readDocument, withDoubles } from './src/document/read-document.js';
export { schemaFaults } from './src/document/schema-faults.js';
export { program } from './src/programs/program.js';
export { listOf, type Resource, resourcesOf } from './src/resources/shape.js';
export { typeOf } from './src/values/bounds.js';
export {
  Decimal,
  fromYaml,
  isArray,
  isObject,
  readJson,
  type Value,
  type ValueObject,
  writeJson,
} from './src/values/json.js';
export { allLayersOf, itemSchemas, layersOf } from './src/values/layers.js';
export { patternOf } from './src/values/patterns.js';
export { violationsOf } from './src/values/schema.js';
export { type Member, membersOf } from './src/values/sites.js';
export { examplesIn, exampleValue, fits, NoValueError, plainValue } from './src/values/valid-values.js';
