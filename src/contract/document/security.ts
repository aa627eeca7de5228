/** Reads which credentials an operation asks for. */
import type { OpenAPIV3 } from 'openapi-types';
import { ContractError } from '../../schema/contract-error.js';

/**
 * The names of the security schemes that a request must meet, all of them. An empty list admits everybody.
 */
export type Requirement = readonly string[];

type Schemes = NonNullable<OpenAPIV3.ComponentsObject['securitySchemes']>;

/**
 * @param written the `security` of the operation or of the document
 * @param schemes the security schemes of the document, by name
 * @param place where `security` stands in the YAML
 * @returns alternatives, one of which a request must meet; an empty list if the operation is public
 * @throws {ContractError} if this server cannot check a requirement
 */
export function requirementsOf(
  written: readonly OpenAPIV3.SecurityRequirementObject[],
  schemes: Schemes,
  place: string,
): readonly Requirement[] {
  if (written.some((requirement) => Object.values(requirement).some((scopes) => scopes.length > 0))) {
    throw new ContractError(`${place}: security scopes are not supported: leave the list of scopes empty.`);
  }
  const requirements = written.map((requirement) => Object.keys(requirement));
  const names = requirements.flat();
  if (names.length === 0) return [];
  const other = names.find((name) => {
    const scheme = schemes[name];
    return scheme === undefined || !('type' in scheme) || scheme.type !== 'http';
  });
  if (requirements.length > 1 && other !== undefined) {
    throw new ContractError(
      `${place}: alternatives are supported among schemes of "type: http" only, and "${other}" is none: keep one requirement.`,
    );
  }
  return requirements;
}
