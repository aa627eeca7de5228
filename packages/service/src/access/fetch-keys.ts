/**
 * Asks the identity provider for the public keys with which its JWTs are checked. Whoever can change the
 * answer can make tokens. So only the address that JWT_JWKS_URL or the issuer's metadata name is asked, over
 * http or https, without redirects, within a time and a size.
 */
import type { JSONWebKeySet } from 'jose';
import { reasonForPeople } from '../errors/reason.js';
import { StartError } from '../errors/start.js';
import { textForLog } from '../log/text.js';
import type { JwtSettings } from '../settings.js';

/**
 * How many bytes an answer may have. They are counted after decompression, because 150 KB of gzip can become
 * 150 MiB. A set of keys has a few KiB.
 */
const maxBytes = 2 ** 20;

/** The issuer does not answer, or not with keys. At the start, its message is all that is said. */
class IssuerError extends StartError {
  override readonly name = 'IssuerError';
}

/**
 * Fetches the keys of the issuer: from JWT_JWKS_URL, or from where the issuer's metadata say.
 *
 * @param timeoutMs the time for the metadata and the keys together
 * @throws {IssuerError} if the issuer does not answer in time, or answers with something else or with more
 * than 1 MiB
 */
export async function fetchKeys({ issuer, jwksUrl }: JwtSettings, timeoutMs = 5_000): Promise<JSONWebKeySet> {
  const signal = AbortSignal.timeout(timeoutMs);
  const url = jwksUrl ?? (await discover(issuer, signal));
  const set = await fetchObject(url, signal);
  if (Array.isArray(set['keys'])) return { keys: set['keys'] };
  throw new IssuerError(`${url} is not a set of keys (RFC 7517): correct JWT_JWKS_URL or JWT_ISSUER.`);
}

/** Asks the issuer's metadata for the URL of its keys (OpenID Connect Discovery 1.0, section 4). */
async function discover(issuer: string, signal: AbortSignal): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { issuer: named, jwks_uri: keys } = await fetchObject(url, signal);
  if (named !== issuer) {
    const name = textForLog(String(named));
    throw new IssuerError(`${url} is of the issuer "${name}": set JWT_ISSUER to exactly that.`);
  }
  if (typeof keys !== 'string' || !URL.canParse(keys)) {
    throw new IssuerError(`${url} has no jwks_uri: set JWT_JWKS_URL.`);
  }
  const { protocol } = new URL(keys);
  // If the issuer has https, its keys must have it, too: whoever can change the answer can make tokens.
  const allowed = issuer.startsWith('https:') ? ['https:'] : ['https:', 'http:'];
  if (allowed.includes(protocol)) return keys;
  throw new IssuerError(
    `${url} has a jwks_uri that begins with "${textForLog(protocol)}", and not with ${allowed.join(' or ')}: ` +
      'correct it at the issuer, or set JWT_JWKS_URL.',
  );
}

async function fetchObject(url: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  try {
    // Redirects are not followed, because one could lead from https to http.
    const answer = await fetch(url, { signal, redirect: 'manual' });
    if (answer.status === 200) return Object(JSON.parse(await readText(answer)));
    await answer.body?.cancel();
    throw new Error(`the status is ${answer.status}`);
  } catch (error) {
    // `fetch` only says "fetch failed". The reason is in the cause.
    const reason = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new IssuerError(
      `Cannot get the keys of JWT_ISSUER at ${url}: ${reasonForPeople(reason)}. ` +
        'Correct JWT_ISSUER or JWT_JWKS_URL, or mend the issuer.',
      { cause: error },
    );
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    // The error leaves the loop, and that cancels the download.
    if (bytes > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
