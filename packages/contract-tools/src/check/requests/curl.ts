/**
 * Writes a request as a line for Bash, so that a person can send it again. The line has a variable instead of
 * each credential. A body that is long, or that no word of a shell can hold, is printed by `printf` and piped
 * to curl.
 */
import { isUtf8 } from 'node:buffer';
import type { Presented } from '../../document/credentials.js';
import { partCookies, type Request, withHeaders } from './request.js';

/**
 * So many equal characters in a row are written once, with their number: nobody can count 1,001 letters. A
 * character has at most four bytes.
 */
const longRun = /(.{1,4}?)\1{99,}/s;

/** @param headers those that each request of the run had */
export function curlLine(url: URL, sent: Request, headers: readonly Presented[] = []): string {
  const request = withHeaders(sent, headers);
  const { method, base, target, credentials = [], body, chunks } = request;
  const keys = credentials.filter((one) => one.in === 'cookie');
  const [cookies, others] = keys.length > 0 ? partCookies(request.headers) : [[], request.headers];
  const words = [
    'curl --http1.1 --path-as-is --globoff -sS -i',
    method === 'HEAD' ? '--head' : `-X ${method}`,
    quote((base === undefined ? url.href.replace(/\/$/, '') : url.origin + base) + target),
    ...credentials.filter((one) => one.in !== 'cookie').map(optionFor),
    ...(keys.length > 0 ? [cookieOption(keys, cookies)] : []),
    ...others.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(chunks === undefined ? [] : ["-H 'Transfer-Encoding: chunked'"]),
  ];
  if (body === undefined) return words.join(' ');
  // Without this, curl would send the Content-Type of a form.
  if (!others.some(([name]) => name.toLowerCase() === 'content-type')) words.push("-H 'Content-Type:'");
  const text = body.toString('utf8');
  const isShort = body.length < 2_000 && !longRun.test(body.toString('latin1'));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a shell's word cannot hold.
  if (isUtf8(body) && isShort && !/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text)) {
    return [...words, `--data-binary ${quote(text)}`].join(' ');
  }
  return `{ ${pieces(body).join('; ')}; } | ${[...words, '--data-binary @-'].join(' ')}`;
}

/**
 * An option of curl that adds the credential. curl 7.87 and later know --url-query, which percent-encodes.
 */
function optionFor({ in: place, name, shell }: Presented): string {
  return place === 'query'
    ? `--url-query "${shellText(encodeURIComponent(name))}=${shell}"`
    : `-H "${shellText(name)}: ${shell}"`;
}

/** RFC 6265, section 5.4: a request has one header Cookie at most. */
function cookieOption(keys: readonly Presented[], cookies: readonly string[]): string {
  const pairs = keys.map(({ name, shell }) => `${shellText(name)}=${shell}`);
  return `-H "Cookie: ${[...pairs, ...cookies.map(shellText)].join('; ')}"`;
}

/** The text between double quotes in Bash. */
export function shellText(text: string): string {
  return text.replace(/["`\\$]/g, '\\$&');
}

/** Commands that print the bytes. */
function pieces(body: Buffer): string[] {
  const commands: string[] = [];
  for (let rest = body.toString('latin1'); rest !== ''; ) {
    const found = longRun.exec(rest);
    const [run = '', repeated = ''] = found ?? [];
    const plain = rest.slice(0, found?.index);
    if (plain !== '') commands.push(`printf '%b' '${plain.replace(/[^ !#-&(-[\]-~]/g, octal)}'`);
    if (run !== '') commands.push(timesOf(repeated, run.length / repeated.length));
    rest = rest.slice(plain.length + run.length);
  }
  return commands;
}

/** `printf` uses its format again for each word of the list; `%.0s` shows no character of the word. */
function timesOf(bytes: string, times: number): string {
  const format = bytes.replace(/[^ \w]/g, (byte) => `\\${octal(byte).slice(2)}`);
  return `printf '${format}%.0s' {1..${times}}`;
}

function octal(character: string): string {
  return `\\0${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
