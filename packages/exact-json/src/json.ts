/**
 * Reads JSON (RFC 8259) without losing a digit.
 *
 * The contract's ids are int64, up to 9223372036854775807, and a double of JavaScript is exact only up to
 * 9007199254740991. `JSON.parse` reads the id 9007199254740993 as 9007199254740992. The service would store,
 * and delete, another plant than the one that the client named. `JSON.parse` also takes `{"id":1,"id":2}`
 * without a word, although a proxy may have looked at the other `id`, and it cannot limit how deep a text
 * nests.
 *
 * So `Reader` goes through the text once, from left to right, and looks at the first character of each value:
 *
 * 1. `{` and `[` read their members and items by calling the same function, one level deeper. At the limit,
 *    it fails.
 * 2. `"` reads up to the closing quote. Unescaped characters are taken in one piece.
 * 3. Everything else is `true`, `false`, `null` or a number. A number without fraction and exponent becomes a
 *    bigint, and any other a double.
 *
 * For example, `{"id":9007199254740993,"weight":1.5}` becomes `{ id: 9007199254740993n, weight: 1.5 }`, and
 * `1.0` becomes the number 1, not a bigint. schema/numbers.ts checks both kinds.
 *
 * The cost: it is slower than `JSON.parse`, which is written in C++. Bodies are small, because the contract
 * limits them (`x-limits`), and request/large-bodies.ts spreads those that are not over the ticks of the
 * event loop.
 */

/** A value of JSON, as `parseJson` reads it. */
export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | JsonObject;

/** A number that was written without fraction and exponent is a bigint (OpenAPI 3.0.3, "Data Types"). */
type JsonNumber = bigint | number;

export interface JsonObject {
  [member: string]: JsonValue;
}

/**
 * The text cannot be read as JSON. The message continues the name of the text: "is nested deeper than 5
 * levels, at character 12".
 */
export class JsonError extends Error {
  override readonly name = 'JsonError';
}

/** An object that inherits nothing, so a member can have any name. It is quicker than Object.create(null). */
class EmptyObject {
  [member: string]: JsonValue;
}
Object.setPrototypeOf(EmptyObject.prototype, null);
Reflect.deleteProperty(EmptyObject.prototype, 'constructor');

const integer = /-?(?:0|[1-9][0-9]*)/y;
const fraction = /\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+/y;
/** The time that BigInt takes for a text grows with the square of its length. */
const maxDigits = 1_000;
/** The characters that a string may have without an escape (RFC 8259, section 7). */
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
 * Reads a text of JSON.
 *
 * @param maxDepth how deep arrays and objects may nest: 1 allows `[1]` and refuses `[[1]]`
 * @returns the value. Its objects inherit nothing
 * @throws {JsonError} if the text is not JSON, nests deeper, repeats a member, or has a member `__proto__`,
 * half of a surrogate pair, or an integer of more than 1,000 digits
 */
export function parseJson(text: string, maxDepth: number): JsonValue {
  return new Reader(text, maxDepth).read();
}

class Reader {
  readonly #text: string;
  readonly #maxDepth: number;
  #position = 0;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  read(): JsonValue {
    // A byte order mark may be ignored (RFC 8259, section 8.1).
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
    if (depth === this.#maxDepth) throw this.#error(`is nested deeper than ${this.#maxDepth} levels`);
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
    // An escape such as \ud800 can make half of a surrogate pair (RFC 8259, section 8.2). PostgreSQL could
    // not store it.
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
    // Up to 15 characters, a double is exact, and BigInt reads it quicker than a text.
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
      // Space, line feed, carriage return and tab (RFC 8259, section 2).
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#position++;
    }
  }

  #error(message: string, position = this.#position): JsonError {
    return new JsonError(`${message}, at character ${position + 1}`);
  }
}
