import type { onRequestHookHandler } from 'fastify';
import type { OpenAPIV3 } from 'openapi-types';
import { ContractError } from './contract-error.js';

/** All of these schemes. An empty list admits everybody. */
export type Requirement = readonly string[];

type Schemes = NonNullable<OpenAPIV3.ComponentsObject['securitySchemes']>;

/** @throws {ContractError} if this server cannot check a requirement */
export function requirementsOf(
  written: readonly OpenAPIV3.SecurityRequirementObject[],
  schemes: Schemes,
  place: string,
): readonly Requirement[] {
  if (written.some((requirement) => Object.values(requirement).some((scopes) => scopes.length > 0))) {
    throw new ContractError(`${place}: security scopes are not supported.`);
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

export function checksOf(
  requirements: readonly Requirement[],
  checkOf: (scheme: string) => onRequestHookHandler,
): onRequestHookHandler[] {
  const alternatives = requirements.map((schemes) => schemes.map(checkOf));
  const [only = [], ...others] = alternatives;
  return others.length === 0 ? only : [anyOf(alternatives)];
}

/** Refuses wrong credentials, even if anonymous callers are admitted (RFC 6750, section 3.1). */
function anyOf(alternatives: readonly (readonly onRequestHookHandler[])[]): onRequestHookHandler {
  const named = alternatives.filter((checks) => checks.length > 0);
  const admitsAnybody = named.length < alternatives.length;
  return function checkAlternatives(request, reply, done) {
    // All HTTP schemes use this header (RFC 9110, section 11.6.2).
    if (admitsAnybody && request.headers.authorization === undefined) {
      done();
      return;
    }
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
