import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  jwtVerify,
  type ProtectedHeaderParameters,
} from 'jose';
import { OverloadError } from '../errors/database.js';
import { reasonOf } from '../errors/reason.js';
import { InvalidTokenError, IssuerUnavailableError } from '../errors/tokens.js';
import { isOwner } from '../fairness/owner.js';
import type { Log } from '../log/log.js';
import { textForLog } from '../log/text.js';
import type { JwtSettings } from '../settings.js';
import { IssuerKeys } from './issuer-keys.js';
import type { LiveToken } from './token-store.js';

/** None is symmetric: HMAC would take a public key, which everybody has, for its secret. */
const algorithms = ['RS', 'PS', 'ES'].flatMap((kind) => [256, 384, 512].map((bits) => kind + bits));
algorithms.push('EdDSA', 'Ed25519');
/** RFC 9068, section 2.1; most issuers write JWT, or nothing. Others are refused (RFC 8725, section 3.11). */
const accessTypes: readonly unknown[] = ['at+jwt', 'application/at+jwt', 'jwt', undefined];
const clockSkewSeconds = 30;
/** Signatures that are being checked. Four threads of Node.js do that, and file and DNS requests share them. */
const defaultMaxChecks = 1_000;

type Limits = ConstructorParameters<typeof IssuerKeys>[2] & { readonly maxChecks?: number };

/** Owners as an identity provider names them. */
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

  close(): void {
    this.#keys.close();
  }

  /**
   * @throws {InvalidTokenError}
   * @throws {IssuerUnavailableError} if the issuer's keys are missing, or perhaps outdated
   * @throws {OverloadError} if too many tokens are being checked
   */
  async find(token: string): Promise<LiveToken> {
    const { exp = 0, ...claims } = await this.#verify(token).catch((error) => {
      if (error instanceof IssuerUnavailableError || error instanceof OverloadError) throw error;
      // Not the cause, which may quote the token.
      this.#log.debug({ reason: textForLog(reasonOf(error)) }, 'refused a JWT');
      throw new InvalidTokenError(faultOf(error));
    });
    const { ownerClaim } = this.#settings;
    const owner = Object.hasOwn(claims, ownerClaim) ? claims[ownerClaim] : undefined;
    if (!isOwner(owner)) throw new InvalidTokenError('The access token does not name an owner.');
    return { owner, remaining: (exp + clockSkewSeconds) * 1_000 - Date.now() };
  }

  /** Anybody can send forged tokens, so the signature, which costs most, comes last. */
  async #verify(token: string): Promise<JWTPayload> {
    const { issuer, audience } = this.#settings;
    const header = decodeProtectedHeader(token);
    refuseHeader(header);
    refuseClaims(decodeJwt(token), this.#settings);
    const key = await this.#keys.find(header);
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

function refuseHeader({ alg = '', typ }: ProtectedHeaderParameters): void {
  if (!algorithms.includes(alg)) throw new errors.JOSEAlgNotAllowed(`the alg ${alg} is not accepted`);
  if (!accessTypes.includes(typ?.toLowerCase())) {
    throw new errors.JWTInvalid(`the typ ${typ} is not of an access token`);
  }
}

/** Refuses early, and cheaply, what `jwtVerify` would refuse after the signature. It accepts nothing by itself. */
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

/** Says nothing of the token's content. */
function faultOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The access token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `The claim ${error.claim} of the access token is missing, or not accepted here.`;
  return 'The access token is malformed, or not signed by its issuer.';
}
