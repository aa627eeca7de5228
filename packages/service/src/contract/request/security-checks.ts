/**
 * Puts the checks of credentials together as an operation asks for them: all of a list, or one of several
 * lists.
 */
import type { onRequestHookHandler } from 'fastify';
import type { Requirement } from '../document/security.js';

/**
 * Makes the hooks that check the credentials of an operation.
 *
 * @param requirements alternatives, one of which the request must meet; if there are none, the operation is
 * public
 * @param checkOf the hook that checks a scheme
 * @returns hooks that throw what the checks throw. Of several alternatives that refuse the credentials, it is
 * the error of the first
 */
export function checksOf(
  requirements: readonly Requirement[],
  checkOf: (scheme: string) => onRequestHookHandler,
): onRequestHookHandler[] {
  const alternatives = requirements.map((schemes) => schemes.map(checkOf));
  const [only = [], ...others] = alternatives;
  return others.length === 0 ? only : [anyOf(alternatives)];
}

/**
 * Makes a hook that tries one alternative after the other. Wrong credentials are refused even if the
 * operation takes requests without any (RFC 6750, section 3.1). An error that is not a refusal, such as a
 * limit that is reached, ends the tries.
 */
function anyOf(alternatives: readonly (readonly onRequestHookHandler[])[]): onRequestHookHandler {
  const named = alternatives.filter((checks) => checks.length > 0);
  const admitsAnybody = named.length < alternatives.length;
  return function checkAlternatives(request, reply, done) {
    // All schemes that codegen admits here are schemes of HTTP, which use this header (RFC 9110, section
    // 11.6.2).
    if (admitsAnybody && request.headers.authorization === undefined) {
      done();
      return;
    }
    // A hook of Fastify ends by its promise, or by the callback.
    const run = (check: onRequestHookHandler) =>
      new Promise<void>((resolve, reject) => {
        const returned: unknown = check.call(this, request, reply, (error) =>
          error === undefined ? resolve() : reject(error),
        );
        if (returned instanceof Promise) returned.then(resolve, reject);
      });
    const tryAll = async () => {
      let refusal: unknown;
      for (const checks of named) {
        try {
          for (const check of checks) await run(check);
          return;
        } catch (error) {
          if (!isRefusal(error)) throw error;
          refusal ??= error;
          request.caller = undefined;
        }
      }
      throw refusal;
    };
    tryAll().then(() => done(), done);
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'statusCode' in error && error.statusCode === 401;
}
