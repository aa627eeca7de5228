/**
 * JSON to the last digit: it reads every integer as a bigint, refuses what JSON.parse would lose, and names each place of
 * a document by a JSON pointer, and by line and column.
 *
 * @example
 * ```ts
 * parseJson('{"id":9007199254740993}', 32); // { id: 9007199254740993n }
 * ```
 */
export { ContractError, inFull, messageOf, readPart } from './src/contract-error.js';
export { exactJson } from './src/exact-json.js';
export { withExcerpts } from './src/excerpt.js';
export { summaryOf } from './src/fault-summary.js';
export { JsonError, type JsonObject, type JsonValue, parseJson } from './src/json.js';
export {
  isMap,
  isReference,
  memberAt,
  type Path,
  pathOf,
  pathOfReference,
  pointerOf,
  pointerTo,
  valueAt,
} from './src/json-pointer.js';
export { type Direction, Node } from './src/node.js';
export { visible } from './src/visible.js';
