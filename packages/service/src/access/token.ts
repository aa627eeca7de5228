/**
 * The form of tokens, before anybody looks one up. An own token is `plant_`, thirty random letters and digits,
 * and six that are a checksum. So a mistyped one is refused without a question to the database. A JWT is told
 * by its three parts.
 */
import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { tokenPrefix as prefix } from '../log/request-id.js';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Thirty of these digits have 178 random bits. */
const randomLength = 30;
/** Six of these digits hold a CRC-32. */
const checksumLength = 6;
const form = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** A signed JWT in the compact form: three parts of base64url (RFC 7515, section 3.1). */
const jwtForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const maxJwtLength = 8_192;

/** Makes a new token. Scanners that look for leaked secrets know it by its prefix and its checksum. */
export function makeToken(): string {
  const random = Array.from({ length: randomLength }, () => digits.charAt(randomInt(digits.length))).join('');
  return prefix + random + checksum(prefix + random);
}

/** @returns whether the text has the form of the service's own tokens, its checksum included */
export function isToken(text: string): boolean {
  return form.test(text) && text.endsWith(checksum(text.slice(0, -checksumLength)));
}

/** @returns whether the text has the form of a JWT. Nothing of its content is checked. */
export function isJwt(text: string): boolean {
  return text.length <= maxJwtLength && jwtForm.test(text);
}

/** @returns the SHA-256 of a token in hex, which is stored instead of the token */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

function checksum(text: string): string {
  let rest = crc32(text);
  let sum = '';
  while (sum.length < checksumLength) {
    sum = digits.charAt(rest % digits.length) + sum;
    rest = Math.floor(rest / digits.length);
  }
  return sum;
}
