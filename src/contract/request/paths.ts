import type { Contract } from '../document/document.js';
import { MethodNotAllowedError, UnknownPathError } from './request-errors.js';

export function methodsIn({ operations }: Pick<Contract, 'operations'>): (url: string) => string[] {
  const patterns = operations.map(({ path, method }) => ({ pattern: pattern(path), method }));
  return (url) => {
    // A target may be a whole URL (RFC 9112, section 3.2.2). The router has decoded it, so this cannot throw.
    const path = decodeURI(url.replace(/^https?:\/\/[^/]*/i, '').replace(/[?#].*$/s, ''));
    return [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
  };
}

export type Refuse = (url: string) => never;

/**
 * @throws {MethodNotAllowedError} if the path has other methods
 * @throws {UnknownPathError}
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
