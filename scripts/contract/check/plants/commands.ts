/** The steps of a sequence: each acts on the model and on the server, and compares. */
import type fc from 'fast-check';
import type { Operation } from '../description.js';
import type { Step } from '../findings.js';
import { show } from '../json.js';
import { differs } from '../look-alike.js';
import type { Consequence } from '../meaning.js';
import { bodyOf, breachOf, type Call, type ResourceClient } from '../resources/client.js';
import type { Content } from '../resources/content.js';
import type { Id } from '../resources/ids.js';
import { checkListing } from '../resources/listing.js';
import type { Owner } from '../resources/own-items.js';
import { settle, testimonyOf } from '../resources/readers.js';
import { absencesOf, successesOf } from '../resources/shape.js';
import type { Contents } from './contents.js';

/** The stored plants: for each owner, from a slot (one of four ids) to the number of its content. */
export type Model = Record<Owner, Map<number, number>>;

/** Without these operations, there are no plants to test. */
export interface PlantOperations {
  readonly create: Operation;
  readonly list: Operation;
  readonly remove: Operation;
}

export interface Real {
  readonly client: ResourceClient;
  readonly operations: PlantOperations;
  readonly contents: Contents;
  readonly ids: readonly Id[];
  /** A mark for each owner and slot. */
  readonly marks: Readonly<Record<Owner, readonly string[]>>;
  /** All steps so far. */
  readonly steps: Step[];
}

/** The server did not do what the model does. */
export class SequenceError extends Error {
  readonly fault: Consequence;

  constructor(fault: Consequence) {
    super(fault.breach.rule);
    this.fault = fault;
  }
}

export function contentFor({ contents, marks }: Real, owner: Owner, slot: number, number: number): Content {
  return contents.of(number, marks[owner][slot] ?? '');
}

export function idOf({ ids }: Real, slot: number): Id {
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
    const { client, operations } = real;
    const stored = model[this.owner].get(this.slot);
    const [id, content] = [idOf(real, this.slot), contentFor(real, this.owner, this.slot, this.content)];
    if (stored === undefined) client.own.add({ owner: this.owner, id, content });
    const free = stored === undefined || stored === this.content;
    const statuses = free ? successesOf(operations.create) : [409];
    const call = await client.create(this.owner, id, content, statuses);
    expectCall(real, operations.create, call);
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
    const { client, operations } = real;
    const { remove } = operations;
    const id = idOf(real, this.slot);
    const there = model[this.owner].delete(this.slot);
    const statuses = there ? successesOf(remove) : absencesOf(remove);
    expectCall(real, remove, await client.item(this.owner, remove, id, statuses));
    if (there) client.own.remove(this.owner, id, 'deleted');
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
    const { client, marks, operations } = real;
    const { list } = operations;
    const call = await client.list(this.owner, list, this.limit);
    expectCall(real, list, call);
    const expected = [...model[this.owner]]
      .sort(([a], [b]) => a - b)
      .map(([slot, content]) => ({
        owner: this.owner,
        id: idOf(real, slot),
        content: contentFor(real, this.owner, slot, content),
      }));
    const concerns = (mark: string): boolean => [...marks.first, ...marks.second].includes(mark);
    const fault = await checkListing(
      { client, list, owner: this.owner, expected, concerns },
      call,
      this.limit,
    );
    if (fault !== undefined) throw new SequenceError(fault);
  }

  override toString(): string {
    return `${this.owner} lists ${this.limit ?? 'all'}`;
  }
}

/** Reads one plant, if the document has an operation for it. */
export class Read extends AnyCommand {
  readonly owner: Owner;
  readonly slot: number;
  readonly get: Operation;

  constructor(get: Operation, owner: Owner, slot: number) {
    super();
    this.get = get;
    this.owner = owner;
    this.slot = slot;
  }

  override async run(model: Model, real: Real): Promise<void> {
    const { client, operations } = real;
    const [owner, id, number] = [this.owner, idOf(real, this.slot), model[this.owner].get(this.slot)];
    const content = number === undefined ? undefined : contentFor(real, owner, this.slot, number);
    const call = await client.item(owner, this.get, id, [...successesOf(this.get), ...absencesOf(this.get)]);
    expectCall(real, this.get, call);
    const wanted = { owner, id, content };
    const writer = content === undefined ? operations.remove : operations.create;
    const fault = await settle(client, writer, wanted, testimonyOf(client, this.get, wanted, call));
    if (fault !== undefined) throw new SequenceError(fault);
  }

  override toString(): string {
    return `${this.owner} reads ${this.slot}`;
  }
}

export function expectCall(real: Real, operation: Operation, call: Call): void {
  real.steps.push(call);
  const [breach] = call.breaches;
  if (breach === undefined) return;
  throw new SequenceError({ steps: [call], breach: { ...breach, operation: operation.id } });
}

export function expectEcho({ client, operations }: Real, call: Call, content: Content): void {
  const member = client.difference(operations.create, content, bodyOf(call.outcome));
  if (member === undefined) return;
  const body = bodyOf(call.outcome);
  const did = `${show(body)} after ${show(content)} was sent: ${differs(member, content, body)}`;
  throw new SequenceError({
    steps: [call],
    breach: breachOf(operations.create, 'the answer is not what was sent', did),
  });
}
