/**
 * Makes variants of mutations, which are changes that make a good request a wrong one (mutations.ts), and the bodies that
 * they need.
 */

import type { Path } from '../../../../exact-json/index.js';
import type { Operation } from '../../document/operations.js';
import { isObject, readJson, writeJson } from '../../values/json.js';
import { type RefusalKind, refused } from '../answers/expectations.js';
import type { Request } from '../requests/request.js';
import type { Variant } from './variants.js';

/** A mistake that several mutations of an operation's requests have in common. */
interface Mistake {
  /** The mistake, in words that continue "a request that has". */
  readonly what: string;
  /** The kind of refusal that is right. */
  readonly refusal: RefusalKind;
  /** The place in the YAML that the request breaks. */
  readonly path: Path;
}

export interface Mutation extends Variant {
  readonly description: string;
}

export function mutated(
  operation: Operation,
  { what, refusal, path }: Mistake,
  ways: readonly Pick<Mutation, 'description' | 'change' | 'by' | 'others'>[],
): Mutation[] {
  const expectation = refused(operation, refusal, `has ${what}`, path);
  return ways.map((way) => ({ operation, title: `refuses ${what}`, expectation, ...way }));
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
