/**
 * Makes the steps of a sequence. Each step acts on the model and on the server, and compares the two. If they
 * differ, running the step rejects with a SequenceError, which sequences.ts turns into a finding.
 */

import type fc from 'fast-check';
import type { Operation } from '../../../document/operations.js';
import { absencesOf, successesOf } from '../../../document/statuses.js';
import { show } from '../../../values/json.js';
import { differs } from '../../../values/look-alike.js';
import type { Step } from '../../answers/findings.js';
import { breachOf } from '../../answers/findings.js';
import type { Consequence } from '../../answers/prepared.js';
import { bodyOf } from '../../requests/reply.js';
import type { Call } from '../../resources/call.js';
import type { ResourceClient } from '../../resources/client.js';
import type { Content } from '../../resources/content.js';
import type { ExactStore } from '../../resources/exact-store.js';
import { readList } from '../../resources/follow-pages.js';
import type { Id } from '../../resources/ids.js';
import type { Owner } from '../../resources/own-items.js';
import { checkListing } from '../check-list.js';
import type { Contents } from './contents.js';

/** The stored items: for each owner, from a slot (one of four ids) to the number of its content. */
export type Model = Record<Owner, Map<number, number>>;

export interface Real {
  readonly client: ResourceClient;
  readonly operations: ExactStore;
  readonly contents: Contents;
  readonly ids: readonly Id[];
  /** A marker for each owner and slot. */
  readonly markers: Readonly<Record<Owner, readonly string[]>>;
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

export function contentFor({ contents, markers }: Real, owner: Owner, slot: number, number: number): Content {
  return contents.of(number, markers[owner][slot] ?? '');
}

export function idOf({ ids }: Real, slot: number): Id {
  return ids[slot] ?? 0n;
}

/** @param name as a finding shows it */
export function command(
  name: string,
  run: (model: Model, real: Real) => Promise<void>,
): fc.AsyncCommand<Model, Real> {
  return { check: () => true, run, toString: () => name };
}

type Command = ReturnType<typeof command>;

export function create(owner: Owner, slot: number, number: number): Command {
  return command(`${owner} creates ${slot} as ${number}`, async (model, real) => {
    const { client, operations } = real;
    const stored = model[owner].get(slot);
    const [id, content] = [idOf(real, slot), contentFor(real, owner, slot, number)];
    if (stored === undefined) client.own.add({ owner, id, content });
    const free = stored === undefined || stored === number;
    const statuses = free ? successesOf(operations.create) : [409];
    const call = await client.create(owner, id, content, statuses);
    expectCall(real, operations.create, call);
    if (!free) return;
    model[owner].set(slot, number);
    expectEcho(real, call, content);
  });
}

export function remove(owner: Owner, slot: number): Command {
  return command(`${owner} deletes ${slot}`, async (model, real) => {
    const { client, operations } = real;
    const id = idOf(real, slot);
    const there = model[owner].delete(slot);
    const statuses = there ? successesOf(operations.remove) : absencesOf(operations.remove);
    expectCall(real, operations.remove, await client.item(owner, operations.remove, id, statuses));
    if (there) client.own.remove(owner, id, 'deleted');
  });
}

export function list(owner: Owner, limit?: number): Command {
  return command(`${owner} lists ${limit ?? 'all'}`, async (model, real) => {
    const { client, markers, operations } = real;
    const call = await readList(client, owner, operations.list, limit);
    expectCall(real, operations.list, call);
    const expected = [...model[owner]]
      .sort(([a], [b]) => a - b)
      .map(([slot, number]) => ({
        owner,
        id: idOf(real, slot),
        content: contentFor(real, owner, slot, number),
      }));
    const concerns = (marker: string): boolean => [...markers.first, ...markers.second].includes(marker);
    const fault = await checkListing(
      { client, list: operations.list, owner, expected, concerns },
      call,
      limit,
    );
    if (fault !== undefined) throw new SequenceError(fault);
  });
}

/**
 * Records a call, which a step has made.
 *
 * @throws {SequenceError} if its answer broke the contract, or had another status than the model asks for
 */
export function expectCall(real: Real, operation: Operation, call: Call): void {
  real.steps.push(call);
  const [breach] = call.breaches;
  if (breach === undefined) return;
  throw new SequenceError({ steps: [call], breach: { ...breach, operation: operation.id } });
}

/** @throws {SequenceError} if the answer of a create does not show the content that was sent */
export function expectEcho({ client, operations }: Real, call: Call, content: Content): void {
  const member = client.reader.difference(operations.create, content, bodyOf(call.outcome));
  if (member === undefined) return;
  const body = bodyOf(call.outcome);
  const did = `${show(body)} after ${show(content)} was sent: ${differs(member, content, body)}`;
  throw new SequenceError({
    steps: [call],
    breach: breachOf(operations.create, 'the answer is not what was sent', did),
  });
}
