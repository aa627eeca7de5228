/**
 * Describes a mutation, which is a change that makes a good request a wrong one (mutations.ts), and makes the
 * bodies that mutations need.
 */

import type { Path } from '../../../../exact-json/index.js';
import type { RuleName } from '../../document/rule-table.js';
import { isObject, readJson, writeJson } from '../../values/json.js';
import type { RefusalKind } from '../answers/expectations.js';
import type { Request } from '../requests/request.js';

export interface Mutation {
  /** The mistake, in words that continue "a request that has". */
  readonly what: string;
  /** The case in a few words, for the finding. */
  readonly why: string;
  /** The kind of refusal that is right. */
  readonly refusal: RefusalKind;
  /** The place in the YAML that the request breaks. */
  readonly path: Path;
  /** The rule beyond OpenAPI and HTTP that the request breaks, if it is one. */
  readonly by?: RuleName | undefined;
  change(request: Request): Request;
}

export function withBody(request: Request, body: Buffer): Request {
  return { ...request, body };
}

/**
 * Adds white space up to a size in bytes. It has no meaning (RFC 8259, section 2), so only the size changes.
 */
export function paddedTo(request: Request, bytes: number): Request {
  const body = request.body ?? Buffer.alloc(0);
  return withBody(request, Buffer.concat([body, Buffer.alloc(Math.max(0, bytes - body.length), ' ')]));
}

/**
 * Adds a member that no schema names, so deep that the whole body has `depth` levels.
 *
 * @param open the beginning of each level, such as `[` or `{"a":`
 * @param close its end
 * @throws {NotJsonError} if the request has a body that is not JSON
 */
export function nestedTo(request: Request, depth: number, open: string, close: string): Request {
  const levels = depth - 1;
  const inner = open === '[' ? '' : '0';
  const body = readJson(request.body ?? Buffer.from('{}'));
  const text = writeJson(isObject(body) ? body : {});
  const nested = `${open.repeat(levels)}${inner}${close.repeat(levels)}`;
  return withBody(
    request,
    Buffer.from(`${text.slice(0, -1)}${text === '{}' ? '' : ','}"unknown":${nested}}`),
  );
}
