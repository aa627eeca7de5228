import type { Contract } from '../document/document.js';
import type { Operation } from '../document/operations.js';
import { MethodNotAllowedError, UnknownPathError } from './request-errors.js';

type Operations = Pick<Contract, 'operations'>;

/**
 * The methods of the path that a URL has; none if it has no path. If several paths match, the most concrete
 * one wins, for every method (OpenAPI 3.0.3, "Path Templating Matching"): `GET /plants/count` beside
 * `DELETE /plants/{id}` makes `DELETE /plants/count` a 405.
 */
export function methodsIn({ operations }: Operations): (url: string) => string[] {
  const methods = new Map<string, string[]>();
  for (const { path, method } of operations) {
    methods.set(unnamed(path), [...(methods.get(unnamed(path)) ?? []), method]);
  }
  const patterns = [...methods.keys()]
    .sort(byConcreteness)
    .map((path) => ({ pattern: pattern(path), methods: methods.get(path) ?? [] }));
  return (url) => {
    // A target may be a whole URL (RFC 9112, section 3.2.2). The router has decoded it, so this cannot throw.
    const path = decodeURI(url.replace(/^https?:\/\/[^/]*/i, '').replace(/[?#].*$/s, ''));
    return patterns.find(({ pattern }) => pattern.test(path))?.methods ?? [];
  };
}

export type Refuse = (url: string) => never;

/**
 * Makes a function that refuses a request that no operation takes. It throws a MethodNotAllowedError if the
 * path has other methods, and an UnknownPathError if the contract has no such path.
 */
export function refusal(contract: Operations): Refuse {
  const methodsAt = methodsIn(contract);
  return (url) => {
    const allowed = methodsAt(url);
    if (allowed.length === 0) throw new UnknownPathError('There is nothing at this path.');
    throw new MethodNotAllowedError(allowed);
  };
}

/**
 * Methods that a path lacks and a less concrete path has, each with an operation of the first path. The
 * router compares the paths of one method only, and would call the other path's operation.
 */
export function methodsOfRivals({ operations }: Operations): [operation: Operation, method: string][] {
  const all = operations.map((operation) => ({ operation, path: unnamed(operation.path) }));
  const first = all.filter(({ path }, index) => all.findIndex((one) => one.path === path) === index);
  return first.flatMap(({ operation, path }) => {
    const methodsOf = (isWanted: (other: string) => boolean) =>
      all.filter((one) => isWanted(one.path)).map((one) => one.operation.method);
    const own = methodsOf((other) => other === path);
    const rivals = methodsOf((other) => haveCommonUrl(path, other) && byConcreteness(path, other) < 0);
    const methods = new Set(rivals.filter((method) => !own.includes(method)));
    return [...methods].map((method): [Operation, string] => [operation, method]);
  });
}

/** Paths that differ in the names of their parameters only are one path: `/plants/{id}` → `/plants/{}`. */
function unnamed(path: string): string {
  return path.replaceAll(/\{\w+\}/g, '{}');
}

function haveCommonUrl(path: string, other: string): boolean {
  const [segments, others] = [path.split('/'), other.split('/')];
  return (
    segments.length === others.length &&
    segments.every((segment, index) => {
      const rival = others[index] ?? '';
      return segment === rival || segment.includes('{') || rival.includes('{');
    })
  );
}

/** From the left, as the router does: a literal segment before a templated one, and a longer one first. */
function byConcreteness(path: string, other: string): number {
  const others = other.split('/');
  for (const [index, segment] of path.split('/').entries()) {
    const rival = others[index] ?? '';
    const difference =
      Number(segment.includes('{')) - Number(rival.includes('{')) || rival.length - segment.length;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The expression that URLs of a path match: `/plants/{}` → /^\/plants\/[^/]+$/ */
function pattern(path: string): RegExp {
  const literals = path.split('{}').map((literal) => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literals.join('[^/]+')}$`);
}
