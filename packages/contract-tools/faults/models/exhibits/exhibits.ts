/** Exhibits, whose ids are texts that the client chooses. */
import { Problem, refuseIf } from '../plain/problem.js';
import type { Answered, Asked, Route } from '../plain/server.js';
import { isMembers, type Members, text } from '../plain/values.js';
import { listExhibits } from './exhibit-list.js';
import { bulkCheck, newExhibitCheck, patchCheck, patched, storedOf } from './exhibit-members.js';
import type { ExhibitFault } from './faults.js';
import type { Store } from './store.js';

const mergePatchType = 'application/merge-patch+json';

export function exhibitRoutes(store: Store): readonly Route[] {
  const exhibits = new Exhibits(store);
  const item = '/exhibits/{inventoryNumber}';
  return [
    {
      operation: 'addExhibit',
      method: 'POST',
      path: '/exhibits',
      takes: ['application/json'],
      answer: (asked) => exhibits.add(asked),
    },
    {
      operation: 'listExhibits',
      method: 'GET',
      path: '/exhibits',
      answer: (asked) => listExhibits(store, asked),
    },
    { operation: 'getExhibit', method: 'GET', path: item, answer: (asked) => exhibits.get(asked) },
    {
      operation: 'changeExhibit',
      method: 'PATCH',
      path: item,
      takes: patchTypes(store),
      answer: (asked) => exhibits.change(asked),
    },
    { operation: 'removeExhibit', method: 'DELETE', path: item, answer: (asked) => exhibits.remove(asked) },
    {
      operation: 'addExhibits',
      method: 'POST',
      path: '/bulk/exhibits',
      takes: ['application/json'],
      answer: (asked) => exhibits.addMany(asked),
    },
  ];
}

function patchTypes(store: Store): readonly string[] {
  if (store.has('a patch is taken as application/json')) return [mergePatchType, 'application/json'];
  return store.has('a patch is refused as application/merge-patch+json')
    ? ['application/json']
    : [mergePatchType];
}

/** What became of one exhibit of a bulk. */
interface Outcome {
  readonly inventoryNumber: string;
  readonly status: number;
  readonly problem?: Problem;
}

class Exhibits {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  add({ owner, body }: Asked): Answered {
    refuseIf(newExhibitCheck(this.#store)(body));
    const exhibit = this.#added(owner, body, this.#has('a number that is taken is overwritten'));
    const number = String(exhibit['inventoryNumber']);
    const segment = this.#has('Location is not percent-encoded') ? number : encodeURIComponent(number);
    const headers: Record<string, string> = { location: `/exhibits/${segment}` };
    return { status: 201, headers: this.#has('a create has no Location') ? {} : headers, body: exhibit };
  }

  get(asked: Asked): Answered {
    return { status: 200, body: this.#find(asked, 'another museum reads an exhibit').members };
  }

  change(asked: Asked): Answered {
    const { owner, members: before } = this.#find(asked, 'another museum changes an exhibit');
    const { body } = asked;
    const wrong = patchCheck(this.#store)(body) ?? this.#wrongHall(owner, body);
    const isHalfDone = this.#has('a patch that is refused is half done') && isMembers(body);
    // The title fits, and is stored before anything else is looked at.
    const title = isHalfDone && text(1, 200)(body['title']) === undefined ? { title: body['title'] } : {};
    if (isHalfDone && wrong !== undefined) this.#keep(owner, { ...before, ...title });
    refuseIf(wrong);
    const after = patched(before, isMembers(body) ? body : {}, this.#store);
    if (!this.#has('a patch is answered, and not stored')) this.#keep(owner, after);
    return { status: 200, body: after };
  }

  remove(asked: Asked): Answered {
    const isOpen = asked.owner === '' || this.#has('another museum removes an exhibit');
    const { owner, members } = this.#store.exhibits.find(asked.owner, this.#numberIn(asked), isOpen);
    if (members['isRemoved'] === true) throw new Problem(404, 'There is none.');
    if (this.#has('a removed exhibit stays in the list')) this.#keep(owner, { ...members, isRemoved: true });
    else this.#store.exhibits.of(owner).delete(String(members['inventoryNumber']));
    return { status: 204 };
  }

  /** Adds each exhibit on its own, and says of each what became of it. */
  addMany({ owner, body }: Asked): Answered {
    refuseIf(bulkCheck(this.#store)(body));
    const exhibits: readonly Members[] = Array.isArray(body) ? body.filter(isMembers) : [];
    const isAnyTaken = exhibits.some(({ inventoryNumber }) =>
      this.#store.exhibits.of(owner).has(String(inventoryNumber)),
    );
    if (isAnyTaken && this.#has('one number that is taken makes the whole answer a 422'))
      refuseIf('a number is taken');
    const areAllLost = isAnyTaken && this.#has('one number that is taken drops all');
    const outcomes = exhibits.map((exhibit, index) => {
      const isLast = index > 0 && index === exhibits.length - 1;
      const isLost = isLast && this.#has('the last exhibit of a bulk is lost');
      return this.#outcomeOf(owner, exhibit, areAllLost || isLost);
    });
    const sorted = outcomes.toSorted((one, other) => other.status - one.status);
    return { status: 207, body: this.#has('failures are told before successes') ? sorted : outcomes };
  }

  #outcomeOf(owner: string, exhibit: Members, isLost: boolean): Outcome {
    const inventoryNumber = String(exhibit['inventoryNumber']);
    try {
      if (!isLost) this.#added(owner, exhibit, this.#has('a bulk overwrites what is there'));
      return { inventoryNumber, status: 201 };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (this.#has('an exhibit that failed is told as 201')) return { inventoryNumber, status: 201 };
      return { inventoryNumber, status: error.status, problem: error };
    }
  }

  /** @throws {Problem} with 422 for an unknown hall, and 409 for a number that is taken */
  #added(owner: string, body: unknown, mayOverwrite: boolean): Members {
    refuseIf(this.#wrongHall(owner, body));
    const exhibit = storedOf(isMembers(body) ? body : {}, this.#store);
    const number = String(exhibit['inventoryNumber']);
    const isTaken = this.#has('a number of another museum is a conflict')
      ? this.#store.exhibits.isTakenByAnybody(number)
      : this.#store.exhibits.of(owner).has(number);
    if (isTaken && !mayOverwrite) throw new Problem(409, `There is an exhibit ${number}.`);
    this.#keep(owner, exhibit);
    return exhibit;
  }

  #wrongHall(owner: string, body: unknown): string | undefined {
    const hall = isMembers(body) ? body['hall'] : undefined;
    if (typeof hall !== 'string' || this.#store.halls.of(owner).has(hall)) return undefined;
    if (this.#has('an exhibit stands in a hall that nobody has')) return undefined;
    const isTheirs = this.#store.halls.isTakenByAnybody(hall);
    return isTheirs && this.#has('an exhibit stands in a hall of another museum')
      ? undefined
      : 'hall is the name of no hall';
  }

  #find(asked: Asked, leak: ExhibitFault): { owner: string; members: Members } {
    const found = this.#store.exhibits.find(asked.owner, this.#numberIn(asked), this.#has(leak));
    if (found.members['isRemoved'] === true) throw new Problem(404, 'There is none.');
    return found;
  }

  #numberIn({ owner, path }: Asked): string {
    const number = path['inventoryNumber'] ?? '';
    if (this.#has('a number with a space is not found')) return encodeURIComponent(number);
    if (!this.#has('a number is found in any case')) return number;
    const names = [...this.#store.exhibits.of(owner).keys()];
    return names.find((name) => name.toLowerCase() === number.toLowerCase()) ?? number;
  }

  #keep(owner: string, exhibit: Members): void {
    this.#store.exhibits.of(owner).set(String(exhibit['inventoryNumber']), exhibit);
  }

  #has(fault: ExhibitFault): boolean {
    return this.#store.has(fault);
  }
}
