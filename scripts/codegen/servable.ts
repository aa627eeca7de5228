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
import { compileAnswers } from '../../src/contract/answer/response-check.js';
import type { Contract } from '../../src/contract/contract.js';
import type { Operation } from '../../src/contract/document/operations.js';
import { compileRequest } from '../../src/contract/request/validation.js';
import { routerPath } from '../../src/contract/route.js';
import { ContractError, readPart } from '../../src/schema/contract-error.js';
import { stringFormats } from '../../src/schema/formats.js';
import { memberAt, type Path, pathOf, valueAt } from '../../src/schema/json-pointer.js';
import { type ContractSchema, compileSchema, sentenceOf } from '../../src/schema/schema.js';
import { endsInName, nodesOf } from '../contract/document/nodes.js';
import type { WrittenContract } from './read-contract.js';
import { type FailurePolicy, failureFormFault, statusFault } from './statuses.js';

/**
 * @param policy which failures a request can meet without its handler
 * @throws {ContractError} with a sentence for each fault
 */
export function checkContract(contract: WrittenContract, policy: FailurePolicy): void {
  const nodes = [...nodesOf(contract.document)];
  const formats = nodes.flatMap(([path, node]) =>
    // The document is valid, so there is a schema at such a path.
    isSchemaPath(path) ? formatFault(contract, path, node as ContractSchema) : [],
  );
  const faults = [
    ...formats,
    ...contract.operations.flatMap((operation) => operationFaults(operation, policy, formats.length > 0)),
    ...nodes.flatMap(([path, node]) => exampleFaults(contract, path, node)),
  ];
  if (faults.length > 0) throw new ContractError(faults);
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

/**
 * @returns whether the path leads to a schema. A key such as "items" says so, unless it is the name of a
 * member
 */
function isSchemaPath(path: Path): boolean {
  const [first, second] = path;
  const [last, before] = [path.at(-1), path.at(-2)];
  if (endsInName(path)) return before === 'properties' || (first === 'components' && second === 'schemas');
  if (before === 'allOf' || before === 'anyOf' || before === 'oneOf') return !endsInName(path.slice(0, -1));
  return last === 'schema' || last === 'items' || last === 'not' || last === 'additionalProperties';
}

function formatFault({ place }: Contract, path: Path, { type, format }: ContractSchema): string[] {
  if (type !== 'string' || format === undefined || stringFormats.has(format)) return [];
  const instead = `write one of ${[...stringFormats.keys()].join(', ')}, or say it by a "pattern"`;
  return [`${place([...path, 'format'])}: nothing checks the format "${format}": ${instead}.`];
}

/**
 * @returns the faults of the examples that a schema has, or a parameter, header or body beside its `schema`
 */
function exampleFaults(contract: WrittenContract, path: Path, node: object): string[] {
  const { document, resolved, place, exactly } = contract;
  const isSchema = isSchemaPath(path);
  // A member may be called "example", and only an example beside a schema can be compared.
  if (endsInName([...path, 'example']) || (!isSchema && memberAt(node, 'schema') === undefined)) return [];
  const named = isSchema ? {} : Object(memberAt(node, 'examples'));
  const examples = [
    [...path, 'example'],
    ...Object.keys(named).map((name) => [...path, 'examples', name, 'value']),
  ].filter((example) => valueAt(document, example) !== undefined);
  if (examples.length === 0) return [];
  // The document has a schema there, and `resolved` has one at the same path.
  const schema = valueAt(resolved, isSchema ? path : [...path, 'schema']) as ContractSchema;
  const misfitOf = checkOf(schema, path.includes('responses') ? 'response' : 'request');
  return examples.flatMap((example) => {
    const misfit = misfitOf?.(exactly(example));
    if (misfit === undefined) return [];
    const where = misfit.pointer === '' ? 'the example' : `${misfit.pointer.slice(1)} of the example`;
    return [`${place([...example, ...pathOf(misfit.pointer)])}: ${where} ${sentenceOf(misfit)}.`];
  });
}

/** @returns undefined if the schema cannot be compiled, which `operationFaults` reports */
function checkOf(schema: ContractSchema, direction: 'request' | 'response') {
  try {
    return compileSchema(schema, direction);
  } catch {
    return undefined;
  }
}
