/** Reads JSON (RFC 8259). `JSON.parse` rounds large integers and accepts repeated members. */

export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | JsonObject;

/** A number without fraction or exponent is a bigint (OpenAPI 3.0.3, "Data Types"). */
type JsonNumber = bigint | number;

export interface JsonObject {
  [member: string]: JsonValue;
}

export class JsonError extends Error {
  override readonly name = 'JsonError';
}

/** Inherits nothing. Quicker than Object.create(null). */
class EmptyObject {
  [member: string]: JsonValue;
}
Object.setPrototypeOf(EmptyObject.prototype, null);
Reflect.deleteProperty(EmptyObject.prototype, 'constructor');

const integer = /-?(?:0|[1-9][0-9]*)/y;
const fraction = /\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+/y;
/** BigInt takes quadratic time. */
const maxDigits = 1_000;
/** Unescaped characters (RFC 8259, section 7). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it excludes.
const plainCharacters = /[^"\\\u0000-\u001f]*/y;
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * @param depth 1 allows `[1]` and refuses `[[1]]`
 * @throws {JsonError} also for deeper nesting, a repeated member, `__proto__` and half a surrogate pair
 */
export function parseJson(text: string, depth: number): JsonValue {
  return new Reader(text, depth).read();
}

class Reader {
  readonly #text: string;
  readonly #depth: number;
  #position = 0;

  constructor(text: string, depth: number) {
    this.#text = text;
    this.#depth = depth;
  }

  read(): JsonValue {
    // Byte order mark: RFC 8259, section 8.1.
    if (this.#text.charCodeAt(0) === 0xfeff) this.#position = 1;
    this.#skipSpace();
    if (this.#position === this.#text.length) throw new JsonError('is empty');
    const value = this.#value(0);
    this.#skipSpace();
    if (this.#position < this.#text.length) throw this.#error('has something after its end');
    return value;
  }

  #value(depth: number): JsonValue {
    const character = this.#text[this.#position];
    switch (character) {
      case '{':
        return this.#object(this.#deeper(depth));
      case '[':
        return this.#array(this.#deeper(depth));
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #deeper(depth: number): number {
    if (depth === this.#depth) throw this.#error(`is nested deeper than ${this.#depth} levels`);
    return depth + 1;
  }

  #object(depth: number): JsonObject {
    const object = new EmptyObject();
    this.#position++;
    this.#skipSpace();
    if (this.#take('}')) return object;
    for (;;) {
      if (this.#text[this.#position] !== '"') throw this.#error('is not JSON: a member name is missing');
      const start = this.#position;
      const name = this.#string();
      if (name === '__proto__') throw this.#error('has a member "__proto__"', start);
      if (name in object) throw this.#error('names a member twice', start);
      this.#skipSpace();
      if (!this.#take(':')) throw this.#error('is not JSON: a colon is missing');
      this.#skipSpace();
      object[name] = this.#value(depth);
      this.#skipSpace();
      if (this.#take('}')) return object;
      if (!this.#take(',')) throw this.#error('is not JSON: a comma or a closing brace is missing');
      this.#skipSpace();
    }
  }

  #array(depth: number): JsonValue[] {
    const array: JsonValue[] = [];
    this.#position++;
    this.#skipSpace();
    if (this.#take(']')) return array;
    for (;;) {
      array.push(this.#value(depth));
      this.#skipSpace();
      if (this.#take(']')) return array;
      if (!this.#take(',')) throw this.#error('is not JSON: a comma or a closing bracket is missing');
      this.#skipSpace();
    }
  }

  #string(): string {
    const start = this.#position;
    this.#position++;
    let string = this.#plain();
    while (!this.#take('"')) {
      if (!this.#take('\\'))
        throw this.#error('is not JSON: a string does not end, or has a control character');
      string += this.#escape() + this.#plain();
    }
    // Escapes can make lone surrogates (RFC 8259, section 8.2).
    if (!string.isWellFormed()) throw this.#error('has half of a surrogate pair in a string', start);
    return string;
  }

  #plain(): string {
    const start = this.#position;
    this.#match(plainCharacters);
    return this.#text.slice(start, this.#position);
  }

  #escape(): string {
    const letter = this.#text[this.#position++] ?? '';
    if (letter === 'u') {
      const digits = this.#text.slice(this.#position, this.#position + 4);
      if (/^[0-9a-fA-F]{4}$/.test(digits)) {
        this.#position += 4;
        return String.fromCharCode(Number.parseInt(digits, 16));
      }
    }
    const character = escapes[letter];
    if (character === undefined)
      throw this.#error('is not JSON: a string has an unknown escape', this.#position - 2);
    return character;
  }

  #number(): JsonNumber {
    const start = this.#position;
    if (!this.#match(integer)) throw this.#error('is not JSON: a value is missing');
    const isInteger = !this.#match(fraction);
    const token = this.#text.slice(start, this.#position);
    if (!isInteger) return Number(token);
    // Quicker than from text.
    if (token.length < 16) return BigInt(Number(token));
    if (token.length > maxDigits) throw this.#error(`has an integer of more than ${maxDigits} digits`, start);
    return BigInt(token);
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#position;
    if (!pattern.test(this.#text)) return false;
    this.#position = pattern.lastIndex;
    return true;
  }

  #word<Value>(word: string, value: Value): Value {
    if (!this.#text.startsWith(word, this.#position)) throw this.#error('is not JSON: a value is missing');
    this.#position += word.length;
    return value;
  }

  #take(character: string): boolean {
    if (this.#text[this.#position] !== character) return false;
    this.#position++;
    return true;
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#position);
      // RFC 8259, section 2.
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#position++;
    }
  }

  #error(message: string, position = this.#position): JsonError {
    return new JsonError(`${message}, at character ${position + 1}`);
  }
}
