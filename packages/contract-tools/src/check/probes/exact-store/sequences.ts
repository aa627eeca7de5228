/**
 * Runs generated sequences of create, list and delete by two owners, and compares them with a model of the
 * store.
 *
 * One request by itself shows only faults that do not depend on what came before. A server that forgets an
 * item when another owner deletes the same id, or that answers a repeated create from a stale copy, answers
 * each single request correctly. fast-check generates up to 16 steps, such as
 *
 *     first creates 2 as 1, second creates 2 as 0, second deletes 2, first lists all
 *
 * Each step changes the model, which is a map from one of four slots to the number of a content, and sends
 * its request. The answer must be the model's: here, the last list has the item of slot 2 with content 1.
 * Both owners use the same four ids, so that leaks from one to the other show. If a step differs, fast-check
 * repeats the sequence with fewer steps until it finds the shortest that still fails, and that one is
 * reported.
 *
 * Each sequence has ids and markers that no other sequence has, so several can run at once. At its end, it
 * deletes what it has stored. There are half as many sequences as generated cases of an operation: 50 by
 * default.
 */

import fc from 'fast-check';
import { successesOrAbsencesOf } from '../../../document/statuses.js';
import { tryGenerated } from '../../answers/generate.js';
import type { ResourceClient } from '../../resources/client.js';
import type { ExactStore } from '../../resources/exact-store.js';
import type { Owner } from '../../resources/own-items.js';
import type { Trial } from '../trial.js';
import { create, list, type Model, type Real, remove, SequenceError } from './commands.js';
import { createAtOnce, removeAtOnce } from './commands-at-once.js';
import { Contents } from './contents.js';

export async function probeSequences(trial: Trial): Promise<void> {
  const { client, run } = trial;
  const { owners } = trial.part;
  const operations = client.exactStore;
  if (operations === undefined) return;
  const contents = new Contents(client);
  const commands = fc.commands(commandsFor(contents, owners), { maxCommands: 16, size: '+1' });
  await tryGenerated(run, Math.ceil(run.cases / 2), commands, async (sequence) => {
    trial.begin(operations.list);
    const real = newReal(client, operations, contents);
    const model: Model = { first: new Map(), second: new Map() };
    try {
      await fc.asyncModelRun(() => ({ model, real }), sequence);
      for (const owner of owners) await list(owner).run(model, real);
      return true;
    } catch (error) {
      if (!(error instanceof SequenceError)) throw error;
      const { steps, breach } = error.fault;
      const id = breach.operation ?? operations.list.id;
      // fast-check ends its text with a path that repeats nothing here.
      const [text = ''] = String(sequence).split('/*replayPath', 1);
      trial.record({ id }, text.trimEnd(), [...real.steps, ...steps.slice(1)], breach);
      return false;
    } finally {
      await tidy(owners, model, real);
    }
  });
}

function newReal(client: ResourceClient, operations: ExactStore, contents: Contents): Real {
  const markers = (): string[] => [0, 1, 2, 3].map(() => client.markers.fresh());
  const ids = client.identity.ids?.block() ?? [];
  return { client, operations, contents, ids, markers: { first: markers(), second: markers() }, steps: [] };
}

async function tidy(
  owners: readonly Owner[],
  model: Model,
  { client, operations, ids }: Real,
): Promise<void> {
  const statuses = successesOrAbsencesOf(operations.remove);
  for (const owner of owners) {
    for (const [slot, id] of ids.entries()) {
      if (model[owner].has(slot)) await client.item(owner, operations.remove, id, statuses);
      if (client.own.find(owner, id)) client.own.remove(owner, id, 'deleted');
    }
  }
}

function commandsFor(
  contents: Contents,
  owners: readonly Owner[],
): fc.Arbitrary<fc.AsyncCommand<Model, Real>>[] {
  const owner = fc.constantFrom(...owners);
  const slot = fc.nat({ max: 3 });
  const content = fc.nat({ max: contents.count - 1 });
  const limit = fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined });
  const place = fc.tuple(owner, slot);
  const creates = fc.tuple(owner, slot, content).map((args) => create(...args));
  return [
    creates,
    creates,
    place.map((args) => remove(...args)),
    fc.tuple(owner, limit).map((args) => list(...args)),
    fc
      .tuple(owner, slot, fc.array(content, { minLength: 2, maxLength: 4 }))
      .map((args) => createAtOnce(...args)),
    place.map((args) => removeAtOnce(...args)),
  ];
}
