/** Wells can be listed by anybody, and deleted as often as one likes. */

import { isArray, type Value } from '../../../src/values/json.js';
import { type Answered, type Asked, Collection, type Handler } from './collection.js';
import {
  instantOf,
  isInteger,
  isMoment,
  isText,
  isWellName,
  known,
  knownQuery,
  numberIn,
  require,
} from './values.js';

export class Wells extends Collection {
  readonly handlers: Readonly<Record<string, Handler>> = {
    'POST wells 1': (asked) => this.#digWell(asked),
    'GET wells 1': (asked) => this.#listWells(asked),
    'GET wells 2': (asked) => this.#getWell(asked),
    'PATCH wells 2': (asked) => this.#changeWell(asked),
    'DELETE wells 2': (asked) => this.#fillWell(asked),
  };

  #digWell({ owner, body }: Asked): Answered {
    const { place, name, dug, secret, state, depths } = known(body, [
      'place',
      'name',
      'dug',
      'secret',
      'state',
      'depths',
    ]);
    const { street, town } = known(place ?? null, ['street', 'town']);
    require(isWellName(name) && isMoment(dug));
    require((isText(secret, 4, 60) && /[0-9]/.test(secret)) || this.grounds.has('a well needs no secret'));
    require(isText(street, 1, 40) && isText(town, 1, 40));
    if (state !== undefined) require(state === 'open' || state === 'covered');
    if (depths !== undefined)
      require(isArray(depths) && depths.every((depth) => isInteger(depth, -(2n ** 200n), 2n ** 200n)));
    const id = this.grounds.nextId();
    const kept = {
      state: this.grounds.has('a well forgets its state') ? 'open' : (state ?? 'open'),
      depths: depths ?? [],
      place: {
        street: street ?? '',
        town: this.grounds.has('a well forgets its town') ? 'a town' : (town ?? ''),
      },
      name: name ?? '',
      dug: this.grounds.has('a well is dug at another time') ? '1999-01-01T00:00:00Z' : instantOf(dug),
    };
    const made = this.grounds.has('a well was never created') ? {} : { createdAt: new Date().toISOString() };
    this.items.set(id, { owner, value: { ...kept, ...made, id: BigInt(id) } });
    return { status: 201, body: this.items.get(id)?.value ?? null };
  }

  #listWells({ query }: Asked): Answered {
    knownQuery(query, ['api-version', 'offset', 'limit']);
    require(query.get('api-version') === '2');
    const offset = numberIn(query, 'offset', 0, Number.MAX_SAFE_INTEGER) ?? 0;
    const limit = numberIn(query, 'limit', 1, 200) ?? 50;
    const isMissing = (id: Value | undefined): boolean =>
      this.grounds.has('a well is missing from the list') && Number(id) % 7 === 3;
    const all = [...this.items.values()].filter(({ value }) => !isMissing(value['id']));
    return { status: 200, body: all.slice(offset, offset + limit).map(({ value }) => value) };
  }

  #getWell(asked: Asked): Answered {
    return { status: 200, body: this.itemOf(asked.owner, asked.path[1]).value };
  }

  #changeWell(asked: Asked): Answered {
    const value = known(asked.body, ['name', 'dug']);
    if (value['name'] !== undefined) require(isWellName(value['name']));
    if (value['dug'] !== undefined) require(isMoment(value['dug']));
    const { owner, value: before } = this.itemOf(asked.owner, asked.path[1], 'another owner changes a well');
    const { dug } = value;
    const after = { ...before, ...value, ...(dug !== undefined && { dug: instantOf(dug) }) };
    this.items.set(String(before['id']), { owner, value: after });
    return { status: 200, body: after };
  }

  #fillWell(asked: Asked): Answered {
    // RFC 9110, section 9.2.2: deleting twice does no more than deleting once.
    const id = asked.path[1] ?? '';
    if (/^[1-9][0-9]*$/.test(id) && !this.items.has(id)) return { status: 204 };
    const { value } = this.itemOf(asked.owner, asked.path[1]);
    if (!this.grounds.has('a filled well stays')) this.items.delete(String(value['id']));
    return { status: 204 };
  }
}
