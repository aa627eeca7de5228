/**
 * Markers, by which the checker knows its own items again.
 *
 * An account may be shared with others, and a list may show no ids: then only its content tells an item. So
 * each item that the checker makes has a marker in one of its texts, such as `~3f9a0c21be.1c~`. The first part
 * belongs to the run, the second to the item. If a list shows a marker of this run, the item behind it is
 * known, also after it was refused, deleted or changed. Without markers, a list without ids could not be
 * checked at all.
 *
 * A marker takes up to 20 characters at the beginning of a text; the text itself follows if there is room. An
 * item without such a text is known by its id alone. If a case is about one member, another one gets the
 * marker.
 */
import { randomBytes } from 'node:crypto';
import type { Node } from '../../document/node.js';
import { countBounds, typeOf } from '../../values/bounds.js';
import { layersOf } from '../../values/layers.js';
import { violationsOf } from '../../values/schema.js';
import { isLikeReference, type Member } from '../../values/sites.js';
import { fits } from '../../values/valid-values.js';
import type { Content } from './content.js';

interface Choice {
  /** A member that must not get the marker. */
  readonly not?: string;
  /** The number of the present text that gets the marker, counted from 0. */
  readonly turn?: number;
  /** Whether the present text stays behind the marker, if there is room. */
  readonly keep?: boolean;
  /** Further text behind the marker. */
  readonly words?: string;
}

const maxLength = 20;

export class Markers {
  /** The beginning of all markers of this run. */
  readonly #run = `~${randomBytes(5).toString('hex')}.`;
  readonly #carriers: readonly Member[];
  #count = 0;
  /**
   * The only member that gets markers, if a server is known to take any text there; empty if it takes none, and
   * undefined if it is not known.
   */
  carrier: string | undefined;

  readonly #content: readonly Node[];

  /**
   * @param members all members of the content; those that are texts with room for a marker can carry one
   * @param content the schemas of the whole content
   */
  constructor(members: readonly Member[], content: readonly Node[]) {
    this.#content = content;
    this.#carriers = carriersOf(members, this.#run.padEnd(maxLength, '~'));
  }

  /** The names of the members that can carry a marker. */
  get carriers(): string[] {
    return this.#carriers.map(({ name }) => name);
  }

  /** A marker that no other item has. */
  fresh(): string {
    return `${this.#run}${(this.#count++).toString(36)}~`;
  }

  /** The marker in a content; undefined if it is not an item of this run, or has no marker. */
  of(content: Content): string | undefined {
    for (const text of Object.values(content)) {
      const start = typeof text === 'string' ? text.indexOf(this.#run) : -1;
      if (typeof text === 'string' && start >= 0) return text.slice(start, text.indexOf('~', start + 1) + 1);
    }
    return undefined;
  }

  /** Puts a marker into one of the texts, preferably into one that is there already. */
  put(
    content: Content,
    marker: string,
    { not = '', turn = 0, keep = false, words = '' }: Choice = {},
  ): Content {
    const possible = this.#carriers.filter(({ name }) => name !== not && name === (this.carrier ?? name));
    const there = possible.filter(({ name }) => typeof content[name] === 'string');
    const preferred = there[turn % Math.max(1, there.length)];
    const choices =
      preferred === undefined ? possible : [preferred, ...possible.filter((one) => one !== preferred)];
    const before = this.#violations(content);
    for (const { name, schemas } of choices) {
      const text = keep ? content[name] : words;
      const marked = {
        ...content,
        [name]: withMarker(schemas, marker, typeof text === 'string' ? text : ''),
      };
      // One member may need another, as in dependentRequired.
      if (this.#violations(marked) <= before) return marked;
    }
    return content;
  }

  #violations(content: Content): number {
    return this.#content.reduce((sum, schema) => sum + violationsOf(schema, content).length, 0);
  }
}

/** Finds the texts with room for a marker: first those that may say anything. */
function carriersOf(members: readonly Member[], longest: string): Member[] {
  const possible = members.filter(({ schemas }) => {
    const layers = schemas.flatMap(layersOf);
    const isFree = !layers.some((layer) => layer.at('format') ?? layer.at('enum') ?? layer.flag('writeOnly'));
    return typeOf(layers) === 'string' && isFree && fits(schemas, withMarker(layers, longest, ''));
  });
  return possible.toSorted((one, other) => Number(isLikeReference(one)) - Number(isLikeReference(other)));
}

/** Makes a text that begins with the marker, cut to the length that the schema allows. */
function withMarker(schemas: readonly Node[], marker: string, text: string): string {
  const layers = schemas.flatMap(layersOf);
  const { least, most } = countBounds(layers, ['minLength', 'maxLength']);
  const marked = [...marker, ...text].slice(0, most).join('');
  return fits(layers, marked) ? marked : marker.padEnd(least, 'a');
}
