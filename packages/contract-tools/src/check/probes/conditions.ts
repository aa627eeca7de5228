/**
 * Tries the conditions that the operations of an item take (RFC 9110, section 13), one item for each operation.
 *
 * Two people read an item, and both have its tag. The first one changes it, and the item has another tag. If the
 * second one could still change it, the first change would be lost without a word. So the tag of an item
 * changes with its content; a request with the tag that the item has succeeds; one with an old tag is refused,
 * and changes nothing; and of two that are sent at once with one tag, one wins. The probe is both of them.
 *
 * Nothing is tried of an item whose GET shows no `ETag`, and a note says so.
 */
import type { Operation } from '../../document/operations.js';
import { documented, succeeded } from '../../document/statuses.js';
import type { Breach, Step } from '../answers/findings.js';
import { together } from '../requests/at-once.js';
import type { RequestValues } from '../requests/request-values.js';
import type { Call } from '../resources/call.js';
import { cachedTagOf, conditionsOf, tagOf } from '../resources/conditions.js';
import type { Id } from '../resources/ids.js';
import { makeItem } from '../resources/make-item.js';
import { bodyFor, changedBody, filledBody } from '../resources/updates.js';
import { Trial } from './trial.js';

const another = '"a-tag-of-nothing"';

export async function probeConditions(trial: Trial, get: Operation): Promise<void> {
  const { client } = trial;
  const { itemPath, replace, modify, remove } = client.resource;
  const changing = [replace, modify].flatMap((operation) => conditionalOn(operation));
  const probe = new ConditionTrial(trial, get);
  const tag = await probe.firstTag();
  if (tag === undefined) {
    client.note(
      `Conditions of ${itemPath}: not tried, because ${get.id} shows no ETag of an item that was just made.`,
    );
    return;
  }
  if (isCached(get)) await probe.tryCached();
  for (const { operation, name } of changing) {
    await probe.tryChange(operation, name);
    // What follows from a tag that never changes is no other fault.
    if (probe.hasFixedTags) break;
  }
  for (const { operation, name } of conditionalOn(remove)) await probe.tryRemoval(operation, name);
}

/** Whether any operation of an item takes a condition. */
export function hasConditions({ client: { resource } }: Trial): boolean {
  const { get, replace, modify, remove } = resource;
  const isConditional = [replace, modify, remove].some((operation) => conditionalOn(operation).length > 0);
  return get !== undefined && (isCached(get) || isConditional);
}

/** Whether the document has something to say of a caller who has the item already. */
function isCached(get: Operation): boolean {
  return cachedTagOf(get) !== undefined || get.responses.has(304);
}

interface Conditional {
  readonly operation: Operation;
  /** The name of its header `If-Match`, as the document writes it. */
  readonly name: string;
}

function conditionalOn(operation: Operation | undefined): Conditional[] {
  return operation === undefined
    ? []
    : conditionsOf(operation)
        .filter(({ condition }) => condition === 'if-match')
        .map(({ parameter }) => ({ operation, name: parameter.name }));
}

class ConditionTrial extends Trial {
  readonly #get: Operation;
  /** Whether the tag of an item was seen to stay when its content changed. */
  hasFixedTags = false;

  constructor(trial: Trial, get: Operation) {
    super(trial);
    this.#get = get;
  }

  /** Makes an item, and compares the tag that its create told with that of a GET. */
  async firstTag(): Promise<string | undefined> {
    const { create } = this.client.resource;
    const { call, id } = await makeItem(this.client);
    if (id === undefined) return undefined;
    const shown = await this.#read(id);
    const [made, tag] = [tagOf(call.outcome), tagOf(shown.outcome)];
    if (made !== undefined && tag !== undefined && opaque(made) !== opaque(tag)) {
      this.#find(create, 'the tag of a create', [call, shown], {
        rule: 'the tag of a create is not that of the item',
        says: 'the validators of a 201 are those of what was made (RFC 9110, section 15.3.2)',
        did: `${create.id} told ${made}, and ${this.#get.id} shows ${tag}`,
      });
    }
    return tag;
  }

  /** RFC 9110, section 13.1.2: who has the item already is told so, and who has another one gets it. */
  async tryCached(): Promise<void> {
    const get = this.#get;
    const made = await this.#item();
    if (made === undefined) return;
    const { id, tag } = made;
    const known = await this.#ask(get, id, { 'If-None-Match': tag });
    if (known.status !== undefined && succeeded(get, known) && known.status !== 304) {
      this.#find(get, 'If-None-Match with the tag of the item', [known], {
        rule: 'If-None-Match is ignored',
        says: 'a GET with If-None-Match of the tag that the item has is answered 304 (RFC 9110, section 13.1.2)',
        did: `it was answered ${known.status}, and the tag is ${tag}`,
      });
    }
    const other = await this.#ask(get, id, { 'If-None-Match': another });
    if (other.status === 304) {
      this.#find(get, 'If-None-Match with another tag', [other], {
        rule: 'If-None-Match of another tag is answered 304',
        says: 'a 304 says that the item has the tag of If-None-Match (RFC 9110, section 13.1.2)',
        did: `it was answered 304 for ${another}, and the tag is ${tag}`,
      });
    }
  }

  async tryChange(operation: Operation, name: string): Promise<void> {
    const made = await this.#item();
    if (made === undefined) return;
    const { id, tag } = made;
    const first = await this.#change(operation, id, { [name]: tag });
    if (first.status === 412) {
      const says = 'a request with the tag that the item has is carried out';
      return this.#find(operation, `${name} is the tag of the item`, [first], {
        rule: 'the tag that an item has is refused',
        says: `${says} (RFC 9110, section 13.1.1)`,
        did: `it was answered 412 for ${tag}, which a GET had shown`,
      });
    }
    if (!succeeded(operation, first)) return;
    const changed = await this.#read(id);
    const now = tagOf(changed.outcome);
    if (now === tag) {
      this.hasFixedTags = true;
      return this.#find(operation, 'a change of the content', [first, changed], {
        rule: 'the tag stays when the content changes',
        says: 'another content has another tag (RFC 9110, section 8.8.3)',
        did: `the tag was ${tag}, and still is after a change`,
      });
    }
    await this.#tryStale(operation, name, id, tag);
    await this.#tryWithout(operation, name, id);
    await this.#tryForms(operation, name, id);
    await this.#tryRace(operation, name, id);
  }

  /** RFC 9110, section 13.1.1: an item that has another tag by now stays as it is. */
  async #tryStale(operation: Operation, name: string, id: Id, tag: string): Promise<void> {
    const before = await this.#read(id);
    const stale = await this.#change(operation, id, { [name]: tag });
    const after = await this.#read(id);
    const steps = [before, stale, after];
    if (succeeded(operation, stale)) {
      this.#find(operation, `${name} is an old tag`, steps, {
        rule: 'an old tag is taken',
        says: 'a request with a tag that the item has no more is not carried out (RFC 9110, section 13.1.1)',
        did: `it was answered ${stale.status} for ${tag}, and the tag is ${tagOf(before.outcome)}`,
      });
    } else if (tagOf(after.outcome) !== tagOf(before.outcome)) {
      this.#find(operation, `${name} is an old tag`, steps, {
        rule: 'what was refused for its tag is done all the same',
        says: 'a request that is refused changes nothing (RFC 9110, section 13.1.1)',
        did: `it was answered ${stale.status}, and the item has another tag afterwards`,
      });
    }
  }

  /** RFC 6585, section 3: a server that documents 428 asks for the condition. */
  async #tryWithout(operation: Operation, name: string, id: Id): Promise<void> {
    const isAsked = operation.responses.get(428)?.key === '428';
    if (!isAsked) return;
    const call = await this.#change(operation, id, {});
    if (!succeeded(operation, call)) return;
    this.#find(operation, `without ${name}`, [call], {
      rule: 'a request without a condition is taken',
      says: `${operation.id} documents 428, which asks for ${name} (RFC 6585, section 3)`,
      did: `without ${name} it was answered ${call.status}`,
    });
  }

  /** RFC 9110, section 13.1.1: If-Match is a list of tags, or an asterisk, and compares strongly. */
  async #tryForms(operation: Operation, name: string, id: Id): Promise<void> {
    const forms = [
      { form: (tag: string) => `W/${tag}`, isRight: false, what: 'the weak form of the tag' },
      { form: (tag: string) => `${another}, ${tag}`, isRight: true, what: 'a list with the tag in it' },
      { form: () => '*', isRight: true, what: 'an asterisk' },
    ];
    for (const { form, isRight, what } of forms) {
      const before = await this.#read(id);
      const tag = tagOf(before.outcome);
      // A weak tag matches nothing strongly, and servers that send one for If-Match compare it otherwise.
      if (tag === undefined || tag.startsWith('W/')) return;
      const call = await this.#change(operation, id, { [name]: form(tag) });
      const isWrong = isRight ? call.status === 412 : succeeded(operation, call);
      if (!isWrong) continue;
      this.#find(operation, `${name}: ${form(tag)}`, [before, call], {
        rule: `${what} is ${isRight ? 'refused' : 'taken'}`,
        says: `${name} is a list of tags or an asterisk, and compares strongly (RFC 9110, section 13.1.1)`,
        did: `it was answered ${call.status} for ${form(tag)}, and the tag is ${tag}`,
      });
    }
  }

  /** Sends two changes with one tag at once: the second one to be carried out has an old tag by then. */
  async #tryRace(operation: Operation, name: string, id: Id): Promise<void> {
    const before = await this.#read(id);
    const tag = tagOf(before.outcome);
    if (tag === undefined) return;
    const writers = await together([1, 2].map(() => this.#change(operation, id, { [name]: tag })));
    if (!writers.every((call) => succeeded(operation, call))) return;
    this.#find(operation, 'two writers with one tag', [before, ...writers], {
      rule: 'two writers with one tag both win',
      says: 'the item has another tag after the first of two changes (RFC 9110, section 13.1.1)',
      did: `both were answered ${writers.map(({ status }) => status).join(' and ')} for ${tag}`,
    });
  }

  async tryRemoval(remove: Operation, name: string): Promise<void> {
    const made = await this.#item();
    if (made === undefined) return;
    const { id, tag } = made;
    const stale = await this.#ask(remove, id, { [name]: another });
    if (!succeeded(remove, stale)) return;
    this.client.own.remove('first', id, 'deleted');
    this.#find(remove, `${name} is the tag of nothing`, [stale], {
      rule: 'an old tag is taken',
      says: 'a request with a tag that the item has not is not carried out (RFC 9110, section 13.1.1)',
      did: `it was answered ${stale.status} for ${another}, and the tag was ${tag}`,
    });
  }

  /** Makes an item, and reads its tag. */
  async #item(): Promise<{ id: Id; tag: string } | undefined> {
    const { id } = await makeItem(this.client);
    if (id === undefined) return undefined;
    // Its content changes from here on.
    this.client.own.doubt('first', id);
    const tag = tagOf((await this.#read(id)).outcome);
    return tag === undefined ? undefined : { id, tag };
  }

  #read(id: Id): Promise<Call> {
    return this.#ask(this.#get, id, {});
  }

  /** Sends a change whose content is another one each time. */
  #change(operation: Operation, id: Id, headers: RequestValues['headers']): Promise<Call> {
    const client = this.client;
    const body = filledBody(client, operation, changedBody(client, operation, 'first'));
    return this.#ask(operation, id, headers, bodyFor(client, operation, body, id));
  }

  /** Any documented status may come: the caller judges it. */
  async #ask(
    operation: Operation,
    id: Id,
    headers: RequestValues['headers'],
    body?: RequestValues['body'],
  ): Promise<Call> {
    this.begin(operation);
    const call = await this.client.item('first', operation, id, documented(operation), {
      headers,
      ...(body !== undefined && { body }),
    });
    this.judge(operation, 'a condition', call);
    return call;
  }

  #find(
    operation: Operation,
    description: string,
    steps: readonly Step[],
    breach: Pick<Breach, 'rule' | 'says' | 'did'>,
  ): void {
    const path = operation.node.at('responses')?.path ?? operation.node.path;
    this.find(operation, description, steps, { ...breach, path });
  }
}

/** Returns a tag without the prefix of a weak one. */
function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}
