import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { Log } from '../log.js';
import { reasonOf } from '../reason.js';
import type { JwtSettings } from '../settings.js';
import { IssuerKeys } from './issuer-keys.js';
import { isOwner } from './owner.js';
import { InvalidTokenError, IssuerUnavailableError } from './token-errors.js';
import type { LiveToken } from './token-store.js';

/** None is symmetric: HMAC would take a public key, which everybody has, for its secret. */
const algorithms = ['RS', 'PS', 'ES'].flatMap((kind) => [256, 384, 512].map((bits) => kind + bits));
algorithms.push('EdDSA', 'Ed25519');
/** RFC 9068, section 2.1; most issuers write JWT, or nothing. Others are refused (RFC 8725, section 3.11). */
const accessTypes: readonly unknown[] = ['at+jwt', 'application/at+jwt', 'jwt', undefined];
const clockSkewSeconds = 30;

/** Owners as an identity provider names them. */
export class JwtOwners {
  readonly #settings: JwtSettings;
  readonly #log: Pick<Log, 'debug'>;
  readonly #keys: IssuerKeys;

  constructor(settings: JwtSettings, log: Log, times: ConstructorParameters<typeof IssuerKeys>[2] = {}) {
    this.#settings = settings;
    this.#log = log;
    this.#keys = new IssuerKeys(settings, log, times);
  }

  close(): void {
    this.#keys.close();
  }

  /**
   * @throws {InvalidTokenError}
   * @throws {IssuerUnavailableError} if the issuer's keys are missing, or perhaps outdated
   */
  async find(token: string): Promise<LiveToken> {
    const { exp = 0, ...claims } = await this.#verify(token).catch((error) => {
      if (error instanceof IssuerUnavailableError) throw error;
      // Not the cause, which may quote the token.
      this.#log.debug({ reason: reasonOf(error) }, 'refused a JWT');
      throw new InvalidTokenError(faultOf(error));
    });
    const { ownerClaim } = this.#settings;
    const owner = Object.hasOwn(claims, ownerClaim) ? claims[ownerClaim] : undefined;
    if (!isOwner(owner)) throw new InvalidTokenError('The access token does not name an owner.');
    return { owner, remaining: (exp + clockSkewSeconds) * 1_000 - Date.now() };
  }

  async #verify(token: string): Promise<JWTPayload> {
    const { issuer, audience } = this.#settings;
    const { payload, protectedHeader } = await jwtVerify(token, this.#keys.find, {
      algorithms,
      issuer,
      audience,
      requiredClaims: ['exp'],
      clockTolerance: clockSkewSeconds,
    });
    if (accessTypes.includes(protectedHeader.typ?.toLowerCase())) return payload;
    throw new errors.JWTInvalid(`the typ ${protectedHeader.typ} is not of an access token`);
  }
}

/** Says nothing of the token's content. */
function faultOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The access token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `The claim ${error.claim} of the access token is missing, or not accepted here.`;
  return 'The access token is malformed, or not signed by its issuer.';
}
