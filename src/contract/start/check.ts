import { compileAnswers } from '../answer/response-check.js';
import { ContractError, messageOf } from '../document/contract-error.js';
import type { Contract, WrittenContract } from '../document/document.js';
import { memberAt, type Path, pathOf, valueAt } from '../document/json-pointer.js';
import { endsInExample, endsInName } from '../document/names.js';
import { compileRequest } from '../request/validation.js';
import { stringFormats } from '../schema/formats.js';
import { type ContractSchema, compileSchema } from '../schema/schema.js';
import { type FailurePolicy, failureFormFault, statusFault } from './statuses.js';

/**
 * Refuses a document that the service could not keep: a format that nothing checks, a schema that cannot be
 * compiled, a status that is not documented, an example that does not fit. `npm run codegen` calls this.
 *
 * @throws {ContractError} with a sentence for each fault
 */
export function checkContract(contract: WrittenContract, policy: FailurePolicy): void {
  const schemas: [Path, ContractSchema][] = [];
  const examples: [example: Path, schema: Path][] = [];
  collect(contract.document, [], schemas, examples);
  const formats = schemas.flatMap(([path, schema]) => formatFault(contract, path, schema));
  const faults = formats.length > 0 ? formats : contract.operations.flatMap(operationFaults);
  for (const check of [statusFault, failureFormFault])
    faults.push(...contract.operations.flatMap((operation) => check(operation, policy)));
  faults.push(...examples.flatMap(([example, schema]) => exampleFault(contract, example, schema)));
  if (faults.length > 0) throw new ContractError(faults);
}

/** Adds the paths of all schemas, and of each example with the path of its schema. */
function collect(
  node: unknown,
  path: Path,
  schemas: [Path, ContractSchema][],
  examples: [Path, Path][],
): void {
  if (typeof node !== 'object' || node === null) return;
  const isSchema = isSchemaPath(path);
  // The document is valid, so there is a schema at such a path.
  if (isSchema) schemas.push([path, node as ContractSchema]);
  const schema = isSchema ? path : [...path, 'schema'];
  const holdsExamples = isSchema || memberAt(node, 'schema') !== undefined;
  const named = isSchema ? undefined : memberAt(node, 'examples');
  if (holdsExamples && endsInExample([...path, 'example']) && 'example' in node)
    examples.push([[...path, 'example'], schema]);
  if (typeof named === 'object' && named !== null && holdsExamples && endsInExample([...path, 'examples'])) {
    for (const [name, example] of Object.entries(named)) {
      if (memberAt(example, 'value') !== undefined)
        examples.push([[...path, 'examples', name, 'value'], schema]);
    }
  }
  for (const [key, value] of Object.entries(node)) {
    const below = [...path, Array.isArray(node) ? Number(key) : key];
    if (!endsInExample(below)) collect(value, below, schemas, examples);
  }
}

/** Whether the path leads to a schema. A key such as "items" says so, unless it is the name of a member. */
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

function operationFaults(operation: Contract['operations'][number]): string[] {
  return [compileRequest, compileAnswers].flatMap((compile) => {
    try {
      compile(operation);
      return [];
    } catch (error) {
      return messageOf(error).split('\n');
    }
  });
}

function exampleFault({ resolved, place, exactly }: WrittenContract, example: Path, at: Path): string[] {
  // `collect` has found a schema at this path.
  const schema = valueAt(resolved, at) as ContractSchema;
  const misfit = checkOf(schema, example.includes('responses') ? 'response' : 'request')?.(exactly(example));
  if (misfit === undefined) return [];
  const where = misfit.pointer === '' ? 'the example' : `${misfit.pointer.slice(1)} of the example`;
  return [`${place([...example, ...pathOf(misfit.pointer)])}: ${where} ${misfit.message}.`];
}

/** @returns undefined if the schema cannot be compiled, which `operationFaults` reports */
function checkOf(schema: ContractSchema, direction: 'request' | 'response') {
  try {
    return compileSchema(schema, direction);
  } catch {
    return undefined;
  }
}
