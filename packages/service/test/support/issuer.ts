/** Plays an identity provider: its metadata and keys over HTTP, and the JWTs that it signs. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose';
import type { Test } from 'tap';
import { portOf } from '../../../contract-tools/base.js';
import type { JwtSettings } from '../../src/settings.js';

interface Key {
  readonly kid: string;
  readonly alg: string;
  readonly publicKey: CryptoKey;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

/** An identity provider on a port of its own, with metadata, keys and tokens. */
export class Issuer {
  readonly #server: Server = createServer(async (request, response) => {
    const path = String(request.url);
    this.asked.push(path);
    await this.held;
    const answer = this.answers.get(path);
    if (this.isSilent) return;
    response.setHeader('content-type', 'application/json');
    if (Buffer.isBuffer(answer)) response.setHeader('content-encoding', 'gzip').end(answer);
    else response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
  });
  /**
   * What it answers with 200, by path: JSON, or a Buffer of gzip, which is sent as it is. Any other path gets
   * 404.
   */
  readonly answers = new Map<string, unknown>();
  /** The paths of all requests. */
  readonly asked: string[] = [];
  /** Requests that arrive while this is pending are answered when it is resolved. */
  held: Promise<void> | undefined;
  /** Whether it takes requests and never answers them. */
  isSilent = false;
  #port = 0;
  #keys: Key[] = [];

  /** Begins to listen; after `stop`, on the same port as before. */
  async start(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = portOf(this.#server);
    const { issuer } = this.settings;
    this.answers.set('/.well-known/openid-configuration', { issuer, jwks_uri: `${issuer}/keys` });
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** The settings of a service that trusts this issuer. */
  get settings(): JwtSettings {
    return {
      issuer: `http://127.0.0.1:${this.#port}`,
      audience: 'https://plants.example',
      ownerClaim: 'sub',
      jwksUrl: undefined,
    };
  }

  /** Answers /keys with these keys, and no others. Tokens are signed with the first one. */
  publish(...keys: readonly Key[]): void {
    this.#keys = [...keys];
    this.answers.set('/keys', { keys: keys.map(({ jwk }) => jwk) });
  }

  /**
   * Signs a token that the service accepts for an hour, unless the claims say something else.
   *
   * @param claims replace or add to the usual ones; a claim that is undefined is left out
   * @param by signs; by default the first of the published keys
   * @throws {Error} if there is no key
   */
  async sign(claims: JWTPayload = {}, header: Partial<JWTHeaderParameters> = {}, by?: Key): Promise<string> {
    const key = by ?? this.#keys[0];
    if (key === undefined) throw new Error('The issuer has no key.');
    const { issuer: iss, audience: aud } = this.settings;
    const payload = { iss, aud, sub: 'ada', exp: inSeconds(3_600), ...claims };
    const { alg, kid, privateKey } = key;
    return new SignJWT(payload).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
  }
}

let made = 0;

export async function makeKey(alg = 'ES256', kid = `key-${++made}`): Promise<Key> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, publicKey, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** Returns the time in `seconds` seconds, as a claim such as `exp` has it: in seconds since 1970. */
export function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1_000) + seconds;
}

/** Starts an issuer with one key. It stops when the test ends. */
export async function startIssuer(t: Pick<Test, 'teardown'>): Promise<Issuer> {
  const issuer = new Issuer();
  t.teardown(() => issuer.stop());
  await issuer.start();
  issuer.publish(await makeKey());
  return issuer;
}
