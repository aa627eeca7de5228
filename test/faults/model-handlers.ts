/**
 * Handlers that keep the contracts of models.ts. They hold items in memory, those of each owner by themselves,
 * and know their contract by hand. The service's layer has checked each request before.
 */
import { isDeepStrictEqual } from 'node:util';
import { type AnyHandler, failure } from '../../packages/service/layer.js';

export type Handlers = Readonly<Record<string, AnyHandler>>;
type Item = Readonly<Record<string, unknown>>;

/** The items of one kind. */
class Items {
  readonly #owners = new Map<unknown, Map<string, Item>>();
  #lastId = 0;

  /** The items of an owner by their ids, in the order in which they were made. */
  of(owner: unknown): Map<string, Item> {
    const items = this.#owners.get(owner) ?? new Map<string, Item>();
    this.#owners.set(owner, items);
    return items;
  }

  ofAll(): Map<string, Item> {
    return new Map([...this.#owners.values()].flatMap((items) => [...items]));
  }

  freshId(): number {
    return ++this.#lastId;
  }
}

/** Takes a part of a request for an object: the layer has checked that it is one. */
function membersOf(part: unknown): Item {
  return part as Item;
}

function without({ ...members }: Record<string, unknown>, name: string): Item {
  delete members[name];
  return members;
}

const absent = failure(404, 'There is nothing with this id.');
const conflict = failure(409, 'There is another item with this id.');

/** @returns whether the item is kept: there is none with this id, or the same one */
function keep(items: Map<string, Item>, id: string, item: Item): boolean {
  const there = items.get(id);
  if (there === undefined) items.set(id, item);
  return there === undefined || isDeepStrictEqual(there, item);
}

export function plantHandlers(): Handlers {
  const plants = new Items();
  const idIn = (path: unknown) => String(membersOf(path)['id']);
  return {
    async createPlant({ caller, body }) {
      const { id, ...plant } = membersOf(body);
      return keep(plants.of(caller), String(id), plant) ? { status: 200, body: plant } : conflict;
    },
    async listPlants({ caller, query }) {
      const { limit = Number.POSITIVE_INFINITY } = membersOf(query);
      const sorted = [...plants.of(caller)].sort(([a], [b]) => (BigInt(a) < BigInt(b) ? -1 : 1));
      return { status: 200, body: sorted.slice(0, Number(limit)).map(([, plant]) => plant) };
    },
    async getPlant({ caller, path }) {
      const plant = plants.of(caller).get(idIn(path));
      return plant === undefined ? absent : { status: 200, body: plant };
    },
    async changePlant({ caller, path, body }) {
      const [own, id] = [plants.of(caller), idIn(path)];
      const plant = own.get(id);
      if (plant === undefined) return absent;
      const changed = { ...plant, ...membersOf(body) };
      own.set(id, changed);
      return { status: 200, body: changed };
    },
    async deletePlant({ caller, path }) {
      return plants.of(caller).delete(idIn(path)) ? { status: 204 } : absent;
    },
  };
}

/** Nobody needs a token, so all books are those of the caller `undefined`. */
export function libraryHandlers(): Handlers {
  const library = new Items();
  const books = library.of(undefined);
  const idIn = (path: unknown) => String(membersOf(path)['book']);
  return {
    async addBook({ body }) {
      const book = library.freshId();
      const added = { ...membersOf(body), book };
      books.set(String(book), added);
      return { status: 201, body: added };
    },
    async listBooks() {
      return { status: 200, body: [...books.values()] };
    },
    async getBook({ path }) {
      const book = books.get(idIn(path));
      return book === undefined ? absent : { status: 200, body: book };
    },
    async replaceBook({ path, body }) {
      const id = idIn(path);
      if (!books.has(id)) return absent;
      const replaced = { ...membersOf(body), book: Number(id) };
      books.set(id, replaced);
      return { status: 200, body: replaced };
    },
    async removeBook({ path }) {
      return books.delete(idIn(path)) ? { status: 204 } : absent;
    },
    async lendBook({ path, body }) {
      return books.has(idIn(path)) ? { status: 200, body } : absent;
    },
    async about() {
      return { status: 200, body: { books: books.size } };
    },
  };
}

export function meterHandlers(): Handlers {
  const meters = new Items();
  const codeIn = (part: unknown) => String(membersOf(part)['code']);
  return {
    async installMeter({ caller, body }) {
      return keep(meters.of(caller), codeIn(body), membersOf(body)) ? { status: 201, body } : conflict;
    },
    async listMeters({ caller }) {
      return { status: 200, body: { meters: [...meters.of(caller).values()] } };
    },
    async readMeter({ caller, path }) {
      const meter = meters.of(caller).get(codeIn(path));
      return meter === undefined ? absent : { status: 200, body: meter };
    },
    async changeMeter({ caller, path, body }) {
      const [own, code] = [meters.of(caller), codeIn(path)];
      const meter = own.get(code);
      if (meter === undefined) return absent;
      own.set(code, { ...meter, ...membersOf(body) });
      return { status: 204 };
    },
    async scrapMeter({ caller, path }) {
      return meters.of(caller).delete(codeIn(path)) ? { status: 204 } : absent;
    },
  };
}

export function noteHandlers(): Handlers {
  const notes = new Items();
  const idIn = (path: unknown) => String(membersOf(path)['note']);
  // Who has no token may read, and sees the notes of all.
  const readable = (caller: unknown) => (caller === undefined ? notes.ofAll() : notes.of(caller));
  return {
    async addNote({ caller, body }) {
      const note = notes.freshId();
      const added = { ...membersOf(body), note };
      notes.of(caller).set(String(note), added);
      return { status: 200, body: added };
    },
    async listNotes({ caller }) {
      return { status: 200, body: [...readable(caller).values()] };
    },
    async getNote({ caller, path }) {
      const note = readable(caller).get(idIn(path));
      return note === undefined ? absent : { status: 200, body: note };
    },
    async changeNote({ caller, path, body }) {
      const [own, id] = [notes.of(caller), idIn(path)];
      const note = own.get(id);
      if (note === undefined) return absent;
      const changed = { ...note, ...membersOf(body) };
      // RFC 7396, section 2: null removes a member. No other member admits null.
      own.set(id, changed['text'] === null ? without(changed, 'text') : changed);
      return { status: 204 };
    },
    async removeNote({ caller, path }) {
      return notes.of(caller).delete(idIn(path)) ? { status: 204 } : absent;
    },
  };
}
