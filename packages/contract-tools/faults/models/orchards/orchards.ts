/**
 * Orchards come in pages with a cursor, and have one member of each kind: texts, a pattern, numbers, an enum.
 */

import type { Value } from '../../../src/values/json.js';
import { type Answered, type Asked, Collection, type Handler, type Item } from './collection.js';
import type { Flaw } from './flaws.js';
import {
  isInteger,
  isNumber,
  isPlainText,
  isText,
  known,
  knownQuery,
  numberIn,
  numberOf,
  Refusal,
  require,
} from './values.js';

export class Orchards extends Collection {
  readonly handlers: Readonly<Record<string, Handler>> = {
    'POST orchards 1': (asked) => this.#addOrchard(asked),
    'GET orchards 1': (asked) => this.#listOrchards(asked),
    'GET orchards 2': (asked) => this.#getOrchard(asked),
    'PUT orchards 2': (asked) => this.#replaceOrchard(asked),
    'DELETE orchards 2': (asked) => this.#removeOrchard(asked),
  };

  #addOrchard({ owner, body }: Asked): Answered {
    const value = this.#orchardOf(body);
    const id = this.grounds.nextId();
    this.items.set(id, { owner, value: { ...value, id: BigInt(id) } });
    return { status: 201, body: this.items.get(id)?.value ?? null };
  }

  #orchardOf(body: Value): Readonly<Record<string, Value>> {
    const { survey, ...value } = known(body, ['name', 'code', 'rows', 'survey', 'slope', 'colour']);
    const { code = '' } = value;
    const most = this.grounds.has('the most rows are refused') ? 998n : 999n;
    const steepest = this.grounds.has('a slope over the bound is taken') ? 0.6 : 0.5;
    require(isPlainText(value['name'], 1, 40));
    if (!isText(code, 1, 12) || !/^[0-9]+(-[0-9]+)?$/.test(code)) throw new Refusal(422);
    require(code !== '0' || !this.grounds.has('the shortest code is refused'));
    if (this.grounds.has('the longest code fails') && code.length === 12)
      throw new Error('The column is too narrow.');
    if (value['rows'] !== undefined) {
      require(isInteger(value['rows'], 1n, this.grounds.has('one row too many is taken') ? 1_000n : most));
    }
    if (survey !== undefined) require(isInteger(survey, -(2n ** 63n), 2n ** 63n - 1n));
    if (value['slope'] !== undefined) {
      require(isNumber(value['slope'], 0, steepest));
      require(Number(numberOf(value['slope'])) < 0.5 || !this.grounds.has('the greatest slope is refused'));
    }
    if (value['colour'] !== undefined) require(['red', 'teal'].includes(String(value['colour'])));
    if (survey === undefined) return value;
    const stored = this.grounds.has('digits beyond 2^53 are lost')
      ? BigInt(Number(numberOf(survey)))
      : survey;
    return { ...value, survey: stored };
  }

  /**
   * Finds the orchard of the path.
   *
   * @param leak the flaw with which other owners find it, too
   * @throws {Refusal} with 404, if the owner has no such orchard
   */
  find({ owner, path: [, id = ''] }: Asked, leak?: Flaw): Item {
    // Java reads numbers in the digits of any script.
    const digits = id.replaceAll(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660));
    const found = this.items.get(String(Number(digits)));
    if (!/^[+0-9.e]+$/.test(digits) || !(Number(digits) >= 1)) throw new Refusal(404);
    if (found === undefined || (found.owner !== owner && !(leak && this.grounds.has(leak))))
      throw new Refusal(404);
    return found;
  }

  #getOrchard(asked: Asked): Answered {
    return { status: 200, body: this.find(asked, 'another owner reads an orchard').value };
  }

  #replaceOrchard(asked: Asked): Answered {
    const value = this.#orchardOf(asked.body);
    const { owner, value: before } = this.find(asked, 'another owner replaces an orchard');
    const after = { ...value, id: before['id'] ?? null };
    this.items.set(String(before['id']), { owner, value: after });
    return { status: 200, body: after };
  }

  #removeOrchard(asked: Asked): Answered {
    const { value } = this.find(asked, 'another owner removes an orchard');
    this.items.delete(String(value['id']));
    return { status: 204 };
  }

  /** The owner of an orchard; undefined if there is none with this id. */
  ownerOf(id: string): string | undefined {
    return this.items.get(id)?.owner;
  }

  #listOrchards({ owner, query }: Asked): Answered {
    knownQuery(query, ['limit', 'after']);
    const limit = numberIn(query, 'limit', 1, 100) ?? 20;
    const after = query.get('after') ?? '0';
    require(/^[0-9]{1,20}$/.test(after));
    if (this.grounds.has('a cursor of 20 digits fails') && BigInt(after) >= 2n ** 63n)
      throw new Error('bigint');
    const seen = [...this.items.values()].filter(
      (item) => item.owner === owner || this.grounds.has('another owner sees the orchards'),
    );
    const hidden = (id: Value | undefined): boolean =>
      this.grounds.has('an orchard never appears in the list') && Number(id) % 7 === 3;
    const rest = this.grounds.has('a removed item moves the cursor')
      ? seen.slice(Number(after))
      : seen.filter(({ value }) => numberOf(value['id']) > BigInt(after));
    const most = this.grounds.has('limit is ignored')
      ? 100
      : this.grounds.has('limit lets one more through')
        ? limit + 1
        : limit;
    const page = rest.slice(0, most).map(({ value }) => value);
    const last = page.at(-1)?.['id'];
    const next =
      rest.length <= page.length || last === undefined
        ? null
        : this.grounds.has('a removed item moves the cursor')
          ? String(Number(after) + page.length)
          : this.grounds.has('the cursor skips an item')
            ? String(Number(last) + 1)
            : this.grounds.has('the cursor turns in a circle') && after !== '0'
              ? after
              : String(last);
    if (this.grounds.has('a page leaves out its first item') && after !== '0') page.shift();
    if (this.grounds.has('pages come in another order') && after !== '0') page.reverse();
    return { status: 200, body: { items: page.filter(({ id }) => !hidden(id)), nextCursor: next } };
  }
}
