import type { OpenAPIV3 } from 'openapi-types';
import { type Contract, ContractError, type Path } from './document.js';
import type { ContractSchema } from './schema.js';

/** A member of an object that the contract describes, for whoever has to hold its values. */
export interface Member {
  readonly name: string;
  readonly schema: ContractSchema;
  readonly required: boolean;
  /** Where it stands in the file. */
  readonly place: string;
}

/**
 * The members of the schema of this name under components, its `allOf` included.
 *
 * @throws {ContractError} where there is no such schema
 */
export function membersOf(contract: Pick<Contract, 'document' | 'place'>, name: string): Member[] {
  const path = ['components', 'schemas', name];
  if (contract.document.components?.schemas?.[name] === undefined) {
    throw new ContractError(
      `${contract.place(path)}: there is no schema ${name}, which a table is made for.`,
    );
  }
  return membersAt(contract, path);
}

function membersAt(contract: Pick<Contract, 'document' | 'place'>, written: Path): Member[] {
  const [schema, path] = followed(contract.document, written);
  const { properties = {}, allOf = [], required = [] } = schema;
  const own = Object.keys(properties).map((name) => {
    const at = [...path, 'properties', name];
    return {
      name,
      schema: followed(contract.document, at)[0],
      required: Array.isArray(required) && required.includes(name),
      place: contract.place(at),
    };
  });
  return [...own, ...allOf.flatMap((_, index) => membersAt(contract, [...path, 'allOf', index]))];
}

/** The schema at the path, its references followed, and where it stands then. The document is valid: they lead somewhere. */
function followed(document: OpenAPIV3.Document, path: Path): [schema: ContractSchema, path: Path] {
  // By its path it is a schema; the index signature of ContractSchema knows `$ref`.
  const schema = path.reduce<unknown>(
    (node, key) => (node as Record<string, unknown>)[key],
    document,
  ) as ContractSchema;
  const { $ref } = schema;
  if (typeof $ref !== 'string') return [schema, path];
  return followed(
    document,
    $ref
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')),
  );
}
