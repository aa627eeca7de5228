import type { Contract } from './document.js';
import { MethodNotAllowedError, UnknownPathError } from './request-errors.js';

/** Makes the function that returns the methods at the path of a URL; none for an unknown path. */
export function methodsIn({ operations }: Pick<Contract, 'operations'>): (url: string) => string[] {
  const patterns = operations.map(({ path, method }) => ({ pattern: pattern(path), method }));
  return (url) => {
    // A request target may be a whole URL (RFC 9112, section 3.2.2). The router has already decoded it.
    const path = decodeURI(url.replace(/^https?:\/\/[^/]*/i, '').replace(/[?#].*$/s, ''));
    return [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
  };
}

/** Throws because the contract has no such path, or has it with other methods. */
export type Refuse = (url: string) => never;

/**
 * @throws {MethodNotAllowedError} if the contract has the path with other methods; HEAD is never one of them
 * @throws {UnknownPathError} if it has no such path
 */
export function refusal(contract: Pick<Contract, 'operations'>): Refuse {
  const methodsAt = methodsIn(contract);
  return (url) => {
    const allowed = methodsAt(url);
    if (allowed.length === 0) throw new UnknownPathError('There is nothing at this path.');
    throw new MethodNotAllowedError(allowed);
  };
}

/** `/plants/{id}` → /^\/plants\/[^/]+$/ */
function pattern(path: string): RegExp {
  const literals = path.split(/\{\w+\}/).map((literal) => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literals.join('[^/]+')}$`);
}
