import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefix = 'plant_';
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^30 is 2^178. */
const randomLength = 30;
/** 62^6 is more than 2^32. */
const checksumLength = 6;
const form = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** Whatever looks like a token, to keep it out of the log, wherever somebody put it. */
export const tokenLike = new RegExp(`${prefix}[0-9A-Za-z]+`, 'g');

/** A new access token. The prefix lets scanners find one that leaked, the checksum tells them that it is one. */
export function makeToken(): string {
  const random = Array.from({ length: randomLength }, () => digits.charAt(randomInt(digits.length))).join('');
  return prefix + random + checksum(prefix + random);
}

/** Whether a text can be a token at all; what cannot costs no query. */
export function isToken(text: string): boolean {
  return form.test(text) && text.endsWith(checksum(text.slice(0, -checksumLength)));
}

/** What is stored in place of a token: its SHA-256, in hex. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

/** CRC-32 in base 62. */
function checksum(text: string): string {
  let rest = crc32(text);
  let sum = '';
  while (sum.length < checksumLength) {
    sum = digits.charAt(rest % digits.length) + sum;
    rest = Math.floor(rest / digits.length);
  }
  return sum;
}
