/**
 * Follows what an answer points to: a Location, or a link in its body. A link says where something is, and the
 * document says which operation is there, so that its answer can be judged.
 */
import type { Operation } from '../../document/operations.js';
import { plainRequest } from './plain-request.js';
import type { RequestValues } from './request-values.js';

/** An operation with the path at which a link has found it. */
export interface Linked {
  readonly operation: Operation;
  readonly path: RequestValues['path'];
  /** The path and query of the request, as the link has them. */
  readonly target: string;
}

/**
 * RFC 3986, section 5: a link may be relative. Requests go below the path of `--url`.
 *
 * @param url that of `--url`
 * @param from the target of the request whose answer has the link
 * @returns the path and query of the link; undefined if it is no URL
 */
export function targetOf(url: URL, from: string, link: string): string | undefined {
  const below = url.pathname.replace(/\/$/, '');
  const base = new URL(below + from, url);
  if (!URL.canParse(link, base.href)) return undefined;
  const { pathname, search } = new URL(link, base);
  return (pathname.startsWith(`${below}/`) ? pathname.slice(below.length) : pathname) + search;
}

/** Whether a link leads to another server. Behind a proxy, a server may know itself by another name. */
export function leadsElsewhere(url: URL, link: string): boolean {
  return URL.canParse(link, url.href) && new URL(link, url).origin !== url.origin;
}

/** @returns the GET operation at a target; of several, the one with the most fixed segments */
export function getAt(operations: readonly Operation[], target: string): Linked | undefined {
  const [path = ''] = target.split('?');
  const segments = path.split('/');
  const found = operations.flatMap((operation) => {
    if (operation.method !== 'GET') return [];
    const names = operation.path.split('/');
    if (names.length !== segments.length) return [];
    const values: Record<string, string> = {};
    for (const [index, name] of names.entries()) {
      const segment = decoded(segments[index] ?? '');
      const parameter = /^\{([^{}]+)\}$/.exec(name)?.[1];
      if (segment === undefined || segment === '') {
        if (name !== '') return [];
      } else if (parameter !== undefined) values[parameter] = segment;
      else if (segment !== name) return [];
    }
    return [{ operation, path: values, target }];
  });
  const parameters = ({ path: values }: Linked): number => Object.keys(values).length;
  return found.sort((a, b) => parameters(a) - parameters(b))[0];
}

/** @returns undefined if it is not the percent-encoding of UTF-8 */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** The plainest values of a request that goes where a link leads. */
export function valuesAt({ operation, path }: Linked): RequestValues {
  const plain = plainRequest(operation);
  return { ...plain, path: { ...plain.path, ...path } };
}
