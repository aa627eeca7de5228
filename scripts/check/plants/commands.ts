/** The steps of a sequence: each does the same to the model and to the server, and compares. */
import type fc from 'fast-check';
import { Silence } from '../exchange.js';
import type { Step } from '../findings.js';
import { bodyOf, type Call, contentOf, type PlantsClient, sameContent } from './client.js';
import { checkListing, type ListFault, listFault } from './listing.js';
import type { Content, Owner, OwnPlants } from './own-plants.js';

/** What is stored: for each owner, from a slot (one of four ids) to the number of its content. */
export type Model = Record<Owner, Map<number, number>>;

export interface Real {
  readonly client: PlantsClient;
  readonly own: OwnPlants;
  readonly ids: readonly bigint[];
  /** For each owner and slot a mark of its own. */
  readonly marks: Readonly<Record<Owner, readonly string[]>>;
  /** All that was done so far. */
  readonly steps: Step[];
}

/** The server did not do what the model does. */
export class SequenceError extends Error {
  readonly fault: ListFault;

  constructor(fault: ListFault) {
    super(fault.breach.rule);
    this.fault = fault;
  }
}

/** Contents that differ in as little as contents can. */
export function contentFor({ marks }: Real, owner: Owner, slot: number, content: number): Content {
  const name = marks[owner][slot] ?? '';
  return [{ name }, { name, tag: '' }, { name, tag: 'x' }, { name: `${name} ` }][content] ?? { name };
}

export function idOf({ ids }: Real, slot: number): bigint {
  return ids[slot] ?? 0n;
}

export abstract class AnyCommand implements fc.AsyncCommand<Model, Real> {
  check(): boolean {
    return true;
  }

  abstract run(model: Model, real: Real): Promise<void>;
}

export class Create extends AnyCommand {
  readonly owner: Owner;
  readonly slot: number;
  readonly content: number;

  constructor(owner: Owner, slot: number, content: number) {
    super();
    this.owner = owner;
    this.slot = slot;
    this.content = content;
  }

  override async run(model: Model, real: Real): Promise<void> {
    const stored = model[this.owner].get(this.slot);
    const [id, content] = [idOf(real, this.slot), contentFor(real, this.owner, this.slot, this.content)];
    if (stored === undefined) real.own.add({ owner: this.owner, id, content });
    const free = stored === undefined || stored === this.content;
    const call = await real.client.create(this.owner, id, content, [free ? 200 : 409]);
    expectCall(real, call);
    if (!free) return;
    model[this.owner].set(this.slot, this.content);
    expectEcho(real, call, content);
  }

  override toString(): string {
    return `${this.owner} creates ${this.slot} as ${this.content}`;
  }
}

export class Remove extends AnyCommand {
  readonly owner: Owner;
  readonly slot: number;

  constructor(owner: Owner, slot: number) {
    super();
    this.owner = owner;
    this.slot = slot;
  }

  override async run(model: Model, real: Real): Promise<void> {
    const id = idOf(real, this.slot);
    const there = model[this.owner].delete(this.slot);
    expectCall(real, await real.client.remove(this.owner, id, [there ? 204 : 404]));
    if (there) real.own.remove(this.owner, id, 'deleted');
  }

  override toString(): string {
    return `${this.owner} deletes ${this.slot}`;
  }
}

export class List extends AnyCommand {
  readonly owner: Owner;
  readonly limit: number | undefined;

  constructor(owner: Owner, limit: number | undefined) {
    super();
    this.owner = owner;
    this.limit = limit;
  }

  override async run(model: Model, real: Real): Promise<void> {
    const { client, own, marks } = real;
    const call = await client.list(this.owner, this.limit);
    expectCall(real, call);
    const expected = [...model[this.owner]]
      .sort(([a], [b]) => a - b)
      .map(([slot, content]) => ({
        owner: this.owner,
        id: idOf(real, slot),
        content: contentFor(real, this.owner, slot, content),
      }));
    const concerns = (mark: string): boolean => [...marks.first, ...marks.second].includes(mark);
    const fault = await checkListing(
      { client, own, owner: this.owner, expected, concerns },
      call,
      this.limit,
    );
    if (fault !== undefined) throw new SequenceError(fault);
  }

  override toString(): string {
    return `${this.owner} lists ${this.limit ?? 'all'}`;
  }
}

export function expectCall(real: Real, call: Call): void {
  real.steps.push(call);
  const [breach] = call.breaches;
  if (breach === undefined) return;
  const { create, list, remove } = real.client.operations;
  const operation = [create, list, remove].find(({ method }) => method === call.request.method);
  throw new SequenceError({ steps: [call], breach: { ...breach, operation: operation?.id } });
}

function expectEcho({ client }: Real, call: Call, content: Content): void {
  const answered = call.outcome instanceof Silence ? undefined : contentOf(bodyOf(call.outcome));
  if (answered !== undefined && sameContent(answered, content)) return;
  const fault = listFault({ client }, call, 'the answer is not what was sent');
  throw new SequenceError({ ...fault, breach: { ...fault.breach, operation: client.operations.create.id } });
}
