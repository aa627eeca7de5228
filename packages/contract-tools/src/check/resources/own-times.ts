/**
 * Gives each item dates and times of its own, if one item is in the way of another at the same time: a patient has no two
 * appointments at once, and a room is not booked twice. No schema says that. But a 409 to a second item that is like the
 * first one does, if the second one is taken at another time (reach.ts). From then on, the plainest dates and times of each
 * item are later by a day than those of the item before. What a case is about stays as it is.
 */
import { laterText } from '../../values/formats.js';
import { sameValue, type Value, type ValueObject } from '../../values/json.js';
import { layersOf } from '../../values/layers.js';
import type { Member } from '../../values/sites.js';
import { plainMembers } from '../../values/valid-values.js';

/** The formats that can be moved by days, with the steps of a day (../../values/formats.ts). */
const stepsOfDay: Readonly<Record<string, number>> = { date: 1, 'date-time': 24 };

export class OwnTimes {
  /** The format of each member that is a date or a time. */
  readonly #formats: ReadonlyMap<string, string>;
  readonly #plain: readonly ValueObject[];
  #days = 0;
  /** Whether each item needs times of its own. */
  areNeeded = false;

  constructor(members: readonly Member[]) {
    this.#plain = [plainMembers(members), plainMembers(members.filter(({ required }) => required))];
    this.#formats = new Map(
      members.flatMap(({ name, schemas }) => {
        const formats = schemas.flatMap(layersOf).map((layer) => layer.text('format') ?? '');
        const format = formats.find((one) => one in stepsOfDay);
        return format === undefined ? [] : [[name, format] as const];
      }),
    );
  }

  get canBeGiven(): boolean {
    return this.#formats.size > 0;
  }

  /**
   * @param focus the member that the case is about
   * @param base the values that a create is known to take, if it does not take the plainest
   */
  put(content: ValueObject, focus: string, base: ValueObject = {}): ValueObject {
    const times = [...this.#formats].filter(([name]) => content[name] !== undefined);
    const isUsual = ([name]: readonly [string, string]): boolean =>
      [base, ...this.#plain].some((usual) => sameValue(usual[name] ?? null, content[name] ?? null));
    if (!this.areNeeded || times.length === 0 || this.#formats.has(focus) || !times.every(isUsual))
      return content;
    this.#days++;
    const moved = times.map(([name, format]): [string, Value] => {
      const text = content[name] ?? null;
      return [name, laterText(format, text, this.#days * (stepsOfDay[format] ?? 0)) ?? text];
    });
    return { ...content, ...Object.fromEntries(moved) };
  }
}
