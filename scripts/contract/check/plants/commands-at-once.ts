/** Steps of a sequence with several simultaneous requests for one id. */

import { breachOf, succeeded } from '../resources/client.js';
import type { Owner } from '../resources/own-items.js';
import { absencesOf, successesOf } from '../resources/shape.js';
import { together } from '../runner.js';
import {
  AnyCommand,
  contentFor,
  expectCall,
  expectEcho,
  idOf,
  type Model,
  type Real,
  SequenceError,
} from './commands.js';

/** Simultaneous creates of one id: whichever comes first decides what the others must answer. */
export class CreateAtOnce extends AnyCommand {
  readonly owner: Owner;
  readonly slot: number;
  readonly contents: readonly number[];

  constructor(owner: Owner, slot: number, contents: readonly number[]) {
    super();
    this.owner = owner;
    this.slot = slot;
    this.contents = contents;
  }

  override async run(model: Model, real: Real): Promise<void> {
    const { client, operations } = real;
    const { create } = operations;
    const id = idOf(real, this.slot);
    const texts = this.contents.map((content) => contentFor(real, this.owner, this.slot, content));
    const [content = {}] = texts;
    if (!model[this.owner].has(this.slot)) client.own.add({ owner: this.owner, id, content });
    const statuses = [...successesOf(create), 409];
    const calls = await together(texts.map((text) => client.create(this.owner, id, text, statuses)));
    for (const call of calls) expectCall(real, create, call);
    const succeeds = (index: number): boolean => {
      const call = calls[index];
      return call !== undefined && succeeded(create, call);
    };
    const won = this.contents.filter((_, index) => succeeds(index));
    const stored = model[this.owner].get(this.slot) ?? won[0];
    const right = this.contents.every((number, index) => succeeds(index) === (number === stored));
    if (!right) {
      const did = `of ${calls.length} creates of the id ${id} at once, with the contents ${this.contents.join(', ')}, those with ${won.join(', ') || 'none'} succeeded`;
      throw new SequenceError({
        steps: calls.slice(-1),
        breach: breachOf(create, 'creates at the same time do not agree', did),
      });
    }
    if (stored !== undefined) model[this.owner].set(this.slot, stored);
    for (const [index, call] of calls.entries()) {
      if (succeeds(index)) expectEcho(real, call, texts[index] ?? {});
    }
  }

  override toString(): string {
    return `${this.owner} creates ${this.slot} as ${this.contents.join(' and ')} at once`;
  }
}

export class RemoveAtOnce extends AnyCommand {
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
    const statuses = [...successesOf(remove), ...absencesOf(remove)];
    const calls = await together([0, 1, 2].map(() => client.item(this.owner, remove, id, statuses)));
    for (const call of calls) expectCall(real, remove, call);
    const done = calls.filter((call) => succeeded(remove, call)).length;
    if (done !== (there ? 1 : 0)) {
      const did = `of three deletes at once, ${done} succeeded; the plant was ${there ? '' : 'not '}there`;
      throw new SequenceError({
        steps: calls.slice(-1),
        breach: breachOf(remove, 'deletes at the same time do not agree', did),
      });
    }
    if (there) client.own.remove(this.owner, id, 'deleted');
  }

  override toString(): string {
    return `${this.owner} deletes ${this.slot} three times at once`;
  }
}
