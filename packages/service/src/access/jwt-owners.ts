/**
 * Verifies JWTs of an identity provider, and says who their owners are. Loaded only if `JWT_ISSUER` is set.
 *
 * A JWT says by itself who signed it, with which algorithm and which key. A service that believed that could
 * be led to take a forged one: `alg: none` has no signature, `alg: HS256` would take the issuer's public key
 * for a secret, and a token for another service of the same issuer has a good signature, too. And anybody can
 * send forged tokens, whose signatures cost processor time on the four threads that file and DNS requests
 * need as well.
 *
 * So `find` goes from the cheap checks to the costly ones, and stops at the first that fails:
 *
 * 1. The header must have one of `algorithms`, and a `typ` of an access token.
 * 2. The claims must name the issuer, this service as audience, and a time of expiry that has not passed.
 *    Nothing is accepted here: a wrong token is only refused early, so that it is a 401 even while the issuer
 *    cannot be asked for its key.
 * 3. The key is found by its `kid` (issuer-keys.ts). An unknown one can wait for a fetch of the issuer's
 *    keys.
 * 4. `jwtVerify` checks the signature, and all claims again. At most 1,000 signatures are checked at the same
 *    time; one more is a 503.
 * 5. The claim `JWT_OWNER_CLAIM`, by default `sub`, is the owner.
 *
 * For example, a token that expired 31 seconds ago is refused in step 2, without a signature. One that
 * expired 29 seconds ago is taken, because clocks may differ by 30 seconds.
 *
 * The cost: a revoked JWT is good until it expires, because nobody asks the issuer about a token.
 */
import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  jwtVerify,
  type ProtectedHeaderParameters,
} from 'jose';
import { OverloadError } from '../errors/overloads.js';
import { reasonOf } from '../errors/reason.js';
import { InvalidTokenError } from '../errors/tokens.js';
import { ServiceUnavailableError } from '../errors/unavailable.js';
import { isOwner } from '../identity/owner.js';
import type { Log } from '../log/log.js';
import { textForLog } from '../log/text.js';
import type { JwtSettings } from '../settings.js';
import { IssuerKeys } from './issuer-keys.js';
import type { LiveToken } from './token-store.js';

/** None of them is symmetric: HMAC would take a public key, which everybody has, for its secret. */
const algorithms = ['RS', 'PS', 'ES'].flatMap((kind) => [256, 384, 512].map((bits) => kind + bits));
algorithms.push('EdDSA', 'Ed25519');
/**
 * The values of `typ` that an access token may have: that of RFC 9068, section 2.1, or JWT or none, as most
 * issuers write. Tokens for other purposes have other ones, and are refused (RFC 8725, section 3.11).
 */
const accessTypes: readonly unknown[] = ['at+jwt', 'application/at+jwt', 'jwt', undefined];
const clockSkewSeconds = 30;
/**
 * How many signatures may be checked at the same time. Four threads do that, which file and DNS requests
 * share.
 */
const defaultMaxChecks = 1_000;

type Limits = ConstructorParameters<typeof IssuerKeys>[2] & { readonly maxChecks?: number };

export class JwtOwners {
  readonly #settings: JwtSettings;
  readonly #log: Pick<Log, 'debug'>;
  readonly #keys: IssuerKeys;
  readonly #maxChecks: number;
  #checks = 0;

  constructor(settings: JwtSettings, log: Log, { maxChecks = defaultMaxChecks, ...limits }: Limits = {}) {
    this.#settings = settings;
    this.#log = log;
    this.#keys = new IssuerKeys(settings, log, limits);
    this.#maxChecks = maxChecks;
  }

  /** Milliseconds since the fetch that brought the issuer's keys; infinite as long as none has succeeded. */
  get keysAgeMs(): number {
    return this.#keys.ageMs;
  }

  /** Ends the regular fetches of the issuer's keys. */
  close(): void {
    this.#keys.close();
  }

  /**
   * Verifies a JWT.
   *
   * @param arrivedAt when its request arrived, in milliseconds of performance.now(). If left out, now
   * @returns the owner, and for how long the token is good
   * @throws {InvalidTokenError} if the token is forged, expired, for another service, or names no owner
   * @throws {IssuerUnavailableError} if the issuer's keys are missing, or perhaps outdated
   * @throws {OverloadError} if too many tokens are being checked, or wait for unknown keys
   */
  async find(token: string, arrivedAt?: number): Promise<LiveToken> {
    const { exp = 0, ...claims } = await this.#verify(token, arrivedAt).catch((error) => {
      if (error instanceof ServiceUnavailableError) throw error;
      // The log gets the reason, and not the error, which may quote the token.
      this.#log.debug({ reason: textForLog(reasonOf(error)) }, 'refused a JWT');
      throw new InvalidTokenError(faultOf(error));
    });
    const { ownerClaim } = this.#settings;
    const owner = Object.hasOwn(claims, ownerClaim) ? claims[ownerClaim] : undefined;
    if (!isOwner(owner)) throw new InvalidTokenError('The access token does not name an owner.');
    return { owner, remainingMs: (exp + clockSkewSeconds) * 1_000 - Date.now() };
  }

  /** @throws {Error} of the package jose, if the token is not good, and what `IssuerKeys.find` throws */
  async #verify(token: string, arrivedAt?: number): Promise<JWTPayload> {
    const { issuer, audience } = this.#settings;
    const header = decodeProtectedHeader(token);
    refuseHeader(header);
    refuseClaims(decodeJwt(token), this.#settings);
    const key = await this.#keys.find(header, arrivedAt);
    if (this.#checks === this.#maxChecks) {
      throw new OverloadError('JWTs', `${this.#checks} signatures of access tokens are being checked`);
    }
    this.#checks++;
    try {
      const options = {
        algorithms,
        issuer,
        audience,
        requiredClaims: ['exp'],
        clockTolerance: clockSkewSeconds,
      };
      return (await jwtVerify(token, key, options)).payload;
    } finally {
      this.#checks--;
    }
  }
}

/** @throws {errors.JOSEError} if the algorithm is not accepted, or the token is not an access token */
function refuseHeader({ alg = '', typ }: ProtectedHeaderParameters): void {
  if (!algorithms.includes(alg)) throw new errors.JOSEAlgNotAllowed(`the alg ${alg} is not accepted`);
  if (!accessTypes.includes(typ?.toLowerCase())) {
    throw new errors.JWTInvalid(`the typ ${typ} is not of an access token`);
  }
}

/**
 * Refuses early, and cheaply, what `jwtVerify` would refuse after the signature. It accepts nothing by
 * itself.
 *
 * @throws {errors.JOSEError} if a claim is missing or not accepted
 */
function refuseClaims(claims: JWTPayload, { issuer, audience }: JwtSettings): void {
  const { iss, aud, exp, nbf } = claims;
  const now = Math.floor(Date.now() / 1_000);
  if (typeof exp === 'number' && exp <= now - clockSkewSeconds) {
    throw new errors.JWTExpired('it has expired', claims, 'exp');
  }
  const fits = {
    iss: iss === issuer,
    aud: [aud].flat().includes(audience),
    exp: typeof exp === 'number',
    nbf: nbf === undefined || nbf <= now + clockSkewSeconds,
  };
  const [wrong] = Object.entries(fits).find(([, isRight]) => !isRight) ?? [];
  if (wrong !== undefined) throw new errors.JWTClaimValidationFailed(`wrong ${wrong}`, claims, wrong);
}

/** @returns a sentence for the client. It says nothing of the token's content. */
function faultOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The access token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `The claim ${error.claim} of the access token is missing, or not accepted here.`;
  return 'The access token is malformed, or not signed by its issuer.';
}
