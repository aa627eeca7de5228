import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { tokenPrefix as prefix } from '../log/token-like.js';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 178 random bits. */
const randomLength = 30;
/** Holds a CRC-32. */
const checksumLength = 6;
const form = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** Signed, and in the compact form (RFC 7515, section 3.1). */
const jwtForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const longestJwt = 8_192;

/** Scanners find a leaked token by its prefix and checksum. */
export function makeToken(): string {
  const random = Array.from({ length: randomLength }, () => digits.charAt(randomInt(digits.length))).join('');
  return prefix + random + checksum(prefix + random);
}

export function isToken(text: string): boolean {
  return form.test(text) && text.endsWith(checksum(text.slice(0, -checksumLength)));
}

export function isJwt(text: string): boolean {
  return text.length <= longestJwt && jwtForm.test(text);
}

/** In hex. */
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
