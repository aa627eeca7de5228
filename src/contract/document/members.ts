/**
 * Finds the members of a schema under `components`, for the table that stores them: `allOf` may spread them
 * over several schemas.
 */
import type { OpenAPIV3 } from 'openapi-types';
import { ContractError } from '../../schema/contract-error.js';
import { type Path, pathOfReference, valueAt } from '../../schema/json-pointer.js';
import type { ContractSchema } from '../../schema/schema.js';
import type { Contract } from '../contract.js';

/** A member of a schema. */
export interface Member {
  readonly name: string;
  /** The schema, with its references resolved. */
  readonly schema: ContractSchema;
  readonly required: boolean;
  /** Where its schema stands in the YAML. */
  readonly place: string;
}

type Document = Pick<Contract, 'document' | 'resolved' | 'place'>;

/**
 * @param name the name of a schema under `components`
 * @returns its members, those of its `allOf` included
 * @throws {ContractError} if there is no such schema, or if it allows unnamed members
 */
export function membersOf(contract: Document, name: string): Member[] {
  const path = ['components', 'schemas', name];
  if (contract.document.components?.schemas?.[name] === undefined) {
    throw new ContractError(
      `${contract.place(path)}: there is no schema ${name}, which a table is made for: add it, or correct the "schema" of the table.`,
    );
  }
  const parts = partsAt(contract.document, path);
  for (const [schema, at] of parts) {
    const open = (['additionalProperties', 'anyOf', 'oneOf'] as const).find((keyword) => schema[keyword]);
    if (open === undefined) continue;
    const sentence = `"${open}" lets a ${name} have members that its table has no column for: name each member.`;
    throw new ContractError(`${contract.place([...at, open])}: ${sentence}`);
  }
  const required = new Set(parts.flatMap(([schema]) => schema['required'] ?? []));
  const members = new Map<string, Member>();
  for (const [{ properties = {} }, at] of parts) {
    for (const member of Object.keys(properties)) {
      const before = members.get(member)?.schema;
      const written = [...at, 'properties', member];
      const schema = schemaAt(contract.resolved, written);
      members.set(member, {
        name: member,
        schema: before === undefined ? schema : { allOf: [before, schema] },
        required: required.has(member),
        place: contract.place(followed(contract.document, written)[1]),
      });
    }
  }
  return [...members.values()];
}

function partsAt(document: OpenAPIV3.Document, written: Path): [schema: ContractSchema, path: Path][] {
  const [schema, path] = followed(document, written);
  const { allOf = [] } = schema;
  return [[schema, path], ...allOf.flatMap((_, index) => partsAt(document, [...path, 'allOf', index]))];
}

/** Follows references, each of which leads somewhere in a valid document. */
function followed(document: OpenAPIV3.Document, path: Path): [schema: ContractSchema, path: Path] {
  const schema = schemaAt(document, path);
  const { $ref } = schema;
  if (typeof $ref !== 'string') return [schema, path];
  return followed(document, pathOfReference($ref));
}

function schemaAt(document: OpenAPIV3.Document, path: Path): ContractSchema {
  // A path from `membersOf` leads to a schema or to a reference, which the type's index signature admits.
  return valueAt(document, path) as ContractSchema;
}
