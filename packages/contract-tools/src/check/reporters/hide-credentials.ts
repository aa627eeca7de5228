/**
 * Takes the credentials of a run out of its report. The checker itself writes `$CONTRACT_TOKEN` for them, but a
 * server may repeat what it was sent: in a body, a header, an id that a later request names, or a message.
 * Reports are kept as artifacts and posted to pull requests, where more people read them than may use a token.
 *
 * A server repeats a credential as it is, or in an encoding of its own, so this looks for three forms: the
 * text, its base64 (at each of the three offsets that it can have within other bytes, in both alphabets), and
 * its bytes in hexadecimal. It looks for them in the text as it is, and as it reads decoded up to three times
 * from percent-encoding, JSON, XML, or the quotes of a shell. For example, the password `a/b"c` is found in
 * `{"got":"a\/b\"c"}` and in `?got=a%2Fb%22c`. Case does not matter.
 *
 * Reports cut long bodies, and a cut can go through a credential. So its beginning is taken out, too, if "…"
 * comes behind it. The first seven characters are not enough to be a secret.
 */
import type { Credential } from '../../document/credentials.js';

/** A shorter text would be found everywhere, and anybody can guess it. */
const minSecretLength = 4;
/** A cut credential is found by this many of its characters. */
const headLength = 8;
/** A text was cut here, perhaps within an escape. */
const cut = /^(?:[%\\&][\w#{]{0,8})?…/;
const decodings = 3;

/** A text that must not be shown, and what stands for it. */
interface Form {
  readonly text: string;
  readonly shell: string;
}

/** A text with the place that each of its UTF-16 units has in the original: one more place is its end. */
interface Reading {
  readonly text: string;
  readonly places: readonly number[];
}

/** @returns a function that writes the shell's variable for each credential, such as `$CONTRACT_TOKEN` */
export function hideCredentials(credentials: readonly (Credential | undefined)[]): (text: string) => string {
  const forms = credentials.flatMap((credential) => (credential === undefined ? [] : formsOf(credential)));
  // A form may contain another one, such as that of the password alone.
  forms.sort((a, b) => b.text.length - a.text.length);
  return (text) => (forms.length === 0 ? text : withoutForms(text, forms));
}

function formsOf({ text, shell }: Credential): Form[] {
  // HTTP Basic has `user:password`, and a server that has decoded it may repeat the password alone.
  const [, password = ''] = text.split(/:(.*)/s);
  const secrets = [...new Set([text, password])].filter(({ length }) => length >= minSecretLength);
  const texts = secrets.flatMap((secret) => [
    secret,
    // Forms write a space so.
    secret.replaceAll(' ', '+'),
    Buffer.from(secret).toString('hex'),
    ...base64FormsOf(secret),
  ]);
  return [...new Set(texts.map(folded))].map((form) => ({ text: form, shell }));
}

/** What base64 makes of a text within other bytes. The characters at its ends depend on these bytes, too. */
function base64FormsOf(secret: string): string[] {
  const forms = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)])
      .toString('base64')
      .replaceAll('=', '');
    const isWhole = (offset + Buffer.byteLength(secret)) % 3 === 0;
    return encoded.slice(Math.ceil((offset * 8) / 6), isWhole ? undefined : -1);
  });
  return forms
    .filter(({ length }) => length >= headLength)
    .flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}

function withoutForms(text: string, forms: readonly Form[]): string {
  const found: { start: number; end: number; shell: string }[] = [];
  let reading: Reading = { text, places: Array.from({ length: text.length + 1 }, (_, index) => index) };
  for (let decoding = 0; decoding <= decodings; decoding++) {
    const readable = folded(reading.text);
    for (const { text: form, shell } of forms) {
      for (const [start, end] of occurrences(readable, form)) {
        found.push({ start: reading.places[start] ?? 0, end: reading.places[end] ?? text.length, shell });
      }
    }
    const decoded = decode(reading);
    if (decoded.text === reading.text) break;
    reading = decoded;
  }
  return replaced(text, found);
}

/** @returns the beginning and end of each occurrence, also of those that are cut */
function occurrences(text: string, form: string): [number, number][] {
  const head = form.slice(0, headLength);
  const found: [number, number][] = [];
  for (let start = text.indexOf(head); start >= 0; start = text.indexOf(head, start + 1)) {
    let end = start + head.length;
    while (end - start < form.length && text[end] === form[end - start]) end++;
    if (end - start === form.length || cut.test(text.slice(end, end + 10))) found.push([start, end]);
  }
  return found;
}

function replaced(text: string, found: { start: number; end: number; shell: string }[]): string {
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  let written = '';
  let done = 0;
  for (const { start, end, shell } of found) {
    // What overlaps an earlier occurrence goes with it.
    if (start >= done) written += text.slice(done, start) + shell;
    done = Math.max(done, end);
  }
  return written + text.slice(done);
}

/** In lower case, but for letters that would change their length: the places must stay. */
function folded(text: string): string {
  return text.replace(/\p{Lu}/gu, (letter) => {
    const lower = letter.toLowerCase();
    return lower.length === letter.length ? lower : letter;
  });
}

const namedEntities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/**
 * An escape of percent-encoding, of JSON or of visible.ts, of XML, or of Bash: a quote in a quoted word, and
 * the octal digits of printf. Characters beyond ASCII are several bytes, which are read together.
 */
const escapeSequence =
  /((?:%[89a-f][\da-f])+)|((?:\\0[23][0-7]{2})+)|%([0-7][\da-f])|\\u\{([\da-f]{1,6})\}|\\u([\da-f]{4})|\\0([01][0-7]{2})|&#x([\da-f]{1,6});|&#(\d{1,7});|&(amp|lt|gt|quot|apos);|'\\('')|\\(["'/\\])/gi;

function decode({ text, places }: Reading): Reading {
  let decoded = '';
  const decodedPlaces: number[] = [];
  let done = 0;
  const copy = (end: number): void => {
    decoded += text.slice(done, end);
    for (; done < end; done++) decodedPlaces.push(places[done] ?? 0);
  };
  for (const match of text.matchAll(escapeSequence)) {
    copy(match.index);
    const character = characterOf(match);
    decoded += character;
    for (let unit = 0; unit < character.length; unit++) decodedPlaces.push(places[done] ?? 0);
    done += match[0].length;
  }
  copy(text.length);
  decodedPlaces.push(places[text.length] ?? 0);
  return { text: decoded, places: decodedPlaces };
}

function characterOf([all, percents, octals, ...others]: RegExpExecArray): string {
  if (percents !== undefined) return Buffer.from(percents.replaceAll('%', ''), 'hex').toString('utf8');
  if (octals !== undefined) {
    return Buffer.from(
      octals
        .split('\\0')
        .slice(1)
        .map((digits) => Number.parseInt(digits, 8)),
    ).toString('utf8');
  }
  const [percent, braced, json, octal, entity, decimal, name, quoted, escaped] = others;
  const code = Number.parseInt(
    percent ?? braced ?? json ?? entity ?? octal ?? decimal ?? '',
    octal !== undefined ? 8 : decimal !== undefined ? 10 : 16,
  );
  if (code <= 0x10ffff) return String.fromCodePoint(code);
  return (
    namedEntities.get(name?.toLowerCase() ?? '') ?? (quoted === undefined ? undefined : "'") ?? escaped ?? all
  );
}
