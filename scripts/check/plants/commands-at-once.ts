/** Steps of a sequence in which several requests for one id are under way at the same time. */
import { together } from '../run.js';
import {
  AnyCommand,
  contentFor,
  expectCall,
  idOf,
  type Model,
  type Real,
  SequenceError,
} from './commands.js';
import { breachOf } from './listing.js';
import type { Owner } from './own-plants.js';

/** Several creates of one id at the same time: one of them comes first, and the others follow from that. */
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
    const { client, own } = real;
    const id = idOf(real, this.slot);
    const texts = this.contents.map((content) => contentFor(real, this.owner, this.slot, content));
    const [content = { name: '' }] = texts;
    if (!model[this.owner].has(this.slot)) own.add({ owner: this.owner, id, content });
    const calls = await together(texts.map((text) => client.create(this.owner, id, text, [200, 409])));
    for (const call of calls) expectCall(real, call);
    const won = this.contents.filter((_, index) => calls[index]?.status === 200);
    const stored = model[this.owner].get(this.slot) ?? won[0];
    const right = this.contents.every(
      (number, index) => calls[index]?.status === (number === stored ? 200 : 409),
    );
    if (!right) {
      const did = `of ${calls.length} creates of the id ${id} at once, with the contents ${this.contents.join(', ')}, those with ${won.join(', ') || 'none'} were answered 200`;
      throw new SequenceError({
        steps: calls.slice(-1),
        breach: breachOf(client.operations.create, 'creates at the same time do not agree', did),
      });
    }
    if (stored !== undefined) model[this.owner].set(this.slot, stored);
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
    const { client, own } = real;
    const id = idOf(real, this.slot);
    const there = model[this.owner].delete(this.slot);
    const calls = await together([0, 1, 2].map(() => client.remove(this.owner, id, [204, 404])));
    for (const call of calls) expectCall(real, call);
    const succeeded = calls.filter(({ status }) => status === 204).length;
    if (succeeded !== (there ? 1 : 0)) {
      const did = `of three deletes at once, ${succeeded} were answered 204; the plant was ${there ? '' : 'not '}there`;
      throw new SequenceError({
        steps: calls.slice(-1),
        breach: breachOf(client.operations.remove, 'deletes at the same time do not agree', did),
      });
    }
    if (there) own.remove(this.owner, id, 'deleted');
  }

  override toString(): string {
    return `${this.owner} deletes ${this.slot} three times at once`;
  }
}
