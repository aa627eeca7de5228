/** Gates have a keeper, of whom the server knows more than the document; some cannot be removed. */
import { type Answered, type Asked, Collection, type Handler } from './collection.js';
import {
  isHundredth,
  isMoment,
  isNumber,
  isText,
  known,
  knownQuery,
  numberIn,
  Refusal,
  require,
} from './values.js';

export class Gates extends Collection {
  readonly handlers: Readonly<Record<string, Handler>> = {
    'POST gates 1': (asked) => this.#addGate(asked),
    'GET gates 1': (asked) => this.#listGates(asked),
    'GET gates 2': (asked) => this.#getGate(asked),
    'DELETE gates 2': (asked) => this.#removeGate(asked),
  };

  #addGate({ owner, body }: Asked): Answered {
    const { name, keeper, width, lock } = known(body, ['name', 'keeper', 'width', 'lock']);
    require(isText(name, 1, 40) && isText(keeper, 1, 30) && /^\+[0-9 ]+$/.test(keeper));
    require(width === undefined || (isNumber(width, 0, 10) && isHundredth(width)));
    require(lock === undefined || lock === 'key' || lock === 'code');
    const id = this.grounds.nextId();
    const told = { keeper: this.grounds.has('a gate forgets its keeper') ? '+1' : (keeper ?? '') };
    const others = { ...(width !== undefined && { width }), ...(lock !== undefined && { lock }) };
    this.items.set(id, { owner, value: { id: BigInt(id), name: name ?? '', ...told, ...others } });
    return { status: 201, body: this.items.get(id)?.value ?? null };
  }

  #listGates({ owner, query }: Asked): Answered {
    knownQuery(query, ['page', 'per_page', 'after']);
    const page = numberIn(query, 'page', Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY) ?? 0;
    const size = numberIn(query, 'per_page', 1, 50) ?? 10;
    require(isMoment(query.get('after') ?? '1970-01-01T00:00:00Z'));
    const gap = this.grounds.has('a page leaves a gate out') && page > 0 ? 1 : 0;
    const start = Math.max(0, page) * size + gap;
    const all = query.has('after') ? [] : [...this.items.values()].filter((item) => item.owner === owner);
    const sizes = this.grounds.has('a size in a header is no number') ? '10, wide' : '10, 20';
    const second = this.grounds.has('a cookie of two is broken') ? 'no cookie' : 'b=2';
    return {
      status: 200,
      headers: { 'x-sizes': sizes, 'set-cookie': ['a=1', second], vary: ['accept', 'origin'] },
      body: all.slice(start, start + size).map(({ value }) => value),
    };
  }

  #getGate(asked: Asked): Answered {
    const { value } = this.itemOf(asked.owner, asked.path[1]);
    const shown = this.grounds.has('a gate is shown with a lock of no kind')
      ? { lock: 'none', ...value }
      : value;
    return { status: 200, body: shown, headers: { 'content-type': 'text/json' } };
  }

  #removeGate(asked: Asked): Answered {
    const { value } = this.itemOf(asked.owner, asked.path[1], 'another owner removes a gate');
    if (value['lock'] === 'code') throw new Refusal(409);
    this.items.delete(String(value['id']));
    return { status: 204 };
  }
}
