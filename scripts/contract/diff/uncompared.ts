/**
 * Names the keywords of OpenAPI 3.1 and 3.2 that the comparison does not know yet. If it passed over them, a
 * change of one would be "No changes", and consumers would break. So a document with one of them is refused,
 * with its place.
 */
import { ContractError } from '../../../src/schema/contract-error.js';
import { isMap, type Kind, walk } from '../document/grammar.js';
import type { ApiDocument } from '../document/read-document.js';

const uncompared: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  schema: [
    ...['contains', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas'],
    ...['patternProperties', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties'],
    ...['contentMediaType', 'contentSchema'],
  ],
  mediaType: ['itemSchema', 'itemEncoding', 'prefixEncoding'],
};

/** @throws {ContractError} if the document has a keyword that is not compared */
export function refuseUncompared({ root, place }: ApiDocument): void {
  const faults = [...walk(root.value)].flatMap(({ kind, path, value }) =>
    (uncompared[kind] ?? [])
      .filter((keyword) => isMap(value) && Object.hasOwn(value, keyword))
      .map(
        (keyword) =>
          `${place([...path, keyword])}: "${keyword}" is not compared yet: compare documents without it.`,
      ),
  );
  if (faults.length > 0) throw new ContractError(faults);
}
