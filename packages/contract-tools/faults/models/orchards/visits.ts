/** Visits are below an orchard, and come in pages with a header Link. */

import { randomUUID } from 'node:crypto';
import {
  type Answered,
  type Asked,
  Collection,
  type Grounds,
  type Handler,
  type Item,
} from './collection.js';
import type { Flaw } from './flaws.js';
import type { Orchards } from './orchards.js';
import { isDay, isText, known, knownQuery, numberIn, Refusal, require } from './values.js';

export class Visits extends Collection {
  readonly #orchards: Orchards;

  readonly handlers: Readonly<Record<string, Handler>> = {
    'POST orchards/visits 3': (asked) => this.#addVisit(asked),
    'GET orchards/visits 3': (asked) => this.#listVisits(asked),
    'GET orchards/visits 4': (asked) => this.#getVisit(asked),
    'DELETE orchards/visits 4': (asked) => this.#removeVisit(asked),
  };

  constructor(grounds: Grounds, orchards: Orchards) {
    super(grounds);
    this.#orchards = orchards;
  }

  #visit({ owner, path: [, orchard, , id] }: Asked, leak?: Flaw): Item {
    const found = this.items.get(id ?? '');
    const isTheirs = found?.owner !== owner && !(leak && this.grounds.has(leak));
    if (found === undefined || isTheirs || found.value['orchard'] !== orchard) throw new Refusal(404);
    return found;
  }

  #addVisit(asked: Asked): Answered {
    const { visitor: who = '', from, to } = known(asked.body, ['visitor', 'from', 'to']);
    require(isText(who, 1, 60));
    for (const day of [from, to]) require(day === undefined || isDay(day));
    require(from === undefined || to === undefined || String(from) <= String(to));
    this.#orchards.find(asked, 'another owner adds a visit');
    const visit = randomUUID();
    const visitor = this.grounds.has('a visit forgets who came') ? 'somebody' : who;
    const owner = this.#orchards.ownerOf(asked.path[1] ?? '') ?? asked.owner;
    this.items.set(visit, { owner, value: { visit, visitor, orchard: asked.path[1] ?? '' } });
    return { status: 201, body: { visit, visitor } };
  }

  #listVisits(asked: Asked): Answered {
    const { owner, path, query } = asked;
    knownQuery(query, ['page', 'per_page']);
    const page = numberIn(query, 'page', 1, 1_000) ?? 1;
    const size = numberIn(query, 'per_page', 1, 50) ?? 10;
    const leak = 'another owner sees the visits';
    this.#orchards.find(asked, leak);
    const all = [...this.items.values()].filter(
      (item) => (item.owner === owner || this.grounds.has(leak)) && item.value['orchard'] === path[1],
    );
    const start = (page - 1) * size;
    const items = all.slice(start, start + size).map(({ value: { orchard, ...shown } }) => shown);
    const isLast =
      start + size >= all.length || (this.grounds.has('the header Link ends too early') && page === 2);
    const next = this.grounds.has('the header Link leads back') && page === 2 ? 1 : page + 1;
    const target = this.grounds.has('the header Link is no URL')
      ? 'http://'
      : `/orchards/${path[1]}/visits?page=${next}&per_page=${size}`;
    const link = `<${target}>; rel="next"`;
    return { status: 200, body: items, headers: isLast ? {} : { link } };
  }

  #getVisit(asked: Asked): Answered {
    const { orchard, ...shown } = this.#visit(asked, 'another owner reads a visit').value;
    return { status: 200, body: shown };
  }

  #removeVisit(asked: Asked): Answered {
    const isUnchecked = this.grounds.has('another owner removes a visit by the path of an own orchard');
    const { value } =
      (isUnchecked && this.#orchards.find(asked) && this.items.get(asked.path[3] ?? '')) ||
      this.#visit(asked);
    if (!this.grounds.has('a removed visit stays')) this.items.delete(String(value['visit']));
    return { status: 204 };
  }
}
