/**
 * Finds the documented answers with an int64. The types of `npm run pack:contract` say `bigint` for it, but
 * `readJson` and `JSON.parse` make a number of a small one, so the lint and the pack refuse them.
 */
import type { Operation } from '../../src/contract/document/operations.js';
import type { ContractSchema } from '../../src/schema/schema.js';
import { schemasWithin } from '../../src/schema/subschemas.js';

export const roundedAnswer = 'the client of the package cannot read an int64 in an answer as its type says.';

/** @returns each answer by its operationId and its place, such as `openapi/plants.yaml:12:3` */
export function roundedAnswers(operations: readonly Operation[]): { operation: string; place: string }[] {
  return operations.flatMap(({ id, responses }) =>
    Array.from(responses.values())
      .filter(({ content }) => content !== undefined && holdsInt64(content.schema))
      .map(({ place }) => ({ operation: id, place })),
  );
}

function holdsInt64(schema: ContractSchema, seen = new Set<ContractSchema>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  return schema.format === 'int64' || [...schemasWithin(schema)].some(({ part }) => holdsInt64(part, seen));
}
