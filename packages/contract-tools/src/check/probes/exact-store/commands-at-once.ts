/**
 * Makes the steps of a sequence that send several requests for one id at the same time. Whichever comes first
 * decides what the others must be answered: of two creates with different contents one succeeds, and of three
 * deletes one finds the item.
 */

import { succeeded, successesOf, successesOrAbsencesOf } from '../../../document/statuses.js';
import { breachOf } from '../../answers/findings.js';
import { together } from '../../requests/at-once.js';
import type { Owner } from '../../resources/own-items.js';
import { command, contentFor, expectCall, expectEcho, idOf, SequenceError } from './commands.js';

/**
 * @param contents the number of the content of each create (contents.ts)
 * @returns a step; running it rejects with a SequenceError if the answers do not agree with each other
 */
export function createAtOnce(
  owner: Owner,
  slot: number,
  contents: readonly number[],
): ReturnType<typeof command> {
  return command(`${owner} creates ${slot} as ${contents.join(' and ')} at once`, async (model, real) => {
    const { client, operations } = real;
    const { create } = operations;
    const id = idOf(real, slot);
    const texts = contents.map((content) => contentFor(real, owner, slot, content));
    const [content = {}] = texts;
    if (!model[owner].has(slot)) client.own.add({ owner, id, content });
    const statuses = [...successesOf(create), 409];
    const calls = await together(texts.map((text) => client.create(owner, id, text, statuses)));
    for (const call of calls) expectCall(real, create, call);
    const succeeds = (index: number): boolean => {
      const call = calls[index];
      return call !== undefined && succeeded(create, call);
    };
    const won = contents.filter((_, index) => succeeds(index));
    const stored = model[owner].get(slot) ?? won[0];
    const right = contents.every((number, index) => succeeds(index) === (number === stored));
    if (!right) {
      const did = `of ${calls.length} creates of the id ${id} at once, with the contents ${contents.join(', ')}, those with ${won.join(', ') || 'none'} succeeded`;
      throw new SequenceError({
        steps: calls.slice(-1),
        breach: breachOf(create, 'creates at the same time do not agree', did),
      });
    }
    if (stored !== undefined) model[owner].set(slot, stored);
    for (const [index, call] of calls.entries()) {
      if (succeeds(index)) expectEcho(real, call, texts[index] ?? {});
    }
  });
}

/**
 * @returns a step; running it rejects with a SequenceError if not exactly one delete finds an item that was
 *   there, or if one finds an item that was not
 */
export function removeAtOnce(owner: Owner, slot: number): ReturnType<typeof command> {
  return command(`${owner} deletes ${slot} three times at once`, async (model, real) => {
    const { client, operations } = real;
    const { remove } = operations;
    const id = idOf(real, slot);
    const there = model[owner].delete(slot);
    const statuses = successesOrAbsencesOf(remove);
    const calls = await together([0, 1, 2].map(() => client.item(owner, remove, id, statuses)));
    for (const call of calls) expectCall(real, remove, call);
    const done = calls.filter((call) => succeeded(remove, call)).length;
    if (done !== (there ? 1 : 0)) {
      const did = `of three deletes at once, ${done} succeeded; the item was ${there ? '' : 'not '}there`;
      throw new SequenceError({
        steps: calls.slice(-1),
        breach: breachOf(remove, 'deletes at the same time do not agree', did),
      });
    }
    if (there) client.own.remove(owner, id, 'deleted');
  });
}
