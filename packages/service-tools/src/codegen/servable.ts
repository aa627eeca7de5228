/**
 * Refuses a document that the service could not keep, in `npm run codegen`.
 *
 * A valid document can promise what no code keeps, and each gap would show only at run time, as a 500 or as a
 * value that nobody has checked. So codegen asks:
 *
 * 1. Is there a check for the format of each string?
 * 2. Can the router do each path?
 * 3. Can each schema of a request, of a parameter and of an answer be compiled, and each answer be written?
 * 4. Does each operation document the statuses that a request can get without its handler (statuses.ts), and
 *    does the body of these answers fit?
 * 5. Does each example fit its schema?
 *
 * For example, `format: phone` is refused with its place, and with the formats that are checked. The start of
 * the service does not ask again: it proves only that the document is the one that codegen has read
 * (generated.ts).
 */

import { type Kind, walk } from '../../../contract-tools/index.js';
import {
  ContractError,
  isReference,
  type JsonValue,
  type Node,
  pathOf,
  readPart,
} from '../../../exact-json/index.js';
import {
  type ContractSchema,
  compileAnswers,
  compileRequest,
  compileSchema,
  isNumericFormat,
  type Operation,
  routerPath,
  type SchemaReader,
  schemaReader,
  sentenceOf,
  stringFormats,
} from '../../../service/layer.js';
import type { WrittenContract } from './read-contract.js';
import { type FailurePolicy, failureFormFault, statusFault } from './statuses.js';

/**
 * @param policy which failures a request can meet without its handler
 * @throws {ContractError} with a sentence for each fault
 */
export function checkContract(contract: WrittenContract, policy: FailurePolicy): void {
  const { root } = contract;
  const nodes = [...walk(root.value)].flatMap(({ kind, path, value }): Described[] => {
    // What a reference leads to stands elsewhere in the document.
    const node = isReference(value) ? undefined : root.at(...path);
    return node === undefined ? [] : [{ kind, node }];
  });
  const formats = nodes.flatMap(({ kind, node }) => (kind === 'schema' ? formatFault(node) : []));
  const tuples = nodes.flatMap(({ kind, node }) => (kind === 'schema' ? tupleFault(node) : []));
  const schemaOf = schemaReader();
  const faults = [
    ...formats,
    ...tuples,
    ...contract.operations.flatMap((operation) => operationFaults(operation, policy, formats.length > 0)),
    ...nodes.flatMap((described) => exampleFaults(described, schemaOf)),
  ];
  if (faults.length > 0) throw new ContractError(faults);
}

/** An object of the document, and what the grammar of OpenAPI calls it. */
interface Described {
  readonly kind: Kind;
  readonly node: Node;
}

/** @param isTold whether the fault of a schema that cannot be compiled is told already */
function operationFaults(operation: Operation, policy: FailurePolicy, isTold: boolean): string[] {
  const ofPath: string[] = [];
  readPart(ofPath, () => routerPath(operation));
  const ofSchemas: string[] = [];
  readPart(ofSchemas, () => compileRequest(operation));
  const check = readPart(ofSchemas, () => compileAnswers(operation));
  return [
    ...ofPath,
    ...(isTold ? [] : ofSchemas),
    ...statusFault(operation, policy),
    ...(check ? failureFormFault(operation, policy, check) : []),
  ];
}

function formatFault(schema: Node): string[] {
  const format = schema.text('format');
  const types = [schema.at('type')?.value].flat();
  if (!types.includes('string') || format === undefined || stringFormats.has(format)) return [];
  // It is the format of the numbers, which schema/numbers.ts compares.
  if (types.some((type) => type === 'integer' || type === 'number') && isNumericFormat(format)) return [];
  const instead = `write one of ${[...stringFormats.keys()].join(', ')}, or say it by a "pattern"`;
  return [`${schema.at('format')?.place}: nothing checks the format "${format}": ${instead}.`];
}

/** openapi-typescript 7.13 writes a list of exactly the `prefixItems`, whatever `items` and `minItems` say. */
function tupleFault(schema: Node): string[] {
  const items = schema.list('prefixItems').length;
  const isExact = schema.at('items')?.value === false && Number(schema.number('minItems') ?? 0) >= items;
  if (items === 0 || isExact) return [];
  return [
    `${schema.place}: the types of handlers know "prefixItems" only as a list of this length: add "items: false" and "minItems: ${items}".`,
  ];
}

/**
 * @returns the faults of the examples that a schema has, or a parameter, header or body beside its `schema`
 */
function exampleFaults({ kind, node }: Described, schemaOf: SchemaReader): string[] {
  const schema = kind === 'schema' ? node : node.at('schema');
  const examples = node.list('examples').flatMap((example) => {
    const value = kind === 'schema' ? example : example.at('value');
    return value === undefined ? [] : [value];
  });
  // Only an example beside a schema can be compared.
  if (schema === undefined || examples.length === 0) return [];
  const violationOf = checkOf(schemaOf(schema), node.path.includes('responses') ? 'response' : 'request');
  return examples.flatMap((example) => {
    const violation = violationOf?.(example.value);
    if (violation === undefined) return [];
    const path = pathOf(violation.pointer);
    const found = example.at(...path) ?? example;
    // YAML reads a text such as `012` or `1.0` as a number.
    const isUnquoted = violation.message.startsWith('must be string') && typeof found.value !== 'object';
    const quoted = isUnquoted ? violationOf?.(withText(example.value, path)) : undefined;
    const isWrongText = quoted?.pointer === violation.pointer;
    const instead = isUnquoted && !isWrongText ? ': write it in quotes' : '';
    const sentence = sentenceOf(isWrongText ? quoted : violation);
    return [`${found.place}: ${nameOf(path, example)} ${sentence}${instead}.`];
  });
}

/** @returns a value in which the scalar at a path is a text */
function withText(value: JsonValue, [key, ...rest]: readonly string[]): JsonValue {
  if (key === undefined) return String(value);
  if (Array.isArray(value))
    return value.map((item, at) => (String(at) === key ? withText(item, rest) : item));
  if (typeof value !== 'object' || value === null) return value;
  return { ...value, [key]: withText(value[key] ?? null, rest) };
}

/** @returns such as "member.name of the example" or "item 0 of the example" */
function nameOf(path: readonly string[], example: Node): string {
  if (path.length === 0) return 'the example';
  const [first = '', ...others] = path;
  const words = Array.isArray(example.value) ? [`item ${first}`, ...others] : [first, ...others];
  return `${words.join('/')} of the example`;
}

/** @returns undefined if the schema cannot be compiled, which `operationFaults` reports */
function checkOf(schema: ContractSchema, direction: 'request' | 'response') {
  try {
    return compileSchema(schema, direction);
  } catch {
    return undefined;
  }
}
