/**
 * Finds the members of a schema under `components`, for the table that stores them: `allOf` may spread them
 * over several schemas.
 */
import { ContractError, type Node } from '../../../../exact-json/index.js';
import type { ContractSchema } from '../../schema/schema.js';
import { schemaReader } from '../../schema/schema-reader.js';
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

/** These let a value have members that `properties` does not name. */
const open = [
  'additionalProperties',
  'patternProperties',
  'unevaluatedProperties',
  'anyOf',
  'oneOf',
  'if',
  'dependentSchemas',
] as const;

/**
 * @param name the name of a schema under `components`
 * @returns its members, those of its `allOf` included
 * @throws {ContractError} if there is no such schema, or if it allows unnamed members
 */
export function membersOf({ root, place }: Pick<Contract, 'root' | 'place'>, name: string): Member[] {
  const path = ['components', 'schemas', name];
  const top = root.at(...path);
  if (top === undefined) {
    throw new ContractError(
      `${place(path)}: there is no schema ${name}, which a table is made for: add it, or correct the "schema" of the table.`,
    );
  }
  const schemaOf = schemaReader();
  const parts = partsAt(top);
  for (const part of parts) {
    const keyword = open.find((one) => (part.at(one)?.value ?? false) !== false);
    if (keyword === undefined) continue;
    const sentence = `"${keyword}" lets a ${name} have members that its table has no column for: name each member.`;
    throw new ContractError(`${place([...part.path, keyword])}: ${sentence}`);
  }
  const required = new Set(parts.flatMap((part) => part.list('required').map(({ value }) => value)));
  const members = new Map<string, Member>();
  for (const [member, node] of parts.flatMap((part) => part.at('properties')?.members() ?? [])) {
    const before = members.get(member)?.schema;
    const schema = schemaOf(node);
    members.set(member, {
      name: member,
      schema: before === undefined ? schema : { allOf: [before, schema] },
      required: required.has(member),
      place: node.place,
    });
  }
  return [...members.values()];
}

function partsAt(schema: Node): Node[] {
  return [schema, ...schema.list('allOf').flatMap(partsAt)];
}
