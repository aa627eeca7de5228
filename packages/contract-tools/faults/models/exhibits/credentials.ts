/** Who is calling: HTTP Basic (RFC 7617), and tokens of kiosks (RFC 6750) for the operations that take them. */
import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../plain/problem.js';
import type { Store } from './store.js';

export interface Museum {
  readonly user: string;
  /** It may have colons: only the user must not. */
  readonly password: string;
  /** The token of its kiosks. */
  readonly kiosk: string;
}

const kioskOperations = ['listExhibits', 'getExhibit'];

/** @returns the user of the museum; "" for nobody, with a fault. @throws {Problem} with 401 */
export function ownerOf(
  { authorization = '' }: IncomingHttpHeaders,
  operation: string,
  museums: readonly Museum[],
  store: Store,
): string {
  const [, scheme = '', given = ''] = /^(\S+) +(\S+)$/.exec(authorization) ?? [];
  const isBasic = store.has('the word Basic must be written so')
    ? scheme === 'Basic'
    : scheme.toLowerCase() === 'basic';
  const museum = isBasic
    ? withPassword(given, museums, store)
    : scheme.toLowerCase() === 'bearer' && mayShowToken(operation, store)
      ? withToken(given, museums, store)
      : undefined;
  if (museum !== undefined) return museum.user;
  if (operation === 'removeExhibit' && store.has('removing an exhibit needs no credentials')) return '';
  throw new Problem(401, 'Send the user and password of a museum.', challengeOf(store));
}

function withPassword(given: string, museums: readonly Museum[], store: Store): Museum | undefined {
  const decoded = Buffer.from(given, 'base64').toString();
  const colon = decoded.indexOf(':');
  const user = decoded.slice(0, colon);
  const password = decoded.slice(colon + 1);
  const isRight = (right: string): boolean =>
    right === password ||
    store.has('the password may be any') ||
    (store.has('the password ends at its first colon') && right.split(':')[0] === password.split(':')[0]);
  return museums.find((one) => colon > 0 && one.user === user && isRight(one.password));
}

function mayShowToken(operation: string, store: Store): boolean {
  return (
    kioskOperations.includes(operation) ||
    (operation === 'changeExhibit' && store.has('a kiosk may change exhibits'))
  );
}

function withToken(token: string, museums: readonly Museum[], store: Store): Museum | undefined {
  if (store.has('the token of a kiosk is refused')) return undefined;
  if (store.has('any token is that of a kiosk')) return museums[0];
  return museums.find(({ kiosk }) => kiosk === token);
}

function challengeOf(store: Store): Record<string, string> {
  if (store.has('the 401 has no challenge')) return {};
  const challenge = store.has('the challenge is that of bearer tokens')
    ? 'Bearer realm="exhibits"'
    : 'Basic realm="exhibits", charset="UTF-8"';
  return { 'www-authenticate': challenge };
}
