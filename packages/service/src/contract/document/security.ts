/** Reads which credentials an operation asks for. */
import { ContractError, type Node } from '../../../../exact-json/index.js';

/**
 * The names of the security schemes that a request must meet, all of them. An empty list admits everybody.
 */
export type Requirement = readonly string[];

/**
 * @param written the `security` of the operation or of the document; undefined if there is none
 * @param schemes the security schemes of the document, by name
 * @param place where the operation's `security` stands in the YAML
 * @returns alternatives, one of which a request must meet; an empty list if the operation is public
 * @throws {ContractError} if this server cannot check a requirement
 */
export function requirementsOf(
  written: Node | undefined,
  schemes: Node | undefined,
  place: string,
): readonly Requirement[] {
  const requirements = (written?.members() ?? []).map(([, requirement]) => requirement.members());
  if (requirements.flat().some(([, scopes]) => scopes.members().length > 0)) {
    throw new ContractError(`${place}: security scopes are not supported: leave the list of scopes empty.`);
  }
  const alternatives = requirements.map((requirement) => requirement.map(([name]) => name));
  const names = alternatives.flat();
  if (names.length === 0) return [];
  const other = names.find((name) => schemes?.at(name)?.text('type') !== 'http');
  if (alternatives.length > 1 && other !== undefined) {
    throw new ContractError(
      `${place}: alternatives are supported among schemes of "type: http" only, and "${other}" is none: keep one requirement.`,
    );
  }
  return alternatives;
}
